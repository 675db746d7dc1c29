// All boards at a glance; those that need somebody come first.

import { chess } from './chess_page.js';
import { Bell, TRACKERS, byId, clock, element, hear, read, theme } from './common.js';
import { go } from './go_page.js';

const GAMES = { chess, go };
const tiles = new Map();
const bell = new Bell();
theme();

class Tile {
  constructor(id, plays) {
    this.plays = plays;
    this.page = GAMES[plays];
    this.diagram = this.page.diagram(false);
    this.name = element('span');
    this.count = element('span', { class: 'small' });
    this.players = element('p');
    this.last = element('p', { class: 'last-move' });
    this.why = element('p', { class: 'why' });
    this.times = element('p', { class: 'small' });
    this.tracker = element('p', { class: 'small state' });
    const heading = element('h2', {}, this.name, this.count);
    const link = element('a', { href: `/board/${encodeURIComponent(id)}` }, heading, this.diagram.svg, this.why, this.last, this.players, this.times, this.tracker);
    this.item = element('li', { class: 'tile', 'data-board': id }, link);
  }

  show(state) {
    this.state = state;
    const { alarm } = state;
    this.calls = alarm && !alarm.acknowledged;
    this.item.className = 'tile';
    if (alarm) this.item.classList.add(this.calls ? 'calls' : 'seen', alarm.kind);
    const tile = this.page.tile(state, alarm && alarm.kind === 'illegal' && alarm.stands ? alarm.squares : []);
    this.name.textContent = state.name;
    this.count.textContent = tile.count;
    this.diagram.show(tile.view);
    this.why.textContent = alarm ? alarm.text : '';
    this.why.hidden = !alarm;
    this.last.replaceChildren(...tile.last);
    if (tile.result) this.last.append(`  ${tile.result}`);
    this.players.replaceChildren(...this.page.players(state));
    this.times.textContent = tile.times;
    this.tracker.textContent = TRACKERS[state.tracker];
  }
}

/** Those who call come first, the longest wait foremost; the others by name. */
function order(a, b) {
  if (a.calls !== b.calls) return a.calls ? -1 : 1;
  return a.state.name.localeCompare(b.state.name, undefined, { numeric: true });
}

function take(states) {
  for (const state of states) {
    const known = tiles.get(state.id);
    if (known?.plays !== state.plays) {
      known?.item.remove();
      tiles.set(state.id, new Tile(state.id, state.plays));
    }
    tiles.get(state.id).show(state);
  }
  const list = byId('boards');
  const sorted = [...tiles.values()].sort(order);
  sorted.forEach((tile, place) => {
    // Only what stands in the wrong place is moved: the focus stays where it is.
    if (list.children[place] !== tile.item) list.insertBefore(tile.item, list.children[place] || null);
  });
  byId('empty').hidden = sorted.length > 0;
  const calling = sorted.filter((tile) => tile.calls);
  byId('summary').textContent = `${sorted.length} ${sorted.length === 1 ? 'board' : 'boards'}${calling.length ? `, ${calling.length} ${calling.length === 1 ? 'needs' : 'need'} you` : ''}`;
  document.title = calling.length ? `(${calling.length}) Boards` : 'Boards';
  bell.ring(calling.map(({ state }) => ({ key: `${state.id} ${state.alarm.id}`, text: `${state.name}: ${state.alarm.text}` })));
}

hear('/api/events', 'tiles', take);
read('/api/games').then((games) => { byId('games').hidden = !games.length; }).catch(() => {});
