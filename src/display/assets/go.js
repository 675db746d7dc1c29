// Go boards and stones, drawn by ourselves. Knows no rules: positions come row by row, X black, O white, . none.

import { label, make } from './svg.js';

/** Letters of the columns: there is no I, which looks like 1. */
const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';
/** Lines of a board of which nothing is known yet. */
const USUAL = 19;
/** Distance between lines, and from the outermost one to the edge: without coordinates, and with them. */
const [STEP, EDGE, NAMED_EDGE] = [100, 75, 130];

/** What a stone's letter is called. */
export function called(letter) {
  return { X: 'black stone', O: 'white stone' }[letter] ?? 'no stone';
}

/** A crossing by its name: `[column from the left, row from above]`. */
export function crossing(name, size) {
  return [LETTERS.indexOf(name[0]), size - Number(name.slice(1))];
}

function crossingName(column, row, size) {
  return `${LETTERS[column]}${size - row}`;
}

/** The stones after the first `at` plays of a game: as it began, and what each play has changed. */
export function stonesAfter(game, at) {
  const rows = game.start.split('\n').filter(Boolean).map((row) => [...row]);
  for (const ply of game.plies.slice(0, at)) {
    for (const [name, stone] of ply.changes) {
      const [column, row] = crossing(name, game.size);
      rows[row][column] = stone || '.';
    }
  }
  return rows.map((row) => `${row.join('')}\n`).join('');
}

/** Star points of a board, as columns and rows. */
function stars(size) {
  if (size < 7) return size % 2 ? [[(size - 1) / 2, (size - 1) / 2]] : [];
  const near = size < 13 ? 2 : 3;
  const middle = (size - 1) / 2;
  const far = size - 1 - near;
  const corners = [[near, near], [far, near], [near, far], [far, far]];
  if (size % 2 === 0) return corners;
  const sides = size < 15 ? [] : [[middle, near], [middle, far], [near, middle], [far, middle]];
  return [...corners, [middle, middle], ...sides];
}

/** A stone alone on a bit of wood, so that both colours tell themselves from light and dark pages; read aloud as its colour. */
export function icon(color) {
  const wood = make('rect', { x: 0, y: 0, width: 100, height: 100, rx: 18, class: 'wood' });
  const parts = [wood, make('circle', { cx: 50, cy: 50, r: 38, class: `stone ${color}` })];
  return make('svg', { viewBox: '0 0 100 100', class: 'pebble', role: 'img', 'aria-label': color === 'black' ? 'Black' : 'White' }, ...parts);
}

/** The position in words, for who does not see it. */
function spoken({ size, stones, turn, last }) {
  const rows = stones.split('\n');
  const of = (letter) => {
    const names = rows.flatMap((row, y) => [...row].flatMap((c, x) => (c === letter ? [crossingName(x, y, size)] : [])));
    return names.length ? names.join(', ') : 'none';
  };
  const words = [`${size} lines.`, `Black: ${of('X')}.`, `White: ${of('O')}.`];
  if (last) words.push(`Last play: ${last}.`);
  if (turn) words.push(`${turn === 'black' ? 'Black' : 'White'} to play.`);
  return words.join(' ');
}

/** A board that is drawn once for each size and then only changed. */
export class GoDiagram {
  constructor(coordinates = true) {
    this.turned = false;
    this.coordinates = coordinates;
    this.lines = make('g');
    this.stones = make('g');
    this.marks = make('g');
    this.svg = make('svg', { class: 'go', role: 'img' }, this.lines, this.stones, this.marks);
    this.told = '';
    this.size = 0;
  }

  get edge() {
    return this.coordinates ? NAMED_EDGE : EDGE;
  }

  /** Where a crossing is drawn. */
  at(column, row) {
    const last = this.size - 1;
    const [x, y] = this.turned ? [last - column, last - row] : [column, row];
    return [this.edge + STEP * x, this.edge + STEP * y];
  }

  drawLines() {
    const [low, high] = [this.edge, this.edge + STEP * (this.size - 1)];
    const side = low + high;
    this.svg.setAttribute('viewBox', `0 0 ${side} ${side}`);
    const parts = [make('rect', { x: 0, y: 0, width: side, height: side, class: 'wood' })];
    for (let k = 0; k < this.size; k++) {
      const at = low + STEP * k;
      const kind = k === 0 || k === this.size - 1 ? 'line outer' : 'line';
      parts.push(make('line', { x1: low, y1: at, x2: high, y2: at, class: kind }), make('line', { x1: at, y1: low, x2: at, y2: high, class: kind }));
    }
    for (const [column, row] of stars(this.size)) {
      const [cx, cy] = this.at(column, row);
      parts.push(make('circle', { cx, cy, r: 11, class: 'star' }));
    }
    if (this.coordinates) parts.push(this.names(side));
    this.lines.replaceChildren(...parts);
  }

  /** Letters along two sides and numbers along the others: larger on large boards, whose drawing is made smaller. */
  names(side) {
    const names = make('g', { 'aria-hidden': 'true', 'font-size': 30 + 1.2 * this.size });
    const near = (NAMED_EDGE - STEP / 2) / 2;
    for (let k = 0; k < this.size; k++) {
      const [x, y] = this.at(k, k);
      for (const beside of [near, side - near]) {
        names.append(label(LETTERS[k], { x, y: beside, class: 'name' }), label(String(this.size - k), { x: beside, y, class: 'name' }));
      }
    }
    return names;
  }

  turn() {
    this.turned = !this.turned;
    const now = this.now;
    [this.told, this.size] = ['', 0];
    if (now) this.show(now);
  }

  /** Shows `{ size, stones, last, turn, ko, wrong: [names] }`; a board that is not known yet is an empty one. */
  show(now) {
    const told = JSON.stringify(now);
    if (told === this.told) return;
    [this.told, this.now] = [told, now];
    const size = now.size || USUAL;
    if (size !== this.size) {
      this.size = size;
      this.drawLines();
    }
    const rows = now.stones.split('\n');
    const stones = rows.flatMap((row, y) => [...row].flatMap((c, x) => {
      if (c !== 'X' && c !== 'O') return [];
      const [cx, cy] = this.at(x, y);
      return [make('circle', { cx, cy, r: 48, class: `stone ${c === 'X' ? 'black' : 'white'}` })];
    }));
    this.stones.replaceChildren(...stones);
    this.marks.replaceChildren(...this.drawMarks(now, rows));
    this.svg.setAttribute('aria-label', spoken({ ...now, size }));
  }

  drawMarks(now, rows) {
    const marks = [];
    if (now.last) {
      const [column, row] = crossing(now.last, this.size);
      const [cx, cy] = this.at(column, row);
      marks.push(make('circle', { cx, cy, r: 23, class: `last ${rows[row]?.[column] === 'X' ? 'on-black' : 'on-white'}` }));
    }
    const square = (name, half, kind) => {
      const [x, y] = this.at(...crossing(name, this.size));
      marks.push(make('rect', { x: x - half, y: y - half, width: 2 * half, height: 2 * half, class: kind }));
    };
    if (now.ko) square(now.ko, 22, 'ko');
    for (const name of now.wrong || []) square(name, 52, 'wrong');
    return marks;
  }
}
