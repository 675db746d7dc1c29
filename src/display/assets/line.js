// The moves of a game as a list, and the way through it by clicks, buttons and keys.

import { chess } from './chess_page.js';
import { byId, clock, element, timeOfDay } from './common.js';

/** Below this probability a move is shown as unsure. */
export const UNSURE = 0.9;

export function percent(confidence) {
  return `${(100 * confidence).toFixed(confidence < UNSURE ? 0 : 1)} %`;
}

/** What a ply is called: `12. Nf3`, `12. Q16`. */
export function called(ply) {
  return ply ? `${ply.number} ${ply.san ?? ply.name}` : 'no move';
}

/** The moves in `place`; `choose` is called with the ply that is clicked. `page` knows how moves of this game are shown. */
export class Moves {
  constructor(place, choose, page = chess) {
    this.page = page;
    this.place = place;
    this.choose = choose;
    this.told = '';
    this.at = -1;
  }

  show(plies, at) {
    const told = JSON.stringify(plies);
    if (told !== this.told) {
      this.told = told;
      this.at = -1;
      this.fill(plies);
    }
    if (at === this.at) return;
    this.at = at;
    for (const button of this.place.querySelectorAll('[aria-current]')) button.removeAttribute('aria-current');
    const here = this.place.querySelector(`[data-ply="${at}"]`);
    if (!here) return;
    here.setAttribute('aria-current', 'true');
    // Only the list scrolls, never the page.
    this.place.scrollTop = here.offsetTop - this.place.offsetTop - this.place.clientHeight / 2;
  }

  fill(plies) {
    const rows = [];
    plies.forEach((ply, index) => {
      const second = this.page.second(ply);
      const full = rows.at(-1)?.children.length === 3;
      if (!second || full || !rows.length) {
        rows.push(element('li', {}, element('span', { class: 'no' }, ply.number.replace('...', '.'))));
        if (second) rows.at(-1).append(element('span', {}, '…'));
      }
      const unsure = ply.confidence !== null && ply.confidence < UNSURE;
      const notes = [
        ply.confidence !== null ? element('small', { class: unsure ? 'unsure' : '', title: 'how sure' }, percent(ply.confidence)) : null,
        ply.took_s !== null ? element('small', { title: 'time for this move' }, clock(ply.took_s)) : null,
      ];
      rows.at(-1).append(element('button', { type: 'button', 'data-ply': index + 1, title: timeOfDay(ply.stamp_s), onclick: () => this.choose(index + 1) }, this.page.move(ply), ...notes));
    });
    this.place.replaceChildren(...(rows.length ? rows : [element('li', {}, element('span'), element('span', { class: 'empty' }, 'No move yet.'))]));
  }
}

/** The buttons below a diagram, and the keys that do the same. `at()` is the ply shown, `more` further keys. */
export function walk({ at, choose, turn, more = {} }) {
  const steps = { first: () => choose(0), back: () => choose(at() - 1), forward: () => choose(at() + 1), last: () => choose(Infinity), turn };
  for (const [button, step] of Object.entries(steps)) byId(button).addEventListener('click', step);
  const keys = { ArrowLeft: steps.back, ArrowRight: steps.forward, Home: steps.first, End: steps.last, f: turn, ...more };
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, select, textarea, .editor');
    if (typing || event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
}
