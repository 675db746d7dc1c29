// Confidence and time of every ply, drawn as the evaluation's report draws: measured in blue, what is to be looked at in
// vermilion, rules that help to read a value.

import { clock, element } from './common.js';
import { UNSURE, called } from './line.js';
import { make } from './svg.js';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [560, 170, 56, 10, 22, 30];
/** So many plies have room at least: a short game is not drawn as a few broad bars. */
const LEAST_PLIES = 20;

/** A plot with its title and rules; `ticks` are `[share of the height, text]`. */
function frame(title, says, ticks) {
  const svg = make('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', role: 'img', 'aria-label': says });
  svg.append(text(title, LEFT, 13, 'start', 'title'));
  for (const [share, label] of ticks) {
    const y = down(share);
    svg.append(make('line', { x1: LEFT, y1: y, x2: WIDTH - RIGHT, y2: y, class: share ? 'rule' : 'axis' }), text(label, LEFT - 8, y + 4, 'end'));
  }
  return svg;
}

function text(words, x, y, anchor, kind = '') {
  const made = make('text', { x, y, 'text-anchor': anchor, class: kind });
  made.textContent = words;
  return made;
}

const down = (share) => HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);

/** In words what the plot of confidences shows. */
function saysSure(plies) {
  const known = plies.filter((p) => p.confidence !== null);
  if (!known.length) return 'Confidence of each move: not known.';
  const least = known.reduce((a, b) => (b.confidence < a.confidence ? b : a));
  const unsure = known.filter((p) => p.confidence < UNSURE).length;
  return `Confidence of each move: least ${(100 * least.confidence).toFixed(1)} percent at ${called(least)}; ${unsure} of ${known.length} below ${100 * UNSURE} percent.`;
}

/** In words what the plot of times shows. */
function saysTime(plies) {
  const known = plies.filter((p) => p.took_s !== null);
  if (!known.length) return 'Time for each move: not noted.';
  const most = known.reduce((a, b) => (b.took_s > a.took_s ? b : a));
  return `Time for each move: longest ${clock(most.took_s)} for ${called(most)}.`;
}

/** Draws both into `place`; `choose` is called with the ply that is clicked. Of `perMove` plies the first is numbered. */
export function draw(place, plies, shown, choose, { empty = '', perMove = 2, times = true } = {}) {
  if (!plies.length) {
    place.replaceChildren(element('p', { class: 'empty' }, empty));
    return;
  }
  const step = (WIDTH - LEFT - RIGHT) / Math.max(plies.length, LEAST_PLIES);
  const middle = (index) => LEFT + step * (index + 0.5);
  const least = Math.min(UNSURE, ...plies.map((p) => p.confidence ?? 1));
  const floor = Math.floor(10 * least) / 10;
  const at = (confidence) => (confidence - floor) / (1 - floor);
  const half = (1 + floor) / 2;
  const sure = frame('Confidence', saysSure(plies), [[0, `${Math.round(100 * floor)} %`], [0.5, `${Math.round(100 * half)} %`], [1, '100 %']]);
  const most = Math.max(10, ...plies.map((p) => p.took_s ?? 0));
  const time = frame('Time for the move, White and Black', saysTime(plies), [[0, '0'], [0.5, clock(most / 2)], [1, clock(most)]]);
  plies.forEach((ply, index) => {
    const tip = (words) => { const made = make('title'); made.textContent = `${called(ply)}: ${words}`; return made; };
    if (ply.confidence !== null) {
      sure.append(make('circle', { cx: middle(index), cy: down(at(ply.confidence)), r: Math.max(1.5, Math.min(4, step / 2)), class: ply.confidence < UNSURE ? 'dot unsure' : 'dot' }, tip(`${(100 * ply.confidence).toFixed(1)} %`)));
    }
    if (ply.took_s !== null) {
      const y = down(ply.took_s / most);
      const side = ply.number.endsWith('...') ? 'bar black' : 'bar';
      time.append(make('rect', { x: middle(index) - 0.4 * step, y, width: 0.8 * step, height: HEIGHT - BOTTOM - y, class: side }, tip(clock(ply.took_s))));
    }
  });
  // Numbers of moves, not of plies: those that players know.
  const every = [5, 10, 20, 40].find((k) => perMove * k * step > 40) ?? 80;
  for (const svg of [sure, time]) {
    if (shown > 0) svg.append(make('line', { x1: middle(shown - 1), y1: TOP - 4, x2: middle(shown - 1), y2: HEIGHT - BOTTOM, class: 'here' }));
    plies.forEach((ply, index) => {
      const number = Number.parseInt(ply.number, 10);
      if (!ply.number.endsWith('...') && (number === 1 || number % every === 0)) svg.append(text(String(number), middle(index), HEIGHT - BOTTOM + 14, 'middle'));
    });
    svg.append(text('move', WIDTH - RIGHT, HEIGHT - 4, 'end'));
    svg.addEventListener('click', (event) => {
      const box = svg.getBoundingClientRect();
      const index = Math.floor(((event.clientX - box.left) * WIDTH / box.width - LEFT) / step);
      if (index >= 0 && index < plies.length) choose(index + 1);
    });
  }
  place.replaceChildren(sure, ...(times ? [time] : []));
}
