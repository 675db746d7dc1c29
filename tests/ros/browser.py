"""A real browser: Debian's chromium, driven over WebDriver."""

import base64
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
# Keys, as WebDriver writes them.
NO_MORE, CONTROL, DELETE = '\ue000', '\ue009', '\ue017'


# Texts whose colour is too near to that of what is behind them.
CONTRAST = """
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (c) => { const [r, g, b] = c.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  const text = walker.currentNode.textContent.trim();
  if (!text || !e.checkVisibility() || e.closest('svg, script, noscript, .spoken, .skip, :disabled')) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(behind(e).slice(0, 3))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) found.push(`${text.slice(0, 40)}: ${((a + 0.05) / (b + 0.05)).toFixed(1)}`);
}
return found;
"""


class Browser:
    """One window of a headless chromium."""

    def __init__(self, log, width=1280, height=900, dark=False):
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        self.out = open(log, 'w', encoding='utf-8')
        self.driver = subprocess.Popen(['chromedriver', f'--port={port}'], stdout=self.out, stderr=subprocess.STDOUT)
        self.base = f'http://127.0.0.1:{port}'
        arguments = ['--headless=new', '--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--expose-gc',
                     f'--window-size={width},{height}']
        if os.geteuid() == 0:
            arguments.append('--no-sandbox')
        if dark:
            arguments.append('--force-dark-mode')
        options = {'args': arguments, 'binary': '/usr/bin/chromium'}
        wanted = {'browserName': 'chrome', 'goog:chromeOptions': options, 'goog:loggingPrefs': {'browser': 'ALL'}}
        end = time.monotonic() + 20
        while True:
            try:
                self.ask('GET', '/status')
                break
            except OSError:
                assert time.monotonic() < end, 'chromedriver does not start'
                time.sleep(0.1)
        session = self.ask('POST', '/session', {'capabilities': {'alwaysMatch': wanted}}, timeout=90)
        self.base += f'/session/{session["sessionId"]}'
        # In phones' widths the window itself may not shrink: the page's own metrics do.
        self.size(width, height)

    def ask(self, method, path, body=None, timeout=30):
        """Send one WebDriver command; return its value."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {'Content-Type': 'application/json'}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.load(response)['value']
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)['value']['message']) from None

    def command(self, name, **params):
        """Send one command of the browser's own protocol."""
        return self.ask('POST', '/goog/cdp/execute', {'cmd': name, 'params': params})

    def size(self, width, height, mobile=False):
        """Set the size of the page."""
        self.command('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def dark(self, on):
        """Ask for dark pages, as a system does."""
        feature = {'name': 'prefers-color-scheme', 'value': 'dark' if on else 'light'}
        self.command('Emulation.setEmulatedMedia', features=[feature])

    def open(self, url):
        """Go to a page."""
        self.ask('POST', '/url', {'url': url})

    def run(self, script, *arguments):
        """Run JavaScript; return what it returns."""
        return self.ask('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def wait(self, script, timeout=15.0, what=None):
        """Wait until the JavaScript expression is true; return its value."""
        end = time.monotonic() + timeout
        while True:
            value = self.run(f'return {script}')
            if value:
                return value
            assert time.monotonic() < end, f'waited {timeout} s in vain for {what or script}: {self.text("body")[:600]}'
            time.sleep(0.05)

    def text(self, selector):
        """Text of the first element that fits, as people see it."""
        return self.run('return document.querySelector(arguments[0])?.innerText ?? ""', selector)

    def click(self, selector):
        """Press an element as a person would."""
        found = self.ask('POST', '/element', {'using': 'css selector', 'value': selector})
        self.run('document.querySelector(arguments[0]).scrollIntoView({block: "center"})', selector)
        self.ask('POST', f'/element/{found[ELEMENT]}/click', {})

    def type(self, selector, text):
        """Replace what a field holds as a person does: all of it is selected, deleted and typed over, and the field never left."""
        found = self.ask('POST', '/element', {'using': 'css selector', 'value': selector})
        self.ask('POST', f'/element/{found[ELEMENT]}/value', {'text': f'{CONTROL}a{NO_MORE}{DELETE}{text}'})

    def press(self, key):
        """Press a key on the page."""
        actions = [{'type': 'keyDown', 'value': key}, {'type': 'keyUp', 'value': key}]
        self.ask('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': actions}]})

    def shot(self, path, whole=False):
        """Take a picture of the page."""
        data = self.command('Page.captureScreenshot', captureBeyondViewport=whole)['data']
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))

    def before_each_page(self, script):
        """Run JavaScript in every page before its own."""
        self.command('Page.addScriptToEvaluateOnNewDocument', source=script)

    def nameless(self):
        """Return what a screen reader could only call by its kind: roles of controls and pictures without a name."""
        nodes = self.command('Accessibility.getFullAXTree')['nodes']
        told = {'button', 'link', 'textbox', 'combobox', 'slider', 'spinbutton', 'image', 'img', 'heading', 'region', 'table'}
        roles = [(n.get('role', {}).get('value'), n.get('name', {}).get('value')) for n in nodes if not n.get('ignored')]
        return [role for role, name in roles if role in told and not name]

    def pale(self):
        """Return texts with less contrast than 4.5 to 1, as WCAG 2 asks of letters of this size."""
        return self.run(CONTRAST)

    def complaints(self):
        """Return what the browser complained of: errors of scripts, and what the content policy has refused."""
        entries = self.ask('POST', '/se/log', {'type': 'browser'})
        return [e['message'] for e in entries if e['level'] == 'SEVERE' and 'status of 40' not in e['message']]

    def heap(self):
        """Bytes of JavaScript memory after a collection."""
        self.command('HeapProfiler.collectGarbage')
        return self.command('Runtime.getHeapUsage')['usedSize']

    def busy(self):
        """Seconds that the page has worked so far: scripts, styles, layout."""
        self.command('Performance.enable')
        values = {m['name']: m['value'] for m in self.command('Performance.getMetrics')['metrics']}
        return values['TaskDuration']

    def close(self):
        """End browser and driver."""
        try:
            self.ask('DELETE', '')
        except (AssertionError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait(timeout=10)
        self.out.close()
