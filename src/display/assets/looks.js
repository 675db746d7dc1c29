// The kept looks: a strip of pictures beside the shown ply, and each look with its evidence.

import { called, placement, squareName } from './chess.js';
import { byId, element, read, timeOfDay } from './common.js';

const STRIP = 24;

export class Looks {
  constructor(id, choose) {
    this.base = `/api/boards/${encodeURIComponent(id)}`;
    this.choose = choose;
    this.list = [];
    this.ply = -1;
    this.asked = -1;
  }

  /** `ply` is shown; `changes` differs when something was told. */
  show(ply, changes) {
    if (changes !== this.asked) {
      this.asked = changes;
      // The archive is written a moment after the move is told.
      setTimeout(() => this.fetch(), this.list.length ? 1500 : 0);
    }
    if (ply !== this.ply) {
      this.ply = ply;
      this.paint();
    }
  }

  async fetch() {
    try {
      this.list = await read(`${this.base}/looks`);
      byId('looks').hidden = false;
      byId('archive').href = `${this.base}/archive`;
      this.paint();
    } catch { /* no looks are kept of this board */ }
  }

  paint() {
    if (!this.list.length) return;
    const seen = this.list.filter((look) => look.has_picture);
    let middle = seen.findIndex((look) => look.ply >= this.ply);
    if (middle < 0) middle = seen.length;
    const from = Math.max(0, Math.min(middle - STRIP / 2, seen.length - STRIP));
    const shown = seen.slice(from, from + STRIP);
    byId('strip').replaceChildren(...shown.map((look) => {
      const words = look.told.join('; ') || { doubt: 'in doubt', quiet: 'nothing new', told: '', said: '' }[look.why];
      return element('button', { type: 'button', 'data-look': look.number, 'data-ply': look.ply, onclick: () => this.open(look) },
        element('img', { src: `${this.base}/looks/${look.number}/picture.jpg`, loading: 'lazy', alt: '' }),
        element('span', {}, words), element('span', { class: 'small' }, `ply ${look.ply} ${timeOfDay(look.stamp_s)}`));
    }));
    const here = byId('strip').querySelector(`[data-ply="${this.ply}"]`);
    if (here) byId('strip').scrollLeft = here.offsetLeft - byId('strip').offsetLeft;
  }

  async open(listed) {
    const look = await read(`${this.base}/looks/${listed.number}`);
    this.choose(look.ply);
    const place = byId('look');
    const told = listed.told.length ? listed.told.join('; ') : 'Nothing was told.';
    place.replaceChildren(
      element('h3', {}, `Look ${look.number}, after ply ${look.ply}`),
      element('p', {}, told),
      element('img', { src: `${this.base}/looks/${look.number}/picture.jpg`, alt: 'The camera’s picture of this look' }),
      element('p', { class: 'small' }, `State: ${look.state}. ${look.manner ? '' : 'Not read. '}`
        + (look.change_threshold ? `A point counts as changed from ${look.change_threshold.toFixed(1)} standard deviations of the noise, ${(look.noise_levels * look.change_threshold).toFixed(1)} grey levels.` : '')),
      this.evidence(look),
      element('p', { class: 'downloads' }, element('a', { href: `${this.base}/looks/${look.number}/report`, download: true, id: 'report' }, 'Fault report: this look and those before it'),
        ' (run it again with ', element('code', {}, 'chess_observer replay FILE'), ')'));
    place.scrollIntoView({ block: 'nearest' });
  }

  /** The squares whose belief has changed, and those in doubt. */
  evidence(look) {
    if (!look.after) return element('p', { class: 'empty' }, 'No square has been read yet.');
    const men = placement(look.fen);
    const of = (belief, i) => (belief ? belief.occupancy.slice(3 * i, 3 * i + 3) : null);
    const percent = (p) => (p ? p.map((x) => Math.round(100 * x)).join(' / ') : '–');
    const rows = [];
    for (let i = 0; i < 64; i++) {
      const [before, after] = [of(look.before, i), of(look.after, i)];
      const moved = before && after.some((p, k) => Math.abs(p - before[k]) > 0.1);
      if (!moved && Math.max(...after) >= 0.95 && look.after.changed[i] < 0.5) continue;
      rows.push(element('tr', {}, element('th', { scope: 'row' }, squareName(i)), element('td', {}, called(men[i])),
        element('td', {}, percent(before)), element('td', {}, percent(after)), element('td', {}, `${Math.round(100 * look.after.changed[i])}`),
        element('td', {}, look.after.covered[i] ? 'covered' : `${Math.round(100 * look.after.reliability[i])}`)));
    }
    if (!rows.length) return element('p', { class: 'small' }, 'Every square is clear and as before.');
    const head = ['square', 'by the game', 'before: empty / white / black, %', 'after', 'changed, %', 'seen, %'];
    return element('div', { class: 'wide' }, element('table', {}, element('thead', {}, element('tr', {}, ...head.map((h) => element('th', { scope: 'col' }, h)))), element('tbody', {}, ...rows)));
  }
}
