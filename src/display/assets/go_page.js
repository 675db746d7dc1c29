// What the pages show of a game of Go.

import { GoDiagram, called, icon, stonesAfter } from './go.js';
import { element } from './common.js';

const NAMES = { black: 'Black', white: 'White' };

/** Which stones each side has taken, as a line. */
const taken = ([black, white]) => `captured: Black ${black}, White ${white}`;

export const go = {
  diagram: (coordinates) => new GoDiagram(coordinates),
  man: called,
  second: (ply) => ply.color === 'white',
  record: { name: 'SGF', file: 'game.sgf' },
  // Plays are numbered one by one, and SGF notes no times.
  plots: { perMove: 1, times: false },
  plotted: 'Confidence',

  players: (players) => [icon('black'), ` ${players.black || 'Black'} – `, icon('white'), ` ${players.white || 'White'}`],

  /** A play in the list: its stone, the crossing, and what it took. */
  move(ply) {
    const stones = ply.changes.filter(([, stone]) => !stone).length;
    const made = element('span', {}, icon(ply.color), ` ${ply.name} `);
    if (stones) made.append(element('small', { title: 'stones taken' }, `−${stones}`), ' ');
    if (ply.fault) made.append(element('small', { class: 'unsure', title: 'against the rules' }, ply.fault), ' ');
    return made;
  },

  view({ stones, game }, at, now, wrong) {
    const ply = game.plies[at - 1];
    if (now) return { size: stones.size, stones: stones.stones, last: stones.last, turn: stones.to_play, ko: stones.ko, wrong };
    return { size: game.size, stones: stonesAfter(game, at), last: ply && ply.at };
  },

  words({ game, stones, tracker }) {
    if (tracker === 'no_board' && stones.problem) return [`no Go board is found: ${stones.problem}`];
    return game.result ? [game.result] : [];
  },

  /** Whose turn it is and what was taken, after `at` plays; and by which rules. */
  facts({ stones, game }, at, now) {
    if (!stones.size) return '';
    const ply = game.plies[at - 1];
    const turn = now ? stones.to_play : game.plies[at]?.color;
    const words = [];
    if (turn && !game.result) words.push(`${NAMES[turn]} to play`);
    words.push(taken(now ? stones.captured : ply?.captured ?? [0, 0]));
    if (game.rules) words.push(`${game.rules} rules${game.komi === null ? '' : `, komi ${game.komi}`}`);
    if (game.handicap) words.push(`handicap ${game.handicap}`);
    return words.join(' · ');
  },

  tile(state, wrong) {
    const { stones, last } = state;
    return {
      view: { size: stones.size, stones: stones.stones, last: stones.last, turn: stones.to_play, wrong },
      count: state.ply ? `play ${state.ply}` : '',
      last: last ? [`${last.number} `, icon(last.color), ` ${last.name}`] : ['–'],
      result: state.result,
      times: stones.size ? `captured ${stones.captured.join(' / ')}` : '',
    };
  },
};
