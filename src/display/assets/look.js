// One kept look: its picture, what was told, and what it said of the squares.

import { called, placement, squareName } from './chess.js';
import { element, read } from './common.js';

export const pictureOf = (game, number, width) =>
  `/api/games/${encodeURIComponent(game)}/looks/${number}/picture.jpg${width ? `?width=${width}` : ''}`;

/** What a look is called in a list. */
export function titleOf(look) {
  return look.told.join('; ') || { doubt: 'in doubt', quiet: 'nothing new', told: '', said: '' }[look.why];
}

/** What there is to say of a look beside its picture: read on demand. */
export async function details(game, number) {
  const base = `/api/games/${encodeURIComponent(game)}/looks/${number}`;
  const look = await read(base);
  const threshold = look.change_threshold
    ? `A point counted as changed from ${look.change_threshold.toFixed(1)} standard deviations of the noise on, ${(look.noise_levels * look.change_threshold).toFixed(1)} grey levels.` : '';
  const open = (look.explanations || []).map((e) => `${e.san || 'nothing yet'} ${(100 * e.probability).toFixed(1)} %`).join(', ');
  return element('div', { class: 'details' },
    element('p', { class: 'small' }, `State: ${look.state.replace('_', ' ')}. ${look.manner ? '' : 'The picture was not read. '}${threshold}`),
    open ? element('p', {}, `Not understood. The likeliest: ${open}.`) : null,
    evidence(look),
    element('p', { class: 'downloads' }, element('a', { href: `${base}/report`, download: true, class: 'report' }, 'Fault report: this look and those before it'),
      element('span', { class: 'small' }, ' run it again with ', element('code', {}, 'chess_observer replay FILE'))));
}

/** The squares whose belief has changed, and those in doubt. */
function evidence(look) {
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
  const head = ['square', 'by the game', 'before', 'after', 'changed', 'seen'];
  return element('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Squares that changed or are in doubt' },
    element('table', {}, element('caption', {}, 'Squares that changed or are in doubt, in percent; before and after: empty / white / black'), element('thead', {}, element('tr', {}, ...head.map((h) => element('th', { scope: 'col' }, h)))), element('tbody', {}, ...rows)));
}
