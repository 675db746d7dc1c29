// Confidence and time of every ply, as two small plots.

import { make } from './chess.js';
import { clock } from './common.js';

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [480, 110, 46, 18];

function frame(title, low, high) {
  const svg = make('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'plot', role: 'img', 'aria-label': title });
  const label = (text, x, y, anchor = 'end') => {
    const made = make('text', { x, y, 'text-anchor': anchor });
    made.textContent = text;
    svg.append(made);
  };
  label(title, LEFT, 11, 'start');
  label(high, LEFT - 6, 26);
  label(low, LEFT - 6, HEIGHT - BOTTOM);
  svg.append(make('line', { x1: LEFT, y1: HEIGHT - BOTTOM, x2: WIDTH, y2: HEIGHT - BOTTOM, class: 'axis' }));
  return svg;
}

const down = (share) => HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - 20);

/** Draws both into `place`; `choose` is called with the ply that is clicked. */
export function draw(place, plies, shown, choose) {
  if (!plies.length) {
    place.replaceChildren();
    return;
  }
  const step = (WIDTH - LEFT) / Math.max(plies.length, 20);
  const middle = (index) => LEFT + step * (index + 0.5);
  const least = Math.min(0.9, ...plies.map((p) => p.confidence ?? 1));
  const floor = Math.floor(10 * least) / 10;
  const sure = frame('Confidence', `${Math.round(100 * floor)} %`, '100 %');
  const most = Math.max(10, ...plies.map((p) => p.took_s ?? 0));
  const time = frame('Time for the move', '0', clock(most));
  plies.forEach((ply, index) => {
    if (ply.confidence !== null) {
      const y = down((ply.confidence - floor) / (1 - floor));
      sure.append(make('circle', { cx: middle(index), cy: y, r: Math.min(3.5, step / 2 + 1), class: ply.confidence < 0.9 ? 'dot unsure' : 'dot' }));
    }
    if (ply.took_s !== null) {
      const y = down(ply.took_s / most);
      time.append(make('rect', { x: middle(index) - 0.4 * step, y, width: 0.8 * step, height: HEIGHT - BOTTOM - y, class: 'bar' }));
    }
  });
  for (const svg of [sure, time]) {
    if (shown > 0) svg.append(make('line', { x1: middle(shown - 1), y1: 16, x2: middle(shown - 1), y2: HEIGHT - BOTTOM, class: 'here' }));
    for (let k = 10; k <= plies.length; k += 10) {
      const label = make('text', { x: middle(k - 1), y: HEIGHT - 4, 'text-anchor': 'middle' });
      label.textContent = String(k);
      svg.append(label);
    }
    svg.addEventListener('click', (event) => {
      const box = svg.getBoundingClientRect();
      const index = Math.floor(((event.clientX - box.left) * WIDTH / box.width - LEFT) / step);
      if (index >= 0 && index < plies.length) choose(index + 1);
    });
  }
  place.replaceChildren(sure, time);
}
