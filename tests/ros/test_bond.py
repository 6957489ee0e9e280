"""The bond of a managed node with its lifecycle manager: heartbeats while it is active, and no longer."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conftest import wait_until
from test_lifecycle import Managed

FOLDER = Path(__file__).parent


@pytest.fixture(scope='module')
def bond_environment(tmp_path_factory):
    """An environment in which the package bond is installed; it is made for these tests."""
    folder = tmp_path_factory.mktemp('bond')
    prefix, build = folder / 'install', folder / 'build'
    configure = ['cmake', '-S', FOLDER / 'bond', '-B', build, f'-DCMAKE_INSTALL_PREFIX={prefix}']
    for command in (configure, ['cmake', '--build', build, '--target', 'install']):
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    added = {
        'AMENT_PREFIX_PATH': prefix,
        'LD_LIBRARY_PATH': prefix / 'lib',
        'PYTHONPATH': next(prefix.glob('lib/python*/site-packages')),
    }
    return {name: f'{value}:{os.environ.get(name, "")}' for name, value in added.items()}


class Sister:
    """The manager's side."""

    def __init__(self, environment, bond_id):
        self.process = subprocess.Popen(
            [sys.executable, FOLDER / 'bond_sister.py', bond_id],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        self.told = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.told.append(json.loads(line))

    def say(self, word):
        self.process.stdin.write(f'{word}\n')
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.wait(10.0)


def test_a_managed_node_has_heartbeats_while_it_is_active(nodes, bond_environment, monkeypatch):
    for name, value in bond_environment.items():
        monkeypatch.setenv(name, value)
    managed = Managed(nodes, name='bonded')
    sister = Sister(bond_environment, 'bonded')
    try:
        assert managed.change('configure')
        assert not sister.told
        assert managed.change('activate')
        managed.process.wait_until_logged('a lifecycle manager holds the bond')
        wait_until(lambda: len(sister.told) >= 8, 'heartbeats')
        beat = sister.told[-1]
        assert (beat['id'], beat['active']) == ('bonded', True)
        assert (beat['heartbeat_timeout'], beat['heartbeat_period']) == (4.0, 0.25)
        # A process that stands still has no heartbeat.
        managed.process.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        count = len(sister.told)
        time.sleep(1.5)
        assert len(sister.told) == count
        managed.process.process.send_signal(signal.SIGCONT)
        wait_until(lambda: len(sister.told) > count + 2, 'heartbeats again')
        # It lets go when it is deactivated, and takes hold again.
        assert managed.change('deactivate')
        wait_until(lambda: not sister.told[-1]['active'], 'end of the bond')
        assert managed.change('activate')
        wait_until(lambda: sister.told[-1]['active'], 'bond')
        # A broken bond is answered, and ends it.
        sister.say('break')
        wait_until(lambda: not sister.told[-1]['active'], 'answer to the break')
        managed.process.wait_until_logged('the lifecycle manager has broken the bond')
        count = len(sister.told)
        time.sleep(1.0)
        assert len(sister.told) == count
    finally:
        sister.end()


def test_a_node_without_the_package_or_a_manager_has_no_bond(nodes):
    managed = Managed(nodes, name='alone')
    assert managed.change('configure') and managed.change('activate')
    managed.process.wait_until_logged('no bond with a lifecycle manager: package bond is not installed')
