// All boards at a glance; those that need somebody come first.

import { Diagram, figurine } from './chess.js';
import { Bell, TRACKERS, byId, clock, element, hear, read, theme } from './common.js';

const tiles = new Map();
const bell = new Bell();
theme();

class Tile {
  constructor(id) {
    this.diagram = new Diagram(false);
    this.name = element('span');
    this.ply = element('span', { class: 'small' });
    this.players = element('p');
    this.last = element('p', { class: 'last-move' });
    this.why = element('p', { class: 'why' });
    this.times = element('p', { class: 'small' });
    this.tracker = element('p', { class: 'small state' });
    const heading = element('h2', {}, this.name, this.ply);
    const link = element('a', { href: `/board/${encodeURIComponent(id)}` }, heading, this.diagram.svg, this.why, this.last, this.players, this.times, this.tracker);
    this.item = element('li', { class: 'tile', 'data-board': id }, link);
  }

  show(state) {
    this.state = state;
    const { alarm, last } = state;
    this.calls = alarm && !alarm.acknowledged;
    this.item.className = 'tile';
    if (alarm) this.item.classList.add(this.calls ? 'calls' : 'seen', alarm.kind);
    this.name.textContent = state.name;
    this.ply.textContent = state.ply ? `ply ${state.ply}` : '';
    this.diagram.show({ fen: state.fen, last: last && last.uci, wrong: alarm && alarm.kind === 'illegal' && alarm.stands ? alarm.squares : [] });
    this.why.textContent = alarm ? alarm.text : '';
    this.why.hidden = !alarm;
    this.last.replaceChildren(...(last ? [`${last.number} `, figurine(last.san)] : ['–']));
    if (state.result && state.result !== '*') this.last.append(`  ${state.result}`);
    this.players.textContent = [state.white || 'White', state.black || 'Black'].join(' – ');
    this.times.textContent = state.spent_s ? `${clock(state.spent_s[0])} / ${clock(state.spent_s[1])}` : '';
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
    if (!tiles.has(state.id)) tiles.set(state.id, new Tile(state.id));
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
