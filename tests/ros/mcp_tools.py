"""Fetches what MCP is tested with, pinned and checked by hash: the official SDK in Python, and the conformance suite.

Both go into the cache of downloads, once for each pin. What cannot be fetched, as without a network, skips its tests and
says so.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import cache_folder

PINS = Path(__file__).parent / 'mcp'
FETCH_SECS_MAX = 600


def fetched(name, pins, fetch):
    """Fetch into a folder that is named after what is pinned, unless it is there."""
    stamp = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = Path(cache_folder()) / 'tools' / f'{name}-{stamp}'
    if (folder / '.complete').exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        done = subprocess.run(
            fetch(folder), capture_output=True, text=True, timeout=FETCH_SECS_MAX, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f'{name} cannot be fetched: {error}')
    if done.returncode != 0:
        pytest.skip(f'{name} cannot be fetched: {done.stderr[-500:]}')
    (folder / '.complete').touch()
    return folder


def sdk():
    """Fetch the SDK; returns the environment of a Python that has it and nothing of ROS."""
    pins = PINS / 'requirements.txt'

    def pip(folder):
        options = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-input', '--quiet']
        return [sys.executable, '-m', 'pip', 'install', '--target', folder, *options, '-r', pins]

    return dict(os.environ, PYTHONPATH=str(fetched('mcp-sdk', pins, pip)))


def suite():
    """Fetch the conformance suite; returns the command that runs it."""
    if shutil.which('npm') is None:
        pytest.skip('the conformance suite of MCP comes by npm, which is not installed')

    def npm(folder):
        for pins in ('package.json', 'package-lock.json'):
            shutil.copy(PINS / pins, folder)
        return ['npm', 'ci', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts']

    modules = fetched('mcp-conformance', PINS / 'package-lock.json', npm) / 'node_modules'
    # It needs a newer Node.js than distributions have.
    built_for = {'x86_64': 'x64', 'aarch64': 'arm64'}.get(platform.machine(), 'none')
    node = modules / f'node-linux-{built_for}' / 'bin' / 'node'
    return [
        node if node.exists() else 'node',
        modules / '@modelcontextprotocol' / 'conformance' / 'dist' / 'index.js',
    ]
