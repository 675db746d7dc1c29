// What the pages show of a game of chess.

import { Diagram, called, figurine } from './chess.js';
import { clock } from './common.js';

const sides = (players) => [players.white || 'White', players.black || 'Black'].join(' – ');

export const chess = {
  diagram: (coordinates) => new Diagram(coordinates),
  man: called,
  move: (ply) => figurine(ply.san),
  /** Does it stand in the second column? */
  second: (ply) => ply.number.endsWith('...'),
  players: (players) => [sides(players)],
  record: { name: 'PGN', file: 'game.pgn' },
  plots: {},
  plotted: 'Confidence and time',

  /** What the diagram shows after `at` plies; `now`: of the game as it stands. */
  view(state, at, now, wrong) {
    const ply = state.game.plies[at - 1];
    if (!now) return { fen: ply ? ply.fen : state.game.start, last: ply && ply.uci };
    return { fen: state.fen, last: ply && ply.uci, wrong, doubt: state.in_doubt };
  },

  /** What is said of the position besides what the observer does. */
  words({ position }) {
    const words = [];
    if (position.check) words.push('check');
    if (position.threefold) words.push('threefold repetition may be claimed');
    if (position.fifty_moves) words.push('fifty moves may be claimed');
    if (position.result && position.result !== '*') words.push(`${position.result} ${position.result_reason}`);
    return words;
  },

  facts: () => '',

  tile(state, wrong) {
    return {
      view: { fen: state.fen, last: state.last && state.last.uci, wrong },
      count: state.ply ? `ply ${state.ply}` : '',
      last: state.last ? [`${state.last.number} `, figurine(state.last.san)] : ['–'],
      result: state.result && state.result !== '*' ? state.result : '',
      times: state.spent_s ? `${clock(state.spent_s[0])} / ${clock(state.spent_s[1])}` : '',
    };
  },
};
