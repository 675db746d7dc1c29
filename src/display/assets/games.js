// All games whose looks are kept, the newest first.

import { byId, element, read, theme } from './common.js';

theme();

const day = (game) => (game.begun_s > 1e8 ? new Date(1000 * game.begun_s).toLocaleString() : game.date);
const row = (game) => element('tr', {},
  element('th', { scope: 'row' }, element('a', { href: `/game/${encodeURIComponent(game.id)}` }, `${game.white || 'White'} – ${game.black || 'Black'}`)),
  element('td', {}, game.result && game.result !== '*' ? game.result : ''), element('td', {}, String(game.plies)), element('td', {}, day(game) || ''), element('td', {}, game.event), element('td', { class: 'small' }, game.id));

const games = await read('/api/games').catch(() => null);
byId('empty').hidden = games?.length > 0;
byId('empty').textContent = games
  ? 'No game is kept. Observers keep the looks of their games where the parameter archive_directory names a folder, and the display shows those of its own archive_directory.'
  : 'The display does not answer: does it still run?';
if (games?.length) {
  const head = ['Players', 'Result', 'Plies', 'Begun', 'Event', 'Name'];
  byId('games').hidden = false;
  byId('games').append(element('table', {}, element('caption', { class: 'spoken' }, 'Kept games, the newest first'), element('thead', {}, element('tr', {}, ...head.map((h) => element('th', { scope: 'col' }, h)))), element('tbody', {}, ...games.map(row))));
}
