"""The learning experiment: whether it runs from end to end, on real physics, with a node of its own."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from conftest import node_program

EXAMPLE = Path(__file__).parents[2] / 'examples/learning'
SETUP_SECS_MAX = 600.0
RUN_SECS_MAX = 300.0
REDUCED_SECS_MAX = 1800.0


@pytest.fixture(scope='module')
def python():
    """The Python of the example's environment; made when it is not there."""
    if not EXAMPLE.is_dir():
        pytest.skip('examples/learning is not here')
    setup = subprocess.run(
        [EXAMPLE / 'setup'], capture_output=True, text=True, timeout=SETUP_SECS_MAX, stdin=subprocess.DEVNULL
    )
    if setup.returncode != 0:
        # A robot may have no package index; the machine of the tests has.
        end = pytest.fail if os.environ.get('CI') else pytest.skip
        end(f'the environment of examples/learning cannot be made: {setup.stderr[-500:]}')
    return setup.stdout.strip()


def test_the_experiment_runs_and_reports(python, tmp_path):
    """Every kind of arm, a few episodes."""
    command = [python, EXAMPLE / 'run.py', '--smoke', '--out', tmp_path / 'out']
    environment = os.environ | {'ROBOT_MEMORY_NODE': str(node_program())}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=RUN_SECS_MAX,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    assert done.returncode == 0, f'{done.stdout}\n{done.stderr}'
    results = json.loads((tmp_path / 'out/results.json').read_text())
    assert {row['task'] for row in results['arms']} == {'slide', 'grip', 'open drawer'}
    oracle, none = (
        sum(row['success'] for row in results['arms'] if row['arm'] == arm) for arm in ('oracle', 'none')
    )
    assert oracle > none, 'to know what is hidden does not help'
    ours = [run for run in results['runs'] if run['arm'] == 'ours']
    assert any(count > 0 for run in ours for count in run['attempts']), 'no briefing had an attempt'
    assert (tmp_path / 'out/learning_noisy.png').stat().st_size > 0


@pytest.mark.skipif('ROBOT_MEMORY_LONG' not in os.environ, reason='some minutes: scripts/test --long')
def test_the_memory_helps_the_robot(python, tmp_path):
    """Two seeds; no claim fails clearly."""
    command = [python, EXAMPLE / 'run.py', '--reduced', '--out', tmp_path / 'out']
    environment = os.environ | {'ROBOT_MEMORY_NODE': str(node_program())}
    done = subprocess.run(command, text=True, timeout=REDUCED_SECS_MAX, stdin=subprocess.DEVNULL, env=environment)
    assert done.returncode == 0
