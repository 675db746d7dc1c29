// Boards and men, drawn by ourselves. Knows no rules: positions come as FEN.

import { make } from './svg.js';

const BASE = 'M26 88h48v-5q0-7-7-7H33q-7 0-7 7z';
// Outlines on 100 × 100, and lines inside them.
const MEN = {
  p: ['M50 22a13 13 0 0 1 9 22.500c5 8 7 19 8 31.500H33c1-12.500 3-23.500 8-31.500A13 13 0 0 1 50 22z'],
  r: ['M28 20h12v8h5v-8h10v8h5v-8h12v20l-8 7 3 29H33l3-29-8-7z', 'M37 47h26'],
  n: ['M35 76c-2-15 8-21 12-31-6 3-9 7-14 10-5 2-11-3-10-9 3-8 9-13 13-20-1-4 0-8 1-12 5 1 8 4 10 7 18 1 28 15 28 36 0 7-1 13-2 19z', 'M39 33l4 2M31 47l3 -1'],
  b: ['M50 12a6 6 0 0 1 4 10.500c9 7 14 16 14 24 0 8-4 12-9 15 2 5 4 9 4 14.500H37c0-5.500 2-9.500 4-14.500-5-3-9-7-9-15 0-8 5-17 14-24A6 6 0 0 1 50 12z', 'M56 30l-9 15M41 62h18'],
  q: ['M50 14a5 5 0 0 1 2 9.500l7 19 8-18.500a5 5 0 1 1 5 1.500v19l8-9.500a5 5 0 1 1 4 4l-11 37H27L16 40a5 5 0 1 1 4-4l8 9.500v-19a5 5 0 1 1 5-1.500l8 18.500 7-19a5 5 0 0 1 2-9.500z', 'M30 66h40'],
  k: ['M46 10h8v7h7v7h-7v9c7-5 24-4 25 10 1 12-9 21-12 33H33c-3-12-13-21-12-33 1-14 18-15 25-10v-9h-7v-7h7z', 'M50 33v35M33 66h34'],
};
const NAMES = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

function parts(role) {
  const [outline, detail] = MEN[role];
  const paths = [make('path', { d: outline }), make('path', { d: BASE })];
  if (detail) paths.push(make('path', { d: detail, class: 'detail' }));
  return paths;
}

/** A man of a FEN letter as a group at the square's corner. */
function man(letter, x, y) {
  const color = letter === letter.toLowerCase() ? 'b' : 'w';
  return make('g', { class: `man ${color}`, transform: `translate(${x} ${y})` }, ...parts(letter.toLowerCase()));
}

/** A man alone, for a button. */
export function figure(letter) {
  return make('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, man(letter, 0, 0));
}

/** What a man of a FEN letter is called. */
export function called(letter) {
  if (!letter) return 'empty';
  return `${letter === letter.toLowerCase() ? 'black' : 'white'} ${NAMES[letter.toLowerCase()]}`;
}

/** The 64 letters of a FEN, a1, b1, … h8; empty strings for empty squares. */
export function placement(fen) {
  const rows = (fen || '').split(' ')[0].split('/');
  const squares = Array(64).fill('');
  rows.forEach((row, down) => {
    let file = 0;
    for (const c of row) {
      if (c >= '1' && c <= '8') file += Number(c);
      else squares[8 * (7 - down) + file++] = c in MEN || c.toLowerCase() in MEN ? c : '';
    }
  });
  return squares;
}

export function squareName(index) {
  return 'abcdefgh'[index % 8] + (1 + Math.floor(index / 8));
}

export function squareIndex(name) {
  return 'abcdefgh'.indexOf(name[0]) + 8 * (Number(name[1]) - 1);
}

/** The position in words, for who does not see it. */
export function spoken(fen) {
  const men = placement(fen);
  const of = (white) => men.map((m, i) => [m, i]).filter(([m]) => m && (m !== m.toLowerCase()) === white)
    .sort((a, b) => 'kqrbnp'.indexOf(a[0].toLowerCase()) - 'kqrbnp'.indexOf(b[0].toLowerCase()))
    .map(([m, i]) => `${NAMES[m.toLowerCase()]} ${squareName(i)}`).join(', ');
  const turn = (fen || '').split(' ')[1] === 'b' ? 'Black' : 'White';
  return `White: ${of(true)}. Black: ${of(false)}. ${turn} to move.`;
}

/** A board that is drawn once and then only changed. */
export class Diagram {
  constructor(coordinates = true) {
    this.turned = false;
    this.marks = make('g');
    this.men = make('g');
    this.squares = make('g');
    this.names = make('g', { 'aria-hidden': 'true' });
    this.coordinates = coordinates;
    this.svg = make('svg', { viewBox: '0 0 800 800', class: 'chess', role: 'img' }, this.squares, this.marks, this.men, this.names);
    this.told = '';
    this.last = [];
    this.drawSquares();
  }

  corner(index) {
    const [file, rank] = [index % 8, Math.floor(index / 8)];
    return this.turned ? [700 - 100 * file, 100 * rank] : [100 * file, 700 - 100 * rank];
  }

  drawSquares() {
    this.squares.replaceChildren(...Array.from({ length: 64 }, (_, i) => {
      const [x, y] = this.corner(i);
      return make('rect', { x, y, width: 100, height: 100, class: (i % 8 + Math.floor(i / 8)) % 2 ? 'l' : 'd' });
    }));
    this.names.replaceChildren();
    if (!this.coordinates) return;
    for (let k = 0; k < 8; k++) {
      const [file, rank] = this.turned ? [7 - k, k] : [k, 7 - k];
      const letter = make('text', { x: 100 * k + 84, y: 795 });
      letter.textContent = 'abcdefgh'[file];
      const number = make('text', { x: 4, y: 100 * k + 18 });
      number.textContent = String(rank + 1);
      this.names.append(letter, number);
    }
  }

  turn() {
    this.turned = !this.turned;
    this.drawSquares();
    const told = this.now;
    this.told = '';
    if (told) this.show(told);
  }

  /** Shows `{ fen, last: uci, wrong: [names], doubt: [indices] }`. */
  show(now) {
    const told = JSON.stringify(now);
    if (told === this.told) return;
    this.told = told;
    this.now = now;
    const marks = [];
    const mark = (kind, index, inset) => {
      const [x, y] = this.corner(index);
      marks.push(make('rect', { x: x + inset, y: y + inset, width: 100 - 2 * inset, height: 100 - 2 * inset, class: kind }));
    };
    for (const at of [0, 2]) if (now.last) mark('last', squareIndex(now.last.slice(at, at + 2)), 0);
    for (const index of now.doubt || []) mark('doubt', index, 6);
    for (const name of now.wrong || []) mark('wrong', squareIndex(name), 3);
    this.marks.replaceChildren(...marks);
    const men = placement(now.fen);
    this.men.replaceChildren(...men.flatMap((m, i) => (m ? [man(m, ...this.corner(i))] : [])));
    this.svg.setAttribute('aria-label', spoken(now.fen));
  }
}

/** SAN with a drawn man before it; read aloud as it is written. */
export function figurine(san) {
  const text = document.createElement('span');
  text.setAttribute('aria-label', san);
  text.setAttribute('role', 'text');
  for (const c of san) {
    if ('KQRBN'.includes(c)) {
      text.append(make('svg', { viewBox: '8 6 84 84', class: 'fig', 'aria-hidden': 'true' }, ...parts(c.toLowerCase())));
    } else {
      text.append(c);
    }
  }
  return text;
}
