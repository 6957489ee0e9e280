"""A short storm over a fleet: benches/fleet_storm.py, which compares what each robot holds of the others."""

import re
import subprocess
import sys
from pathlib import Path

STORM = Path(__file__).resolve().parents[2] / 'benches' / 'fleet_storm.py'
# Only keeps the test from hanging.
SECS_MAX = 400


def test_after_a_storm_each_robot_holds_what_the_others_share_once():
    command = [sys.executable, STORM, '--claims', '200', '--seed', '50', '--seconds', '12', '--no-clocks']
    storm = subprocess.run(command, capture_output=True, text=True, timeout=SECS_MAX)
    assert storm.returncode == 0, storm.stdout + storm.stderr
    assert 'verdict: ok' in storm.stdout
    struck = re.findall(r'([0-9]+) (?:nodes|leaves|hubs,|cut|half-open|slow|repeated|forged)', storm.stdout)
    assert len(struck) == 8 and sum(map(int, struck[:6])) > 0 and int(struck[7]) > 0, storm.stdout
