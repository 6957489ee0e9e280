"""What a fleet costs a robot: the same calls, in turn, of a node that is in one and of a node that is alone.

    source scripts/env.sh
    python3 benches/fleet_cost.py                   600 rounds after 2 000 memories
    python3 benches/fleet_cost.py --told-per-sec 50 how much another robot tells meanwhile, in the second half

Both nodes are asked over HTTP for the same. In the first half no other robot says anything, so that the fleet costs what is told; in
the second half another one learns all the time, which the first takes. Prints the medians, and how many times as long they are in the
fleet. Ends with 1 when a Learn or a Recall takes more than 1.05 times as long while nobody else says anything.
"""

import argparse
import itertools
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from fleet_requests import requests_of
from fleet_storm import POLICY
from fleet_world import Failed, Fleet, Node, listens, wait_until

RATIO_MAX = 1.05


def timed(node, operation, **fields):
    """Milliseconds that a call takes."""
    begun = time.perf_counter()
    status, answer = node.call(operation, **fields)
    took = time.perf_counter() - begun
    if status != 200:
        raise Failed(f'{operation}: {answer}')
    return took * 1000.0


def rounds(nodes, requests, count):
    """Of each node what its calls took, by operation."""
    took = {operation: {name: [] for name in nodes} for operation in ('learn', 'recall')}
    for number, (_, fields) in enumerate(itertools.islice(requests, count)):
        names = list(nodes) if number % 2 else list(reversed(nodes))
        for name in names:
            took['learn'][name].append(timed(nodes[name], 'learn', **fields))
        for name in names:
            took['recall'][name].append(timed(nodes[name], 'recall', query=fields['insight']))
        # As a robot, and not as fast as it can: what is told between calls is told by then.
        time.sleep(0.02)
    return took


def tell(node, requests, per_sec, is_over):
    """Learn so much, until it is over."""
    for _, fields in requests:
        if is_over.wait(1.0 / per_sec):
            return
        node.call('learn', **fields)


def shown(what, took):
    """Print it; the ratios."""
    ratios = []
    for operation, by_name in took.items():
        fleet, alone = (statistics.median(by_name[name]) for name in ('arm_1', 'alone'))
        ratios.append(fleet / alone)
        print(f'{what}: {operation}: {fleet:.2f} ms in the fleet, {alone:.2f} ms alone: {fleet / alone:.3f}', flush=True)
    return ratios


def measure(options, folder):
    """Whether the fleet costs no more than it may."""
    fleet = Fleet(folder, ('arm_1', 'arm_2'), POLICY)
    alone = Node(folder, 'alone', None, False)
    is_over = threading.Event()
    try:
        fleet.start()
        alone.start()
        wait_until(lambda: listens(alone.port), 'node')
        nodes = {'arm_1': fleet.nodes['arm_1'], 'alone': alone}
        requests = requests_of('arm_1', options.memories + 2 * options.rounds, options.seed)
        for _, fields in itertools.islice(requests, options.memories):
            for node in nodes.values():
                node.call('learn', **fields)
        wait_until(lambda: fleet.nodes['arm_1'].fleet()[0], 'claims told')
        ratios = shown('nobody else tells anything', rounds(nodes, requests, options.rounds))
        others = requests_of('arm_2', 1_000_000, options.seed)
        teller = threading.Thread(target=tell, args=(fleet.nodes['arm_2'], others, options.told_per_sec, is_over))
        teller.start()
        shown(f'{options.told_per_sec:g} claims a second are taken', rounds(nodes, requests, options.rounds))
        return max(ratios) <= RATIO_MAX
    finally:
        is_over.set()
        alone.stop()
        fleet.end()


def main():
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--memories', type=int, default=2_000, help='that are there before')
    parser.add_argument('--rounds', type=int, default=600, help='of each half')
    parser.add_argument('--told-per-sec', type=float, default=20.0, help='by another robot, in the second half')
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix='robot_memory_cost_'))
    try:
        is_good = measure(options, folder)
    except (Failed, OSError) as error:
        is_good = False
        print(f'failed: {error}')
    shutil.rmtree(folder)
    return 0 if is_good else 1


if __name__ == '__main__':
    sys.exit(main())
