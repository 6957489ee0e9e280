"""A headless Chromium, driven through chromedriver by the W3C WebDriver protocol, which is JSON over HTTP."""

import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

WAIT_SECS_MAX = 20.0
ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
ENTER, TAB = '\ue007', '\ue004'
OPTIONS = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
]


def is_installed():
    """Whether both programs are there."""
    return shutil.which('chromedriver') is not None and shutil.which('chromium') is not None


class Gone(AssertionError):
    """An element that was swapped for another one meanwhile."""


class Element:
    """A part of the page."""

    def __init__(self, browser, reference):
        self.browser = browser
        self.reference = reference

    def ask(self, path, method='GET', **fields):
        """Ask the driver about it."""
        return self.browser.ask(f'element/{self.reference}/{path}', method, **fields)

    def click(self):
        """Click it."""
        self.ask('click', 'POST')

    def write(self, text):
        """Type into it."""
        self.ask('value', 'POST', text=text)

    def label(self):
        """Its accessible name, as the browser computes it."""
        return self.ask('computedlabel')

    def text(self):
        """What of it a person reads."""
        return self.ask('text')


class Browser:
    """One window with a profile of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='robot_memory_browser_')
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            ['chromedriver', f'--port={port}'],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.url = f'http://127.0.0.1:{port}'
        self.session = ''
        try:
            self.wait(self._is_ready, 'chromedriver')
            wanted = {
                'browserName': 'chrome',
                'goog:loggingPrefs': {'browser': 'ALL'},
                'goog:chromeOptions': {
                    'binary': shutil.which('chromium'),
                    'args': [*OPTIONS, f'--user-data-dir={self.folder}'],
                },
            }
            begun = self.call('session', 'POST', capabilities={'alwaysMatch': wanted})
            self.session = begun['sessionId']
        except BaseException:
            self.end()
            raise

    def _is_ready(self):
        try:
            return self.call('status')['ready']
        except OSError:
            return False

    def end(self):
        """Close the window and end the programs."""
        try:
            if self.session:
                self.call(f'session/{self.session}', 'DELETE')
        finally:
            self.driver.terminate()
            self.driver.wait(WAIT_SECS_MAX)
            shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, path, method='GET', **fields):
        """Call the driver; returns the value of its answer."""
        body = json.dumps(fields).encode() if method == 'POST' else None
        request = urllib.request.Request(f'{self.url}/{path}', data=body, method=method)
        request.add_header('Content-Type', 'application/json')
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            said = error.read().decode()[:500]
            kind = Gone if 'stale element' in said else AssertionError
            raise kind(f'{path}: {said}') from error

    def ask(self, path, method='GET', **fields):
        """Call the driver about this window."""
        return self.call(f'session/{self.session}/{path}', method, **fields)

    def wait(self, condition, what):
        """Wait until a condition holds; returns what it returned."""
        deadline = time.monotonic() + WAIT_SECS_MAX
        while True:
            try:
                found = condition()
            except Gone:
                found = None
            if found:
                return found
            assert time.monotonic() < deadline, f'no {what} in {WAIT_SECS_MAX:g} s'
            time.sleep(0.05)

    def go(self, url):
        """Show a page."""
        self.ask('url', 'POST', url=url)

    def address(self):
        """Where it is."""
        return self.ask('url')

    def all(self, selector):
        """All elements of a CSS selector."""
        found = self.ask('elements', 'POST', using='css selector', value=selector)
        return [Element(self, one[ELEMENT]) for one in found]

    def one(self, selector):
        """The first element of a CSS selector, once it is there."""
        return self.wait(lambda: self.all(selector), selector)[0]

    def link(self, text):
        """The first link or button with this text, once it is there."""

        def named():
            return [one for one in self.all('a, button') if one.text() == text]

        return self.wait(named, f'link or button {text!r}')[0]

    def run(self, script, *arguments):
        """Run a script in the page; returns what it returns."""
        return self.ask('execute/sync', 'POST', script=script, args=list(arguments))

    def press(self, *keys):
        """Press keys, one after the other, wherever the focus is."""
        presses = [{'type': kind, 'value': key} for key in keys for kind in ('keyDown', 'keyUp')]
        actions = [{'type': 'key', 'id': 'keyboard', 'actions': presses}]
        self.ask('actions', 'POST', actions=actions)

    def command(self, name, **fields):
        """Call the DevTools protocol."""
        return self.ask('goog/cdp/execute', 'POST', cmd=name, params=fields)

    def size(self, width, height):
        """Make the window as wide and high as a device is."""
        mobile = width < 600
        self.command(
            'Emulation.setDeviceMetricsOverride',
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def scheme(self, scheme):
        """Prefer light or dark."""
        features = [{'name': 'prefers-color-scheme', 'value': scheme}]
        self.command('Emulation.setEmulatedMedia', features=features)

    def complaints(self):
        """What the console has said since the last time: violations of the policy, errors of scripts."""
        lines = self.ask('se/log', 'POST', type='browser')
        return [line['message'] for line in lines if line['level'] in ('SEVERE', 'WARNING')]
