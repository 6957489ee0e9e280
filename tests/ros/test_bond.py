"""The bond of a managed node with its lifecycle manager: heartbeats while it is active, and no longer."""

import json
import signal
import time

import pytest

import packages
from conftest import wait_until
from test_lifecycle import Managed


@pytest.fixture(scope='module')
def environment():
    """An environment in which the package bond is installed."""
    return packages.install('bond')


def test_a_managed_node_has_heartbeats_while_it_is_active(nodes, environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    managed = Managed(nodes, name='bonded')
    sister = packages.Program(environment, 'bond_sister.py', 'bonded')

    def last():
        return json.loads(sister.lines[-1])

    try:
        assert managed.change('configure')
        assert not sister.lines
        assert managed.change('activate')
        managed.process.wait_until_logged('a lifecycle manager holds the bond')
        wait_until(lambda: len(sister.lines) >= 8, 'heartbeats')
        beat = last()
        assert (beat['id'], beat['active']) == ('bonded', True)
        assert (beat['heartbeat_timeout'], beat['heartbeat_period']) == (4.0, 0.25)
        # A process that stands still has no heartbeat.
        managed.process.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        count = len(sister.lines)
        time.sleep(1.5)
        assert len(sister.lines) == count
        managed.process.process.send_signal(signal.SIGCONT)
        wait_until(lambda: len(sister.lines) > count + 2, 'heartbeats again')
        # It lets go when it is deactivated, and takes hold again.
        assert managed.change('deactivate')
        wait_until(lambda: not last()['active'], 'end of the bond')
        assert managed.change('activate')
        wait_until(lambda: last()['active'], 'bond')
        # A broken bond is answered, and ends it.
        sister.say('break')
        wait_until(lambda: not last()['active'], 'answer to the break')
        managed.process.wait_until_logged('the lifecycle manager has broken the bond')
        count = len(sister.lines)
        time.sleep(1.0)
        assert len(sister.lines) == count
    finally:
        sister.end()


def test_a_node_without_the_package_or_a_manager_has_no_bond(nodes):
    managed = Managed(nodes, name='alone')
    assert managed.change('configure') and managed.change('activate')
    managed.process.wait_until_logged(
        'no bond with a lifecycle manager: package bond is not installed'
    )
