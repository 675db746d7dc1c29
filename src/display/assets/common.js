// What all pages share: asking the server, hearing from it, sound, theme, words for numbers.

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'class') made.className = value;
    else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A place in this browser that may be forbidden. */
const kept = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* it holds for this page then */ } },
};

export const token = {
  get: () => sessionStorage.getItem('token') || '',
  set: (text) => sessionStorage.setItem('token', text),
};

// The printed address may carry the token behind #, which is never sent to a server.
const given = /^#token=(.+)$/.exec(location.hash);
if (given) {
  token.set(decodeURIComponent(given[1]));
  history.replaceState(null, '', location.pathname);
}

/** Sends a request that changes something; returns `{ success, message }` whatever happens. */
export async function ask(address, body = {}) {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token.get()}` },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    return { success: response.ok && answer.success, message: answer.message, status: response.status };
  } catch {
    return { success: false, message: 'The display does not answer: does it still run?', status: 0 };
  }
}

export async function read(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.json();
}

/** Hears events of one name; shows whether the line stands. The browser connects again by itself. */
export function hear(address, name, take) {
  const link = byId('link');
  const state = (up) => {
    link.textContent = up ? 'live' : 'no connection: trying again';
    link.className = up ? 'link up' : 'link down';
  };
  const connect = () => {
    const source = new EventSource(address);
    source.addEventListener('open', () => state(true));
    source.addEventListener(name, (event) => take(JSON.parse(event.data)));
    source.addEventListener('error', () => {
      state(false);
      // A refusal (the board is not there yet) ends the source for good.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
    });
  };
  connect();
}

/**
 * The alarm's sound: tones made here. Browsers let a page sound only after somebody has pressed or clicked something on it:
 * until then the button says so.
 */
export class Bell {
  constructor() {
    this.button = byId('sound');
    this.on = kept.get('sound') !== 'off';
    this.rung = new Map();
    try {
      this.context = new AudioContext();
      this.context.addEventListener('statechange', () => this.show());
    } catch { /* a browser without sound still shows the colour */ }
    this.button.addEventListener('click', () => this.toggle());
    for (const touch of ['pointerdown', 'keydown']) {
      document.addEventListener(touch, (event) => {
        // The button itself decides by what stood on it.
        if (!this.allowed && event.target !== this.button) this.context?.resume().catch(() => {});
      });
    }
    this.show();
  }

  /** Would a tone be heard? */
  get allowed() {
    return this.context?.state === 'running';
  }

  toggle() {
    // Who presses "allow" wants to hear it.
    this.on = !(this.on && this.allowed);
    kept.set('sound', this.on ? 'on' : 'off');
    this.show();
    if (this.on) this.sound();
  }

  show() {
    this.button.textContent = !this.on ? 'Sound off' : this.allowed ? 'Sound on' : 'Allow sound';
    this.button.setAttribute('aria-pressed', String(this.on));
  }

  /**
   * Rings once for each alarm that nobody has acknowledged, and says it; says it again when its reason comes after it.
   * `calls`: `[{ key, text }]` of all of them.
   */
  ring(calls) {
    const unsaid = calls.filter((call) => this.rung.get(call.key) !== call.text);
    const fresh = unsaid.some((call) => !this.rung.has(call.key));
    this.rung = new Map(calls.map((call) => [call.key, call.text]));
    if (!unsaid.length) return;
    byId('alerts').textContent = unsaid.map((call) => call.text).join(' ');
    if (fresh && this.on) this.sound();
  }

  sound() {
    try {
      this.context.resume().catch(() => {});
      [[880, 0], [660, 0.18], [880, 0.36]].forEach(([hz, after]) => {
        const [tone, loud] = [this.context.createOscillator(), this.context.createGain()];
        const begin = this.context.currentTime + after;
        tone.frequency.value = hz;
        loud.gain.setValueAtTime(0.12, begin);
        loud.gain.exponentialRampToValueAtTime(0.001, begin + 0.16);
        tone.connect(loud).connect(this.context.destination);
        tone.start(begin);
        tone.stop(begin + 0.17);
      });
    } catch { /* a browser without sound still shows the colour */ }
  }
}

export function theme() {
  const root = document.documentElement;
  const set = (name) => (name ? root.setAttribute('data-theme', name) : root.removeAttribute('data-theme'));
  set(kept.get('theme'));
  byId('theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    const next = dark ? 'light' : 'dark';
    kept.set('theme', next);
    set(next);
  });
}

export function clock(seconds) {
  const s = Math.max(0, Math.round(seconds));
  const [h, m] = [Math.floor(s / 3600), Math.floor(s / 60) % 60];
  const two = (n) => String(n).padStart(2, '0');
  return h ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

/** The time of day of a stamp; recordings that count from zero show seconds. */
export function timeOfDay(stamp) {
  if (stamp === null || stamp === undefined || stamp === 0) return '';
  if (stamp < 1e8) return `${stamp.toFixed(1)} s`;
  return new Date(1000 * stamp).toLocaleTimeString();
}

export const TRACKERS = {
  no_board: 'looking for the board', following: 'following the game', disturbed: 'something moves on the board',
  doubt: 'in doubt', illegal: 'an illegal position stands', paused: 'paused', over: 'the game is over',
};
