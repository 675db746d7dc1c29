// A whole game: positions, moves, pictures, confidence and time, and everything to download.

import { Diagram } from './chess.js';
import { byId, clock, element, hear, read, theme, timeOfDay } from './common.js';
import { Moves, called, percent, walk } from './line.js';
import { details, pictureOf, titleOf } from './look.js';
import { draw } from './plots.js';

const THUMB_PX = 256;
/** A game that is being played is read again at most so often: its archive is written a moment after the move is told. */
const AGAIN_MS = 1500;

const id = decodeURIComponent(location.pathname.split('/')[2] || '');
const base = `/api/games/${encodeURIComponent(id)}`;
const diagram = new Diagram();
let game = null;
// The ply that is shown; null is the last one.
let shown = null;
let look = null;
let told = {};

theme();
byId('diagram').append(diagram.svg);
const moves = new Moves(byId('moves'), (ply) => choose(ply));
const plies = () => game.game.plies;
const at = () => (shown === null ? plies().length : Math.min(shown, plies().length));

const fromHash = () => {
  const given = /^#ply=(\d+)$/.exec(location.hash);
  shown = given ? Number(given[1]) : null;
};
fromHash();
window.addEventListener('hashchange', () => { fromHash(); look = null; paint(); });

function choose(ply, of = null) {
  if (!game) return;
  shown = Math.max(0, Math.min(ply, plies().length));
  look = of;
  // The address is always the link to what is shown.
  history.replaceState(null, '', `#ply=${shown}`);
  paint();
}

/** The looks in which something was told: the film of the game. */
const film = () => game.looks.filter((l) => l.told.length);

/** The look that shows a ply: the one in which its move was told, or else the last one before the next. */
function lookOf(ply) {
  const of = game.looks.filter((l) => l.ply === ply && l.has_picture);
  return of.find((l) => l.why === 'told') || of.at(-1) || null;
}

function paintFacts() {
  const { game: record, position } = game;
  const players = `${record.white || 'White'} – ${record.black || 'Black'}`;
  const result = position.result && position.result !== '*' ? position.result : record.result;
  byId('name').textContent = players;
  document.title = `${players} ${result || ''}`.trim();
  const begun = game.looks.length && game.looks[0].stamp_s > 1e8 ? new Date(1000 * game.looks[0].stamp_s).toLocaleString() : record.date;
  const length = `${plies().length} ${plies().length === 1 ? 'ply' : 'plies'}`;
  const spent = game.spent_s ? `time ${clock(game.spent_s[0])} / ${clock(game.spent_s[1])}` : '';
  const outcome = result && result !== '*' ? `${result} ${position.result_reason || ''}`.trim() : game.board ? 'being played' : 'no result';
  byId('facts').textContent = [record.event, record.round && `round ${record.round}`, begun, length, spent, outcome].filter(Boolean).join(' · ');
  byId('pgn').href = game.kept ? `${base}/game.pgn` : `/api/boards/${encodeURIComponent(game.board)}/game.pgn`;
  byId('archive').hidden = !game.kept;
  byId('archive').href = `${base}/archive`;
  byId('board').hidden = !game.board;
  if (game.board) byId('board').href = `/board/${encodeURIComponent(game.board)}`;
}

function paintFilm() {
  const shots = film();
  byId('film-section').hidden = !shots.length;
  const key = JSON.stringify(shots);
  if (told.film !== key) {
    told.film = key;
    byId('film').replaceChildren(...shots.map((l) => {
      const ply = plies()[l.ply - 1];
      const move = ply && l.told.includes(ply.san);
      const title = move ? called(ply) : titleOf(l) || 'the beginning';
      const notes = move ? [ply.confidence === null ? '' : percent(ply.confidence), ply.took_s === null ? '' : clock(ply.took_s)].filter(Boolean).join(' · ') : timeOfDay(l.stamp_s);
      return element('button', { type: 'button', 'data-look': l.number, 'data-ply': l.ply, onclick: () => choose(l.ply, l) },
        l.has_picture ? element('img', { src: pictureOf(id, l.number, THUMB_PX), loading: 'lazy', alt: '' }) : element('span', { class: 'gone' }, l.why === 'said' ? 'said by a person' : 'picture let go'),
        element('span', {}, title), element('span', { class: 'small' }, notes));
    }));
  }
  for (const button of byId('film').querySelectorAll('[aria-current]')) button.removeAttribute('aria-current');
  const here = byId('film').querySelector(look ? `[data-look="${look.number}"]` : `[data-ply="${at()}"]`);
  if (!here) return;
  here.setAttribute('aria-current', 'true');
  byId('film').scrollLeft = here.offsetLeft - byId('film').offsetLeft - byId('film').clientWidth / 2 + here.clientWidth / 2;
}

function paintLook() {
  const now = look || lookOf(at());
  const key = now ? `${now.number}` : '';
  byId('seen').hidden = !game.looks.length;
  if (told.look === key) return;
  told.look = key;
  const picture = now && now.has_picture
    ? element('img', { src: pictureOf(id, now.number), alt: `The camera’s picture after ${called(plies()[now.ply - 1])}` })
    : element('p', { class: 'empty' }, now ? 'The picture of this look was let go, or there was none.' : 'No picture of this position is kept.');
  byId('look').replaceChildren(picture, element('p', { class: 'small' }, now ? `Look ${now.number}, ${titleOf(now) || 'nothing told'}. ${timeOfDay(now.stamp_s)}` : ''));
  byId('evidence').hidden = !now;
  byId('details').replaceChildren();
  if (now && byId('evidence').open) showDetails(now.number);
}

async function showDetails(number) {
  const made = await details(id, number).catch(() => element('p', { class: 'empty' }, 'This look cannot be read.'));
  if (told.look === `${number}`) byId('details').replaceChildren(made);
}
byId('evidence').addEventListener('toggle', () => {
  if (byId('evidence').open && told.look) showDetails(Number(told.look));
});

function paint() {
  if (!game) return;
  const ply = plies()[at() - 1];
  diagram.show({ fen: ply ? ply.fen : game.game.start, last: ply && ply.uci });
  byId('shown').textContent = ply ? `After ${called(ply)}` : 'Before the first move';
  for (const button of ['first', 'back']) byId(button).disabled = at() === 0;
  for (const button of ['forward', 'last']) byId(button).disabled = at() === plies().length;
  moves.show(plies(), at());
  paintLook();
  paintFilm();
  const key = JSON.stringify([plies(), at()]);
  if (told.plots !== key) draw(byId('plots'), plies(), at(), choose, { empty: 'No move yet.' });
  told.plots = key;
}

async function fetchGame() {
  try {
    game = await read(base);
  } catch {
    byId('facts').textContent = 'There is no such game here: its archive was moved, or its address is mistyped.';
    return;
  }
  paintFacts();
  paint();
  follow();
}

/** A game that is being played is read again when its board tells something. */
function follow() {
  if (!game.board || told.followed) return;
  told.followed = true;
  byId('link').hidden = false;
  let timer = null;
  let version = '';
  hear(`/api/boards/${encodeURIComponent(game.board)}/events`, 'board', (state) => {
    const now = JSON.stringify([state.game, state.warnings.length, state.position]);
    if (now === version || !game.board) return;
    if (version && !timer) timer = setTimeout(() => { timer = null; fetchGame(); }, AGAIN_MS);
    version = now;
  });
}

walk({ at, choose: (ply) => choose(ply), turn: () => diagram.turn() });

byId('share').addEventListener('click', async () => {
  const address = new URL(`#ply=${at()}`, location.href).href;
  try {
    await navigator.clipboard.writeText(address);
    byId('copied').textContent = 'The link is copied.';
  } catch {
    // Browsers give the clipboard to safe addresses only.
    byId('address').hidden = false;
    byId('address').value = address;
    byId('address').select();
    byId('copied').textContent = 'Copy it from here.';
  }
});

fetchGame();
