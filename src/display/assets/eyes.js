// The camera's picture: as it is, drawn in, seen from above, and what has changed. Fetched only while it is shown.

import { called, placement, squareName } from './chess.js';
import { byId, element, read } from './common.js';

const SIDE = 384;
const MARGIN = 0.5;
/** Part of the step beside a point by which it may differ: half a pixel of this picture, which is made from the nearest pixels. */
const SHAKE = 0.5;
/** The least noise, in grey levels, that the observer reckons with. */
const LEAST_NOISE = 2;

/** The observer's own threshold of change now, in grey levels; null while it has not looked. */
export function thresholdOf(sight) {
  if (!sight || sight.change_threshold === null || sight.noise_levels === null) return null;
  return sight.change_threshold * Math.max(sight.noise_levels, LEAST_NOISE);
}

/** The homography that takes board coordinates (0..8 from a1) to the picture, from its corners a1, h1, h8, a8. */
export function boardToPicture(c) {
  const [x0, y0, x1, y1, x2, y2, x3, y3] = c;
  const [dx1, dx2, dy1, dy2] = [x1 - x2, x3 - x2, y1 - y2, y3 - y2];
  const [sx, sy] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
  const det = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / det;
  const h = (dx1 * sy - sx * dy1) / det;
  const [a, b, d, e] = [x1 - x0 + g * x1, x3 - x0 + h * x3, y1 - y0 + g * y1, y3 - y0 + h * y3];
  return (u, v) => {
    const [s, t] = [u / 8, v / 8];
    const w = g * s + h * t + 1;
    return [(a * s + b * t + x0) / w, (d * s + e * t + y0) / w];
  };
}

/** The board's corners as those of chess run: lower left, lower right, upper right, upper left. Go names them from above. */
function fromBelow(state) {
  const c = state?.corners || [];
  return state?.plays === 'go' && c.length === 8 ? [6, 7, 4, 5, 2, 3, 0, 1].map((i) => c[i]) : c;
}

/** The board from above, White at the bottom, with half a square around it. */
function straighten(source, corners) {
  const map = boardToPicture(corners);
  const out = new ImageData(SIDE, SIDE);
  const span = 8 + 2 * MARGIN;
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const [px, py] = map((x + 0.5) / SIDE * span - MARGIN, 8 + MARGIN - (y + 0.5) / SIDE * span);
      const [i, j] = [Math.round(px), Math.round(py)];
      const to = 4 * (y * SIDE + x);
      out.data[to + 3] = 255;
      if (i < 0 || j < 0 || i >= source.width || j >= source.height) continue;
      const from = 4 * (j * source.width + i);
      for (let k = 0; k < 3; k++) out.data[to + k] = source.data[from + k];
    }
  }
  return out;
}

/** Grey levels of a picture. */
function greys({ data }) {
  const grey = new Float32Array(SIDE * SIDE);
  for (let i = 0; i < grey.length; i++) grey[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
  return grey;
}

/**
 * What differs by more than `least` grey levels, in red over the faded picture. As the observer has it, a point beside a
 * step has to differ by a part of that step besides: a picture that shakes by less than a pixel changes nothing.
 */
function difference(now, before, least) {
  const out = new ImageData(SIDE, SIDE);
  const [a, b] = [greys(now), greys(before)];
  for (let i = 0; i < a.length; i++) {
    const step = Math.max(...[1, -1, SIDE, -SIDE].map((beside) => Math.abs(b[i] - (b[i + beside] ?? b[i]))));
    const changed = Math.abs(a[i] - b[i]) > least + SHAKE * step;
    const pale = 90 + a[i] / 2;
    out.data.set(changed ? [230, 40, 40, 255] : [pale, pale, pale, 255], 4 * i);
  }
  return out;
}

/** Fetches pictures of a board one after another until `stopped()`; hands each to `take(bitmap)`. */
export async function follow(id, view, stopped, take) {
  let number = 0;
  while (!stopped()) {
    try {
      const response = await fetch(`/api/boards/${encodeURIComponent(id)}/picture.jpg?view=${view}&after=${number}`);
      if (response.status === 200) {
        number = Number(response.headers.get('x-picture'));
        const bitmap = await createImageBitmap(await response.blob());
        if (!stopped()) take(bitmap);
        bitmap.close();
      } else if (response.status !== 204) {
        await new Promise((done) => setTimeout(done, 2000));
      } else if (!stopped()) {
        take(null);
      }
    } catch {
      await new Promise((done) => setTimeout(done, 2000));
    }
  }
}

export class Eyes {
  constructor(id) {
    this.id = id;
    this.turn = 0;
    this.state = null;
    // Grey levels that somebody has set; null follows the observer.
    this.own = null;
    for (const button of document.querySelectorAll('#views button')) {
      button.addEventListener('click', () => this.choose(button.dataset.view));
    }
    // Nobody looks at a hidden page.
    document.addEventListener('visibilitychange', () => this.choose(document.hidden ? 'off' : this.view || 'off', true));
  }

  choose(view, keep = false) {
    if (!keep) this.view = view;
    this.turn += 1;
    const mine = this.turn;
    const stopped = () => this.turn !== mine;
    for (const button of document.querySelectorAll('#views button')) {
      button.setAttribute('aria-pressed', String(button.dataset.view === view));
    }
    const place = byId('eyes');
    this.sayThreshold = null;
    if (view === 'off') {
      place.replaceChildren(element('p', { class: 'empty' }, 'Choose a picture. It is sent only while somebody looks.'));
    } else if (view === 'squares') {
      this.showSquares(place, stopped);
    } else {
      this.showPicture(place, view, stopped);
    }
  }

  /** The board's newest state: where its corners are, how many plies were played. */
  heard(state) {
    if (this.state && state.ply !== this.state.ply) this.before = null;
    this.state = state;
    this.sayThreshold?.();
  }

  showPicture(place, view, stopped) {
    const canvas = element('canvas', { role: 'img', 'aria-label': 'The camera’s picture' });
    const note = element('p', { class: 'small', role: 'status' }, 'Waiting for a picture…');
    place.replaceChildren(canvas, note);
    if (view === 'change') place.append(this.slider());
    const wanted = view === 'overlay' ? 'overlay' : 'camera';
    const hidden = document.createElement('canvas');
    follow(this.id, wanted, stopped, (bitmap) => {
      if (!bitmap) {
        note.textContent = 'No picture comes: is the camera running?';
        return;
      }
      note.textContent = '';
      if (view === 'overlay' || view === 'camera') {
        [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
        canvas.getContext('2d').drawImage(bitmap, 0, 0);
        return;
      }
      const corners = fromBelow(this.state);
      if (corners.length !== 8) {
        note.textContent = 'The board has not been found: there is nothing to see from above.';
        return;
      }
      [hidden.width, hidden.height] = [bitmap.width, bitmap.height];
      const context = hidden.getContext('2d', { willReadFrequently: true });
      context.drawImage(bitmap, 0, 0);
      const above = straighten(context.getImageData(0, 0, hidden.width, hidden.height), corners);
      [canvas.width, canvas.height] = [SIDE, SIDE];
      if (view === 'change') {
        if (!this.before && this.state.tracker === 'following') this.before = above;
        const drawn = this.before ? difference(above, this.before, this.least()) : above;
        canvas.getContext('2d').putImageData(drawn, 0, 0);
        note.textContent = this.before ? 'Red: differs from the first picture after the last move.' : 'Waiting for a board at rest.';
      } else {
        canvas.getContext('2d').putImageData(above, 0, 0);
      }
    });
  }

  /** Grey levels from which a point is red. */
  least() {
    return this.own ?? thresholdOf(this.state?.sight) ?? 30;
  }

  /** The observer's threshold, and one's own to compare. */
  slider() {
    const input = element('input', { type: 'range', min: 2, max: 120, step: 0.5, id: 'least' });
    const label = element('label', { for: 'least', class: 'small', id: 'threshold' });
    const back = element('button', { type: 'button', id: 'as-observer', onclick: () => { this.own = null; this.sayThreshold(); } }, 'As the observer');
    this.sayThreshold = () => {
      const sight = this.state?.sight;
      const observers = thresholdOf(sight);
      input.value = this.least();
      back.setAttribute('aria-pressed', String(this.own === null));
      const theirs = observers === null ? 'The observer has not looked yet.'
        : `The observer’s threshold now: ${sight.change_threshold.toFixed(2)} standard deviations of the noise, ${observers.toFixed(1)} grey levels of 255.`;
      label.textContent = this.own === null ? theirs : `${theirs} This picture: ${this.own} grey levels.`;
    };
    input.addEventListener('input', () => { this.own = Number(input.value); this.sayThreshold(); });
    this.sayThreshold();
    return element('div', {}, label, element('div', { class: 'row' }, input, back));
  }

  async showSquares(place, stopped) {
    const grid = element('div', { class: 'evidence' });
    const note = element('p', { class: 'small' }, 'Of every square: what stands there by the game; how probably it is empty, white, black; how probably it has changed; how much of it can be seen. Hatched: something is over it.');
    place.replaceChildren(grid, note);
    while (!stopped()) {
      let squares = null;
      try { squares = await read(`/api/boards/${encodeURIComponent(this.id)}/squares`); } catch { /* asked again below */ }
      if (stopped()) return;
      if (squares) grid.replaceChildren(...this.cells(squares));
      else note.textContent = 'The board has not been looked at yet.';
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  cells(squares) {
    const men = placement(this.state?.fen || '');
    const percent = (p) => `${Math.round(100 * p)}`;
    return Array.from({ length: 64 }, (_, place) => {
      const i = 8 * (7 - Math.floor(place / 8)) + place % 8;
      const p = squares.occupancy.slice(3 * i, 3 * i + 3);
      const doubt = Math.max(...p) < 0.95;
      return element('div', { class: `${doubt ? 'doubt' : ''} ${squares.covered[i] ? 'covered' : ''}`, title: `${squareName(i)}: ${called(men[i])}` },
        element('b', {}, `${men[i]}${squareName(i)}`), element('br'), p.map(percent).join('·'), element('br'),
        `Δ${percent(squares.changed[i])} ◐${percent(squares.reliability[i])}`);
    });
  }
}
