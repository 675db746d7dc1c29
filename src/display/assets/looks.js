// The kept looks of the game on the board: a strip of pictures beside the shown ply, and each look with its evidence.

import { byId, element, read, timeOfDay } from './common.js';
import { details, pictureOf, titleOf } from './look.js';

/** Pictures in the strip: what fits beside each other, and as many to either side. */
const STRIP = 24;
const THUMB_PX = 256;
/** The archive is written a moment after the move is told. */
const WRITTEN_MS = 1500;

export class Looks {
  constructor(id, choose) {
    this.base = `/api/boards/${encodeURIComponent(id)}`;
    this.choose = choose;
    // Which game they are of: a board that has begun another one leaves the old one where it is.
    this.game = '';
    this.list = [];
    this.ply = -1;
    this.asked = '';
    this.timer = null;
  }

  /** `ply` is shown; `changes` differs when something was told. */
  show(ply, changes) {
    if (changes !== this.asked) {
      const wait = this.asked ? WRITTEN_MS : 0;
      this.asked = changes;
      this.timer ??= setTimeout(() => { this.timer = null; this.fetch(); }, wait);
    }
    if (ply !== this.ply) {
      this.ply = ply;
      this.paint();
    }
  }

  async fetch() {
    try {
      const { game, looks } = await read(`${this.base}/looks`);
      if (game !== this.game) byId('look').replaceChildren();
      [this.game, this.list] = [game, looks];
      byId('looks').hidden = false;
      byId('archive').href = `/api/games/${encodeURIComponent(game)}/archive`;
      byId('whole').href = `/game/${encodeURIComponent(game)}`;
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
    const told = `${this.game} ${shown.map((look) => look.number)}`;
    if (told !== this.told) {
      this.told = told;
      byId('strip').replaceChildren(...shown.map((look) => element('button', { type: 'button', 'data-look': look.number, 'data-ply': look.ply, onclick: () => this.open(look) },
        element('img', { src: pictureOf(this.game, look.number, THUMB_PX), loading: 'lazy', alt: '' }),
        element('span', {}, titleOf(look)), element('span', { class: 'small' }, `ply ${look.ply} ${timeOfDay(look.stamp_s)}`))));
    }
    const here = byId('strip').querySelector(`[data-ply="${this.ply}"]`);
    if (here) byId('strip').scrollLeft = here.offsetLeft - byId('strip').offsetLeft;
  }

  async open(look) {
    this.choose(look.ply);
    const place = byId('look');
    place.replaceChildren(
      element('h3', {}, `Look ${look.number}, after ply ${look.ply}`),
      element('p', {}, look.told.length ? look.told.join('; ') : 'Nothing was told.'),
      element('img', { src: pictureOf(this.game, look.number), alt: 'The camera’s picture of this look' }),
      await details(this.game, look.number));
    place.scrollIntoView({ block: 'nearest' });
  }
}
