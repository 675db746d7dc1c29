// One board: the position, the moves, the alarms, and the ways into everything else.

import { chess } from './chess_page.js';
import { Bell, TRACKERS, byId, element, hear, theme, timeOfDay } from './common.js';
import { Controls } from './controls.js';
import { Eyes } from './eyes.js';
import { go } from './go_page.js';
import { Moves, called, walk } from './line.js';
import { Looks } from './looks.js';
import { draw } from './plots.js';

const id = decodeURIComponent(location.pathname.split('/')[2] || '');
const base = `/api/boards/${encodeURIComponent(id)}`;
const GAMES = { chess, go };
const bell = new Bell();
const controls = new Controls(id);
const eyes = new Eyes(id);
const looks = new Looks(id, (ply) => choose(ply));
// What is played there, once it is known: how it is shown, its diagram and its list of moves.
let page = null;
let diagram = null;
let moves = null;
let state = null;
// The ply that is shown; null follows the game.
let shown = null;
let told = {};

theme();
byId('whole').href = `/game/${encodeURIComponent(id)}`;
controls.begin();
controls.onallowed = () => state && controls.heard(state);

const fromHash = () => {
  const given = /^#ply=(\d+)$/.exec(location.hash);
  shown = given ? Number(given[1]) : null;
};
fromHash();
window.addEventListener('hashchange', () => { fromHash(); paint(); });

/** Prepares the page for what is played there. */
function begin(plays) {
  page = GAMES[plays];
  diagram = page.diagram(true);
  byId('diagram').replaceChildren(diagram.svg);
  moves = new Moves(byId('moves'), (ply) => choose(ply), page);
  byId('pgn').textContent = page.record.name;
  byId('pgn').href = `${base}/${page.record.file}`;
  byId('plotted').textContent = page.plotted;
  document.body.dataset.plays = plays;
  told = {};
}

/** Shows what does not change for the eye only once: `key` names it, `of` is what it is made from. */
function fresh(key, of) {
  const text = JSON.stringify(of);
  if (told[key] === text) return false;
  told[key] = text;
  return true;
}

function choose(ply) {
  if (!state) return;
  const plies = state.game.plies.length;
  shown = ply >= plies ? null : Math.max(0, ply);
  paint();
}

function paintAlarms(alarms) {
  if (!fresh('alarms', alarms)) return;
  byId('alarms').replaceChildren(...alarms.map((alarm) => {
    const restore = alarm.restore.map(([square, man]) => `${square} ${page.man(man)}`).join(', ');
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
  const plies = state.game.plies;
  const now = shown === null || shown > plies.length;
  const at = now ? plies.length : shown;
  const ply = plies[at - 1];
  const illegal = state.alarms.find((a) => a.kind === 'illegal' && a.stands);
  diagram.show(page.view(state, at, now, illegal ? illegal.squares : []));
  byId('shown').textContent = now ? 'The position now.' : `After ${called(ply)}; the game goes on at “now” (End).`;
  for (const button of ['first', 'back']) byId(button).disabled = at === 0;
  for (const button of ['forward', 'last']) byId(button).disabled = now;
  byId('share').href = `#ply=${at}`;
  const words = [state.health.gone ? 'its observer has gone' : TRACKERS[state.tracker], ...page.words(state)];
  if (state.health.silent) words.push(state.health.silent);
  byId('state').textContent = words.join(' · ');
  byId('name').textContent = state.name;
  const facts = page.facts(state, at, now);
  byId('facts-now').textContent = facts;
  byId('facts-now').hidden = !facts;
  byId('players').replaceChildren(...page.players(state.game));
  document.title = `${state.alarms.some((a) => !a.acknowledged) ? '(!) ' : ''}${state.name}`;
  moves.show(plies, at);
  paintAlarms(state.alarms);
  paintWarnings(state.warnings);
  looks.show(at, `${plies.length} ${state.warnings.length}`);
  if (fresh('plots', [plies, at])) draw(byId('plots'), plies, at, choose, page.plots);
}

hear(`${base}/events`, 'board', (next) => {
  const before = state?.game.plies.length ?? next.game.plies.length;
  if (state?.plays !== next.plays) begin(next.plays);
  state = next;
  if (state.game.plies.length > before) {
    byId('news').textContent = called(state.game.plies.at(-1));
  }
  paint();
  controls.heard(state);
  eyes.heard(state);
});

const at = () => (shown === null ? state?.game.plies.length ?? 0 : shown);
walk({ at, choose, turn: () => diagram?.turn(), more: { m: () => bell.toggle() } });
