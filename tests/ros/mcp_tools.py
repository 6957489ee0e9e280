"""Fetches what MCP is tested with, pinned and checked by hash: the official SDK in Python, and the conformance suite.

Both go into the cache of downloads, once for each pin. What cannot be fetched, as without a network, skips its tests and
says so.
"""

import contextlib
import fcntl
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
FETCH_SECS_MAX = 300
# By name: why it could not be fetched, so that not each test tries again.
FAILED = {}


def fetched(name, pins, fetch):
    """Fetch into a folder that is named after what is pinned, unless it is there."""
    stamp = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = Path(cache_folder()) / 'tools' / f'{name}-{stamp}'
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Tests run in several processes.
    with locked(folder.parent / f'{name}.lock'):
        if (folder / '.complete').exists():
            return folder
        if name not in FAILED:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            FAILED[name] = why_not(fetch(folder))
        if FAILED[name] is None:
            del FAILED[name]
            (folder / '.complete').touch()
            return folder
    pytest.skip(f'{name} cannot be fetched: {FAILED[name]}')


@contextlib.contextmanager
def locked(path):
    """Hold a lock that other processes wait for."""
    with open(path, 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def why_not(command):
    """Run a command that fetches; returns why it failed, or None."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=FETCH_SECS_MAX, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr[-500:]


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
