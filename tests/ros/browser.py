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
                     '--autoplay-policy=no-user-gesture-required', f'--window-size={width},{height}']
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
        """Replace what a field holds."""
        found = self.ask('POST', '/element', {'using': 'css selector', 'value': selector})
        self.ask('POST', f'/element/{found[ELEMENT]}/clear', {})
        self.ask('POST', f'/element/{found[ELEMENT]}/value', {'text': text})

    def press(self, key):
        """Press a key on the page."""
        actions = [{'type': 'keyDown', 'value': key}, {'type': 'keyUp', 'value': key}]
        self.ask('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': actions}]})

    def shot(self, path, whole=False):
        """Take a picture of the page."""
        data = self.command('Page.captureScreenshot', captureBeyondViewport=whole)['data']
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))

    def complaints(self):
        """Return what the browser complained of: errors of scripts, and what the content policy has refused."""
        entries = self.ask('POST', '/se/log', {'type': 'browser'})
        return [e['message'] for e in entries if e['level'] == 'SEVERE' and 'status of 40' not in e['message']]

    def heap(self):
        """Bytes of JavaScript memory after a collection."""
        self.command('HeapProfiler.collectGarbage')
        return self.command('Runtime.getHeapUsage')['usedSize']

    def close(self):
        """End browser and driver."""
        try:
            self.ask('DELETE', '')
        except (AssertionError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait(timeout=10)
        self.out.close()
