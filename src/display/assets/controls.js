// Hands on: what a person may ask of the observer. Every button shows the observer's own answer.

import { called, figure, placement, squareIndex, squareName } from './chess.js';
import { ask, byId, element, read, token } from './common.js';
import { boardToPicture, follow } from './eyes.js';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export class Controls {
  constructor(id) {
    this.base = `/api/boards/${encodeURIComponent(id)}`;
    this.id = id;
    this.state = null;
    this.allowed = false;
  }

  async begin() {
    const about = await read('/api/about');
    byId('hands').hidden = !about.controls;
    if (!about.controls) return;
    byId('token-form').addEventListener('submit', (event) => {
      event.preventDefault();
      token.set(byId('token').value.trim());
      this.enter();
    });
    if (token.get()) this.enter();
  }

  async enter() {
    const answer = await ask('/api/token');
    this.allowed = answer.success;
    if (!answer.success) return this.say(answer);
    byId('token-form').hidden = true;
    byId('controls').hidden = false;
    this.say({ success: true, message: 'You have control.' });
    this.onallowed?.();
    return undefined;
  }

  say(answer) {
    const line = byId('answer');
    line.textContent = answer.message;
    line.className = answer.success ? 'yes' : 'no';
  }

  async send(command) {
    const answer = await ask(`${this.base}/commands`, command);
    this.say(answer);
    return answer;
  }

  async acknowledge(alarm) {
    if (!this.allowed) {
      byId('token').focus();
      return this.say({ success: false, message: 'Acknowledging needs the token.' });
    }
    return this.say(await ask(`${this.base}/acknowledge`, { alarm }));
  }

  heard(state) {
    this.state = state;
    if (!this.allowed) return;
    if (this.built !== state.plays) this.build(state.plays);
    byId('pause').textContent = state.tracker === 'paused' ? 'Go on' : 'Pause';
    if (state.plays !== 'chess') return;
    const number = byId('correct-ply');
    // What somebody has typed stays until it is sent.
    if (document.activeElement !== number && !number.dataset.typed && !byId('correct-move').value) number.value = Math.max(1, state.ply);
    const doubtful = state.tracker === 'doubt' || state.alarms.some((a) => a.kind === 'uncertain' && a.stands);
    byId('choices').hidden = !doubtful;
    if (doubtful) this.offer(state);
  }

  /** Offers what observers of this game carry out. */
  build(plays) {
    this.built = plays;
    const button = (name, id, press) => element('button', { type: 'button', id, onclick: press }, name);
    const group = (title, id, ...parts) => element('fieldset', { id }, element('legend', {}, title), ...parts);
    const pick = (id, says, options) => element('select', { id, 'aria-label': says }, ...options.map(([value, text]) => element('option', { value }, text)));
    const field = (label, id, value = '') => element('label', { for: id }, label, element('span', { class: 'row' }, element('input', { id, value, autocomplete: 'off' })));
    const now = [
      button('Capture now', 'capture', () => this.send({ command: 'capture' })),
      button('Pause', 'pause', () => this.send({ command: 'pause', on: this.state?.tracker !== 'paused' }))];
    const names = [field('White', 'new-white'), field('Black', 'new-black')];
    const newGame = group('New game', 'new-group', element('div', { class: 'row' }, ...(plays === 'go' ? names.reverse() : names)),
      element('div', { class: 'buttons' }, button('Begin a new game', 'new-game', () => this.send({
        command: 'new_game', fen: '', white: byId('new-white').value.trim(), black: byId('new-black').value.trim() }))));
    if (plays === 'go') {
      byId('controls').replaceChildren(element('div', { class: 'buttons' }, ...now), newGame);
      return;
    }
    byId('controls').replaceChildren(
      group('Which one was played?', 'choices', element('div', { id: 'offers' })),
      element('div', { class: 'buttons' }, ...now,
        button('Take back one ply', 'take-back', () => this.send({ command: 'take_back', plies: 1 }))),
      group('A move ends', 'mode-group', element('div', { class: 'row' },
        pick('mode', 'A move ends', [['automatic', 'when the board is at rest'], ['semi_automatic', 'at rest, or at “Capture now”'], ['manual', 'only at “Capture now”']]),
        button('Set', 'set-mode', () => this.send({ command: 'set_mode', mode: byId('mode').value })))),
      group('Correct a move', 'correct-group', element('div', { class: 'row' },
        element('label', { for: 'correct-ply' }, 'Ply ', element('input', { id: 'correct-ply', type: 'number', min: 1, value: Math.max(1, this.state?.ply || 1), oninput: (event) => { event.target.dataset.typed = 'yes'; } })),
        element('label', { for: 'correct-move' }, 'was ', element('input', { id: 'correct-move', size: 7, placeholder: 'Nf3', autocomplete: 'off' })),
        button('Correct', 'correct', () => {
          delete byId('correct-ply').dataset.typed;
          return this.send({ command: 'correct_move', ply: Number(byId('correct-ply').value), move: byId('correct-move').value });
        }))),
      group('Result', 'result-group', element('div', { class: 'row' },
        pick('result', 'Result', [['1-0', '1-0 White wins'], ['0-1', '0-1 Black wins'], ['1/2-1/2', '½-½ draw'], ['*', '* the game goes on']]),
        button('Set', 'set-result', () => this.send({ command: 'set_result', result: byId('result').value })))),
      newGame,
      group('Position on the board', 'editor-group', button('Edit a position', 'edit', () => this.edit())),
      group('Where is the board?', 'locate-group', element('div', { class: 'buttons' },
        button('Search again', 'search', () => this.send({ command: 'locate_board', corners: [] })),
        button('Drag the corners', 'drag', () => this.locate()))));
    byId('choices').hidden = true;
  }

  /** The observer's own explanations of an uncertain look, the likeliest first. */
  offer({ choices, fen, position }) {
    // While nothing is another move, the buttons stay where they are under somebody's finger.
    const told = JSON.stringify([fen, choices.map((c) => c.uci)]);
    const percent = (choice) => `${(100 * choice.probability).toFixed(1)} %`;
    if (told === this.offered) {
      choices.forEach((choice, i) => { byId('offers').children[i].lastChild.textContent = percent(choice); });
      return;
    }
    this.offered = told;
    const buttons = choices.map((choice) => element('button', {
      type: 'button', class: 'choice', 'data-move': choice.uci, onclick: async () => {
        if (!choice.uci) return this.say({ success: true, message: 'Nothing was played: the observer goes on looking.' });
        if (this.state.fen !== fen) return this.say({ success: false, message: 'The position has changed meanwhile.' });
        return this.send({ command: 'correct_move', ply: position.ply + 1, move: choice.uci });
      },
    }, element('span', {}, choice.san || 'nothing yet'), element('span', {}, percent(choice))));
    byId('offers').replaceChildren(...(buttons.length ? buttons : [element('p', { class: 'small' }, 'The observer has no explanation: correct a move, or set the position.')]));
  }

  /** A board to set up, by mouse, touch or keys. */
  edit() {
    const men = placement(this.state?.fen || START);
    let held = '';
    const draw = (cell, i) => {
      cell.replaceChildren(...(men[i] ? [figure(men[i])] : []));
      cell.setAttribute('aria-label', `${squareName(i)}, ${called(men[i])}`);
    };
    const put = (i, letter) => { men[i] = letter; draw(cells[i], i); };
    const cells = Array.from({ length: 64 }, (_, i) => element('button', {
      type: 'button', 'data-square': squareName(i), tabindex: i === 4 ? 0 : -1, class: (i % 8 + Math.floor(i / 8)) % 2 ? 'l' : 'd',
      onclick: () => put(i, men[i] === held ? '' : held),
      onkeydown: (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 8, ArrowDown: -8 }[event.key];
        if (step && i + step >= 0 && i + step < 64) cells[i + step].focus();
        else if (event.key.length === 1 && 'pnbrqkPNBRQK'.includes(event.key)) put(i, event.key);
        else if (event.key === 'Delete' || event.key === 'Backspace') put(i, '');
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
    }));
    cells.forEach(draw);
    const rows = Array.from({ length: 64 }, (_, place) => cells[8 * (7 - Math.floor(place / 8)) + place % 8]);
    const palette = ['', ...'KQRBNPkqrbnp'].map((letter) => element('button', {
      type: 'button', 'aria-label': letter ? called(letter) : 'clear a square', 'aria-pressed': String(letter === held), 'data-man': letter,
      onclick: (event) => {
        held = letter;
        for (const other of event.currentTarget.parentElement.children) other.setAttribute('aria-pressed', String(other === event.currentTarget));
      },
    }, letter ? figure(letter) : '✕'));
    const [, turn = 'w', rights = 'KQkq'] = (this.state?.fen || START).split(' ');
    const side = element('select', { id: 'editor-turn', 'aria-label': 'Who is to move' }, element('option', { value: 'w' }, 'White to move'), element('option', { value: 'b' }, 'Black to move'));
    side.value = turn;
    const castling = element('input', { id: 'editor-rights', value: rights, size: 5 });
    const fen = () => {
      const rank = (r) => men.slice(8 * r, 8 * r + 8).map((m) => m || '1').join('').replace(/1+/g, (empty) => empty.length);
      return `${[7, 6, 5, 4, 3, 2, 1, 0].map(rank).join('/')} ${side.value} ${castling.value.trim() || '-'} - 0 1`;
    };
    const all = (text) => placement(text).forEach((letter, i) => put(i, letter));
    const press = (name, id, action) => element('button', { type: 'button', id, onclick: action }, name);
    byId('editor-group').replaceChildren(element('legend', {}, 'Position on the board'),
      element('p', { class: 'small' }, 'Choose a man, then squares. Keys: arrows move, K Q R B N P put a white man, k q r b n p a black one, Delete clears.'),
      element('div', { class: 'palette', role: 'group', 'aria-label': 'Men' }, ...palette),
      element('div', { class: 'editor', role: 'group', 'aria-label': 'Board' }, ...rows),
      element('div', { class: 'row' }, side, element('label', { for: 'editor-rights' }, 'Castling ', castling)),
      element('div', { class: 'buttons' },
        press('Usual position', 'editor-start', () => all(START)), press('Empty', 'editor-empty', () => all('8/8/8/8/8/8/8/8')),
        press('It stands like this', 'editor-set', () => this.send({ command: 'set_position', fen: fen() })),
        press('New game from here', 'editor-new', () => this.send({ command: 'new_game', fen: fen() }))));
    cells[squareIndex('e1')].focus();
  }

  /** Four corners on the camera's picture, to be dragged by hand or by arrow keys. */
  locate() {
    const canvas = element('canvas', { 'aria-label': 'Drag the corners of the 64 squares', tabindex: 0 });
    const note = element('p', { class: 'small', role: 'status' }, 'Waiting for a picture…');
    const names = ['a1', 'h1', 'h8', 'a8'];
    const picker = element('select', { id: 'corner', 'aria-label': 'Corner' }, ...names.map((n, i) => element('option', { value: i }, n)));
    let corners = [...(this.state?.corners || [])];
    let picture = null;
    let closed = false;
    const paint = () => {
      if (!picture) return;
      const c = canvas.getContext('2d');
      c.putImageData(picture, 0, 0);
      const unit = canvas.width / 200;
      [c.strokeStyle, c.lineWidth] = ['#ffd23f', unit / 2];
      const map = boardToPicture(corners);
      c.beginPath();
      for (let k = 0; k <= 8; k++) {
        c.moveTo(...map(k, 0)); c.lineTo(...map(k, 8));
        c.moveTo(...map(0, k)); c.lineTo(...map(8, k));
      }
      c.stroke();
      names.forEach((name, k) => {
        const [x, y] = corners.slice(2 * k, 2 * k + 2);
        c.beginPath();
        c.arc(x, y, 3 * unit, 0, 7);
        c.fillStyle = String(k) === picker.value ? '#ff5a36' : '#ffd23f';
        c.fill();
        [c.fillStyle, c.font] = ['#000', `${4 * unit}px sans-serif`];
        c.fillText(name, x - 2.5 * unit, y + 1.4 * unit);
      });
    };
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) * canvas.width / box.width, (event.clientY - box.top) * canvas.height / box.height];
    };
    let dragged = -1;
    canvas.addEventListener('pointerdown', (event) => {
      const [x, y] = at(event);
      const far = (k) => Math.hypot(corners[2 * k] - x, corners[2 * k + 1] - y);
      dragged = [0, 1, 2, 3].reduce((best, k) => (far(k) < far(best) ? k : best), 0);
      picker.value = String(dragged);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (dragged < 0) return;
      corners.splice(2 * dragged, 2, ...at(event));
      paint();
    });
    canvas.addEventListener('pointerup', () => { dragged = -1; });
    canvas.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      const k = 2 * Number(picker.value);
      const far = event.shiftKey ? 10 : 1;
      corners[k] += far * step[0];
      corners[k + 1] += far * step[1];
      event.preventDefault();
      event.stopPropagation();
      paint();
    });
    picker.addEventListener('change', paint);
    const press = (name, id, action) => element('button', { type: 'button', id, onclick: action }, name);
    const group = byId('locate-group');
    const before = [...group.children];
    byId('locate-group').replaceChildren(before[0], element('p', { class: 'small' }, 'Drag the outer corners of the 64 squares, or choose one and use the arrow keys on the picture (with Shift ten pixels).'),
      element('div', { id: 'corners', class: 'look' }, canvas), note,
      element('div', { class: 'buttons' }, picker, press('The board is there', 'set-corners', () => this.send({ command: 'locate_board', corners })),
        press('Close', 'close-corners', () => { closed = true; group.replaceChildren(...before); })));
    follow(this.id, 'camera', () => closed || !canvas.isConnected, (bitmap) => {
      if (!bitmap) { note.textContent = 'No picture comes: is the camera running?'; return; }
      note.textContent = '';
      if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
      const context = canvas.getContext('2d', { willReadFrequently: true });
      context.drawImage(bitmap, 0, 0);
      picture = context.getImageData(0, 0, canvas.width, canvas.height);
      if (corners.length !== 8) {
        const [w, h] = [canvas.width, canvas.height];
        corners = [0.25 * w, 0.75 * h, 0.75 * w, 0.75 * h, 0.75 * w, 0.25 * h, 0.25 * w, 0.25 * h];
      }
      paint();
    });
  }
}
