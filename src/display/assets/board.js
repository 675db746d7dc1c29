// One board: the position, the moves, the alarms, and the ways into everything else.

import { Diagram, called, figurine } from './chess.js';
import { Bell, TRACKERS, byId, clock, element, hear, theme, timeOfDay } from './common.js';
import { Controls } from './controls.js';
import { Eyes } from './eyes.js';
import { Looks } from './looks.js';
import { draw } from './plots.js';

const id = decodeURIComponent(location.pathname.split('/')[2] || '');
const base = `/api/boards/${encodeURIComponent(id)}`;
const diagram = new Diagram();
const bell = new Bell();
const controls = new Controls(id);
const eyes = new Eyes(id);
const looks = new Looks(id, (ply) => choose(ply));
let state = null;
// The ply that is shown; null follows the game.
let shown = null;
let told = {};

theme();
byId('diagram').append(diagram.svg);
byId('pgn').href = `${base}/game.pgn`;
controls.begin();
controls.onallowed = () => state && controls.heard(state);

const fromHash = () => {
  const given = /^#ply=(\d+)$/.exec(location.hash);
  shown = given ? Number(given[1]) : null;
};
fromHash();
window.addEventListener('hashchange', () => { fromHash(); paint(); });

/** Shows what does not change for the eye only once: `key` names it, `of` is what it is made from. */
function fresh(key, of) {
  const text = JSON.stringify(of);
  if (told[key] === text) return false;
  told[key] = text;
  return true;
}

function choose(ply) {
  const plies = state.game.plies.length;
  shown = ply >= plies ? null : Math.max(0, ply);
  paint();
}

function paintMoves(plies, at) {
  if (fresh('moves', plies)) {
    const rows = [];
    plies.forEach((ply, index) => {
      const black = ply.number.endsWith('...');
      if (!black || !rows.length) {
        rows.push(element('li', {}, element('span', { class: 'no' }, ply.number.replace('...', '.'))));
        if (black) rows.at(-1).append(element('span', {}, '…'));
      }
      const unsure = ply.confidence !== null && ply.confidence < 0.9;
      const notes = [
        ply.confidence !== null ? element('small', { class: unsure ? 'unsure' : '', title: 'how sure' }, `${(100 * ply.confidence).toFixed(unsure ? 0 : 1)} %`) : null,
        ply.took_s !== null ? element('small', { title: 'time for this move' }, clock(ply.took_s)) : null,
      ];
      rows.at(-1).append(element('button', { type: 'button', 'data-ply': index + 1, title: timeOfDay(ply.stamp_s), onclick: () => choose(index + 1) }, figurine(ply.san), ...notes));
    });
    byId('moves').replaceChildren(...(rows.length ? rows : [element('li', {}, element('span'), element('span', { class: 'empty' }, 'No move yet.'))]));
    told.current = '';
  }
  if (fresh('current', at)) {
    for (const button of byId('moves').querySelectorAll('[aria-current]')) button.removeAttribute('aria-current');
    const here = byId('moves').querySelector(`[data-ply="${at}"]`);
    if (here) {
      here.setAttribute('aria-current', 'true');
      // Only the list scrolls, never the page.
      byId('moves').scrollTop = here.offsetTop - byId('moves').offsetTop - byId('moves').clientHeight / 2;
    }
  }
}

function paintAlarms(alarms) {
  if (!fresh('alarms', alarms)) return;
  byId('alarms').replaceChildren(...alarms.map((alarm) => {
    const restore = alarm.restore.map(([square, man]) => `${square} ${called(man)}`).join(', ');
    const words = element('p', {}, element('strong', {}, alarm.text),
      restore && alarm.stands ? `To restore: ${restore}.` : '',
      alarm.kind === 'illegal' && !alarm.stands ? 'It has been put right.' : '',
      alarm.acknowledged ? ' Acknowledged.' : '');
    const button = element('button', { type: 'button', class: 'main acknowledge', onclick: () => controls.acknowledge(alarm.id) }, 'Acknowledge');
    return element('div', { class: `alarm ${alarm.kind} ${alarm.acknowledged ? 'seen' : ''}`, 'data-alarm': alarm.id }, words, alarm.acknowledged ? '' : button);
  }));
  bell.ring(alarms.filter((a) => !a.acknowledged).map((a) => ({ key: String(a.id), text: a.text })));
}

function paintWarnings(warnings) {
  if (!warnings.length || !fresh('warnings', [warnings.length, warnings.at(-1)])) return;
  byId('warnings').replaceChildren(...[...warnings].reverse().map((w) =>
    element('li', { class: w.kind }, `${w.text} `, element('small', { class: 'small' }, timeOfDay(w.stamp_s)))));
}

function paint() {
  if (!state) return;
  const { game, position } = state;
  const plies = game.plies;
  const now = shown === null || shown > plies.length;
  const at = now ? plies.length : shown;
  const ply = plies[at - 1];
  const illegal = state.alarms.find((a) => a.kind === 'illegal' && a.stands);
  const view = now
    ? { fen: state.fen, last: ply && ply.uci, wrong: illegal ? illegal.squares : [], doubt: state.in_doubt }
    : { fen: ply ? ply.fen : game.start, last: ply && ply.uci };
  diagram.show(view);
  byId('shown').textContent = now ? 'The position now.' : `After ${ply ? ply.number + ' ' + ply.san : 'no move'}; the game goes on at “now” (End).`;
  for (const button of ['first', 'back']) byId(button).disabled = at === 0;
  for (const button of ['forward', 'last']) byId(button).disabled = now;
  byId('share').href = `#ply=${at}`;
  const words = [TRACKERS[state.tracker]];
  if (position.check) words.push('check');
  if (position.threefold) words.push('threefold repetition may be claimed');
  if (position.fifty_moves) words.push('fifty moves may be claimed');
  if (position.result && position.result !== '*') words.push(`${position.result} ${position.result_reason}`);
  if (state.health.silent) words.push(state.health.silent);
  byId('state').textContent = words.join(' · ');
  byId('name').textContent = state.name;
  byId('white').textContent = game.white || 'White';
  byId('black').textContent = game.black || 'Black';
  document.title = `${state.alarms.some((a) => !a.acknowledged) ? '(!) ' : ''}${state.name}`;
  paintMoves(plies, at);
  paintAlarms(state.alarms);
  paintWarnings(state.warnings);
  looks.show(at, `${plies.length} ${state.warnings.length}`);
  if (fresh('plots', [plies, at])) draw(byId('plots'), plies, at, choose);
}

hear(`${base}/events`, 'board', (next) => {
  const before = state?.game.plies.length ?? next.game.plies.length;
  state = next;
  if (state.game.plies.length > before) {
    const ply = state.game.plies.at(-1);
    byId('news').textContent = `${ply.number} ${ply.san}`;
  }
  paint();
  controls.heard(state);
  eyes.heard(state);
});

const at = () => (shown === null ? state.game.plies.length : shown);
const steps = { first: () => choose(0), back: () => choose(at() - 1), forward: () => choose(at() + 1), last: () => choose(Infinity), turn: () => diagram.turn() };
for (const [button, step] of Object.entries(steps)) byId(button).addEventListener('click', () => state && step());
const keys = { ArrowLeft: steps.back, ArrowRight: steps.forward, Home: steps.first, End: steps.last, f: steps.turn, m: () => bell.toggle() };
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, select, textarea, .editor');
  if (typing || event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys) || !state) return;
  event.preventDefault();
  keys[event.key]();
});
