"""The page for people in a real browser, beside a live node."""

import json
import re

import pytest
from robot_memory.srv import GetMemory, Learn, SavePerception

from browser import ENTER, TAB, Browser, is_installed

VIEWS = [
    '/',
    '/?q=mug',
    '/timeline',
    '/map',
    '/limits',
    '/tasks',
    '/tasks?task=grip',
    '/tasks/differences?task=grip',
    '/contradictions',
    '/fleet',
    '/jobs',
    '/health',
    '/backups',
]

# Contrast as WCAG 2 computes it, of each text with the color behind it.
CONTRASTS = """
const parse = text => text.match(/[\\d.]+/g).map(Number);
const light = color => {
  const [r, g, b] = color.map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = element => {
  for (let one = element; one; one = one.parentElement) {
    const color = parse(getComputedStyle(one).backgroundColor);
    if (color.length < 4 || color[3] > 0.99) return color.slice(0, 3);
  }
  return [255, 255, 255];
};
const low = [];
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
  if (!own || element.closest('svg') || !element.checkVisibility()) continue;
  const [one, other] = [light(parse(getComputedStyle(element).color).slice(0, 3)), light(behind(element))];
  const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  if (ratio < 4.5) low.push(`${element.tagName} ${element.className} ${ratio.toFixed(2)} ${element.textContent.slice(0, 30)}`);
}
return low;
"""


@pytest.fixture(scope='module')
def browser():
    """One window for all tests of this file."""
    if not is_installed():
        pytest.skip('chromium and chromium-driver are not installed')
    window = Browser()
    yield window
    window.end()


@pytest.fixture
def site(nodes, tmp_path, browser):
    """A node with some memories, and a browser that logged in by its link."""
    client, process = nodes.start(
        http_address='127.0.0.1:0', http_login_link=True, store_path=str(tmp_path / 'm.db')
    )
    link = re.compile(r'http://(\S+)/login\?token=\w+')
    process.wait_until_logged('/login?token=')
    found = link.search(process.log())
    for insight in ['The blue mug breaks above 13 N', 'The charger is behind the green door']:
        client.succeed(Learn, insight=insight)
    client.succeed(Learn, insight='The mug must not be lifted with more than 14 N')
    spatial = {'frame': 'map', 'map_id': 'hall', 'object_position': [1.0, 2.0, 0.0]}
    for outcome in [True, False, True]:
        context = {'task': {'name': 'grip', 'object': 'mug', 'success': outcome}, 'spatial': spatial}
        client.succeed(
            SavePerception, description=f'gripped the mug: {outcome}', context=json.dumps(context)
        )
    browser.command('Network.clearBrowserCookies')
    browser.size(1280, 900)
    browser.scheme('light')
    browser.complaints()
    browser.go(found.group(0))
    return Site(browser, f'http://{found.group(1)}', client)


class Site:
    """The page of a node, in a window."""

    def __init__(self, browser, root, client=None):
        self.browser = browser
        self.root = root
        self.client = client

    def go(self, path):
        """Show a view."""
        self.browser.go(self.root + path)
        self.browser.one('main h1')

    def title(self, text):
        """Wait for a view with this title."""
        self.browser.wait(
            lambda: [one for one in self.browser.all('h1') if one.text() == text], f'title {text!r}'
        )

    def says(self, text):
        """Wait until the view has this text."""
        self.browser.wait(lambda: text in self.browser.one('main').text(), f'text {text!r}')


def test_a_memory_is_found_forgotten_and_taken_back(site):
    browser = site.browser
    site.title('Search')
    assert browser.address() == f'{site.root}/'
    browser.one('#q').write('blue mug' + ENTER)
    site.title('Search: blue mug')
    browser.link('The blue mug breaks above 13 N').click()
    site.says('What is known of it')
    number = int(browser.address().rsplit('/', 1)[1])
    browser.link('Forget').click()
    site.title(f'Forget memory {number}?')
    browser.one('input[name=reason]').write('another mug')
    browser.link('Forget it').click()
    site.says('It is forgotten')
    forgotten = site.client.succeed(GetMemory, memory_id=number)
    assert (forgotten.memory.status, forgotten.invalidated_reason) == ('invalidated', 'another mug')
    browser.link('Undo').click()
    site.says('It is learned')
    again = int(re.search(r'/memories/(\d+)', browser.address()).group(1))
    learned = site.client.succeed(GetMemory, memory_id=again).memory
    assert (learned.status, learned.content) == ('active', 'The blue mug breaks above 13 N')
    assert browser.complaints() == []


def test_every_view_is_sound_light_and_dark_wide_and_narrow(site):
    browser = site.browser
    first = site.client.succeed(Learn, insight='The kettle hangs above the sink').memory_id
    views = [*VIEWS, f'/memories/{first}', f'/memories/{first}/forget', f'/memories/{first}/correct']
    for width, height in [(360, 740), (1280, 900)]:
        browser.size(width, height)
        for scheme in ['light', 'dark']:
            browser.scheme(scheme)
            for path in views:
                site.go(path)
                where = f'{path}, {width} wide, {scheme}'
                assert browser.complaints() == [], where
                wide = browser.run('return document.documentElement.scrollWidth')
                assert wide <= width, f'{where}: {wide} pixels'
                assert browser.run(CONTRASTS) == [], where


def nameless(browser):
    """What of the view can be used and has no name; a part of it may be swapped meanwhile."""
    usable = browser.all('main a, main button, main input:not([type=hidden]), main select, nav a')
    shown = [one for one in usable if one.ask('displayed')]
    return [one.ask('property/outerHTML') for one in shown if not one.label()]


def test_whatever_can_be_used_has_a_name_and_is_reached_by_the_keyboard(site):
    browser = site.browser
    for path in VIEWS:
        site.go(path)
        assert browser.wait(lambda: [nameless(browser)], 'elements that stay') == [[]], path
        assert len(browser.all('h1')) == 1, path
    site.go('/?q=blue+mug')
    reached = []
    for _ in range(40):
        browser.press(TAB)
        focused = browser.run(
            'const e = document.activeElement; const s = getComputedStyle(e);'
            'return [e.textContent.trim(), e.className, s.outlineStyle]'
        )
        reached.append(focused[0])
        if 'says' in focused[1]:
            break
    assert reached[0] == 'Skip to the content', reached
    assert 'mug' in reached[-1], reached
    assert focused[2] != 'none', 'the focus is not seen'
    browser.press(ENTER)
    site.says('What is known of it')
    # Who hears the page is where the new view begins.
    browser.wait(lambda: browser.run('return document.activeElement.id') == 'main', 'focus')


def test_typing_searches_and_going_back_shows_what_was_there(site):
    browser = site.browser
    site.go('/')
    browser.one('#q').write('charger')
    browser.wait(lambda: 'q=charger' in browser.address(), 'search while typing')
    site.says('behind the green door')
    assert browser.run('return document.activeElement.id') == 'q'
    browser.link('Timeline').click()
    site.title('Timeline')
    assert browser.one('#places a[aria-current]').text() == 'Timeline'
    browser.ask('back', 'POST')
    site.says('behind the green door')
    kept = browser.run('return JSON.stringify([{...localStorage}, {...sessionStorage}])')
    assert '<' not in kept and 'green door' not in kept, kept
    assert browser.complaints() == []


def test_it_works_without_script_too(site):
    browser = site.browser
    browser.command('Emulation.setScriptExecutionDisabled', value=True)
    try:
        site.go('/')
        browser.one('#q').write('charger' + ENTER)
        site.title('Search: charger')
        browser.link('The charger is behind the green door').click()
        site.says('What is known of it')
        browser.link('Correct').click()
        browser.one('textarea').write(' now')
        browser.link('Correct it').click()
        site.says('It is corrected')
    finally:
        browser.command('Emulation.setScriptExecutionDisabled', value=False)
