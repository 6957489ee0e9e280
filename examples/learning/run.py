"""Measures what a robot's memory is worth: simulated robots, hidden properties, arms with and without memory.

    source scripts/env.sh
    "$(examples/learning/setup)" examples/learning/run.py --out FOLDER

Writes FOLDER/runs/*.json, results.json, table.md and learning.png. README.md says what is measured.
"""

import argparse
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from multiprocessing.util import Finalize
from pathlib import Path

# Physics and policy are small: more threads would only disturb each other.
for library in ('OMP', 'OPENBLAS', 'MKL'):
    os.environ.setdefault(f'{library}_NUM_THREADS', '1')

from tqdm import tqdm  # noqa: E402

import report  # noqa: E402
from arms import ARMS, NAMELESS, OF_NODE  # noqa: E402
from memory import Ros  # noqa: E402
from tasks import TASKS  # noqa: E402
from world import make_store_of_others, Setting, World  # noqa: E402

NOT_REDUCED = ('mean', 'ours_sessions_0', 'ours_sessions_1', 'ours_sessions_3')
SMOKE_ARMS = ('none', 'nearest_text', 'ours', 'ours_10k', 'ours_sessions_1', 'ours_stale', 'oracle')
STATE = {}


def parsed(arguments):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tasks', nargs='+', choices=tuple(TASKS), default=list(TASKS))
    parser.add_argument('--arms', nargs='+', choices=tuple(ARMS), default=list(ARMS))
    parser.add_argument('--conditions', nargs='+', choices=('clean', 'noisy'), default=['clean', 'noisy'])
    parser.add_argument('--seeds', type=int, default=5, help='how many')
    parser.add_argument('--first-seed', type=int, default=200)
    parser.add_argument('--episodes', type=int, default=240)
    parser.add_argument('--things', type=int, default=12)
    parser.add_argument('--others', type=int, default=10_000, help='other memories in ours_10k')
    parser.add_argument('--set', choices=('development', 'final', 'held_out'), default='final', help='of things')
    parser.add_argument('--out', type=Path, default=Path('learning'))
    parser.add_argument('--workers', type=int, default=1, help='processes, each with a node of its own')
    parser.add_argument('--namespace', default='', help='full name of a node that runs already')
    parser.add_argument('--reduced', action='store_true', help='two seeds, 1 000 others: the claims, loosely')
    parser.add_argument('--smoke', action='store_true', help='two things, a few episodes: does it run')
    given = parser.parse_args(arguments)
    if given.reduced:
        given.seeds, given.others = min(given.seeds, 2), min(given.others, 1000)
        given.arms = [arm for arm in given.arms if arm not in NOT_REDUCED]
    if given.smoke:
        given.seeds, given.things, given.episodes, given.others = 1, 2, 8, 20
        given.set = 'development'
        given.conditions = ['noisy']
        given.arms = list(SMOKE_ARMS)
    if given.namespace and given.workers > 1:
        parser.error('--namespace goes with one worker')
    return given


def setting_of(given):
    """Collect what all worlds share."""
    return Setting(given.set, given.things, given.episodes, given.others)


def runs_of(given):
    """All (arm, condition) of a world."""
    for arm in given.arms:
        yield from ((arm, it) for it in (given.conditions[:1] if arm in NAMELESS else given.conditions))


def begin_worker(counter, given, store):
    """Set up a process for worlds."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    STATE.update(counter=counter, given=given, store=store, ros=None)


def play_world(job):
    """Play all runs of a task and a seed; writes them, and returns an error or nothing."""
    key, seed = job
    given = STATE['given']
    if STATE['ros'] is None and any(arm in OF_NODE for arm in given.arms):
        STATE['ros'] = Ros()
        Finalize(None, STATE['ros'].close, exitpriority=10)
    world = World(key, seed, setting_of(given), STATE['ros'], STATE['store'], given.namespace)
    runs = []
    try:
        for arm, condition in runs_of(given):
            began = time.monotonic()
            run = world.run(arm, condition)
            runs.append(run | {'secs': round(time.monotonic() - began, 2)})
            with STATE['counter'].get_lock():
                STATE['counter'].value += 1
    except Exception as error:
        return f'task {key}, seed {seed}: {type(error).__name__}: {error}'
    finally:
        world.close()
    (given.out / 'runs' / f'{key}_{seed}.json').write_text(json.dumps(runs))
    return ''


def make_others(given, folder):
    """Make the store of others, if an arm needs one."""
    if 'ours_10k' not in given.arms or given.namespace:
        return None
    path = Path(folder) / 'others.db'
    with tqdm(total=given.others, unit='memory', desc='memories of other things') as bar:
        context = multiprocessing.get_context('spawn')
        counter = context.Value('i', 0)
        process = context.Process(target=make_others_here, args=(path, setting_of(given), counter))
        process.start()
        watch(bar, counter, process.is_alive)
        process.join()
    if process.exitcode != 0:
        sys.exit('the memories of other things could not be loaded')
    return path


def make_others_here(path, setting, counter):
    """Make the store of others in this process."""
    def tick():
        with counter.get_lock():
            counter.value += 1

    ros = Ros()
    make_store_of_others(ros, path, setting, tick)
    ros.close()


def watch(bar, counter, goes_on):
    """Show progress while something goes on."""
    while goes_on():
        time.sleep(0.2)
        bar.update(counter.value - bar.n)
    bar.update(counter.value - bar.n)


def main(arguments):
    """Run all, and report."""
    given = parsed(arguments)
    began = time.monotonic()
    (given.out / 'runs').mkdir(parents=True, exist_ok=True)
    for old in (given.out / 'runs').glob('*.json'):
        old.unlink()
    jobs = [(key, given.first_seed + i) for i in range(given.seeds) for key in given.tasks]
    context = multiprocessing.get_context('spawn')
    counter = context.Value('i', 0)
    with tempfile.TemporaryDirectory(prefix='robot_memory_learning_') as folder:
        store = make_others(given, folder)
        total = len(jobs) * len(list(runs_of(given)))
        with tqdm(total=total, unit='run', desc=f'{given.episodes} episodes each') as bar:
            with context.Pool(given.workers, begin_worker, (counter, given, store)) as pool:
                played = pool.map_async(play_world, jobs, chunksize=1)
                watch(bar, counter, lambda: not played.ready())
                errors = [error for error in played.get() if error]
                pool.close()
                pool.join()
    for error in errors:
        print(error, file=sys.stderr)
    if errors:
        return 1
    how = {name: value for name, value in vars(given).items() if name not in ('out', 'namespace')}
    how['duration_secs'] = round(time.monotonic() - began)
    has_passed = report.write(given.out, how, is_loose=given.reduced)
    return 0 if has_passed or not given.reduced else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
