"""Measures robotmem as `memory table` measures this memory, and prints the figures as JSON.

    robotmem_recall.py FOLDER

FOLDER holds what `memory part workload-for-robotmem` wrote: workload.json and vectors.bin. What it
stores are facts, since its perceptions have no context that a filter could ask for.
"""

import json
import logging
import os
import sys
import threading
import time
from importlib.metadata import version
from itertools import islice
from pathlib import Path

FOLDER = Path(sys.argv[1])
# Before the import, which reads it.
os.environ['ROBOTMEM_HOME'] = str(FOLDER / 'robotmem')
# An isolated Python does not look beside the program.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from robotmem_store import Store, Vectors, quantile  # noqa: E402

WARM_UP_MAX = 20
N = 5
LIST_LEN = 10
PERCEPTION_EVERY_S = 0.01


class Figures:
    """What was measured, in the form that `memory table` reads."""

    def __init__(self, size):
        self.system = f'robotmem {version("robotmem")}'
        self.size = size
        self.list = []

    def add(self, measure, value, unit):
        """Adds one."""
        figure = {'measure': measure, 'system': self.system, 'size': self.size}
        self.list.append(figure | {'value': value, 'unit': unit})


def resident_mb():
    """Memory of this process in physical RAM."""
    for line in Path('/proc/self/status').read_text().splitlines():
        if line.startswith('VmRSS:'):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError('no VmRSS')


def timed(call):
    """The answer of a call, and its milliseconds by the wall clock and on the processor."""
    wall, cpu = time.perf_counter(), time.thread_time()
    answer = call()
    return answer, (time.perf_counter() - wall) * 1e3, (time.thread_time() - cpu) * 1e3


def measure_quality(workload, store, numbers, figures):
    """What is found, before anything else is stored."""
    questions = workload['questions'][: workload['rounds']]
    found = matching = 0
    for target, question in enumerate(questions):
        answer = store.memory.recall(question, n=LIST_LEN)
        found += any(numbers.get(memory['id']) == target for memory in answer)
        answer = store.memory.recall(question, n=N, context_filter=workload['narrow'])
        marked = (workload['statements'][numbers[memory['id']]]['marked'] for memory in answer)
        matching += sum(marked)
    asked = len(questions)
    figures.add('the memory asked for is among 10 answered', found / asked, 'share')
    figures.add('rows that match the narrow filter, of 5', matching / asked, 'mean')


def measure_recall(workload, store, perceive, figures):
    """Filtered questions while another thread stores perceptions."""
    stop = threading.Event()
    count = 0

    def keep_perceiving():
        nonlocal count
        due = time.perf_counter()
        while not stop.is_set():
            count += perceive()
            due += PERCEPTION_EVERY_S
            stop.wait(max(0.0, due - time.perf_counter()))

    thread = threading.Thread(target=keep_perceiving)
    started = time.perf_counter()
    thread.start()
    walls, cpus = [], []
    questions, rounds = workload['questions'], workload['rounds']
    limits = {'n': N, 'min_confidence': workload['min_confidence']}
    warm_up = min(-(-rounds // 10), WARM_UP_MAX)
    for turn in range(warm_up + rounds):
        question = questions[turn % len(questions)]
        _, wall, cpu = timed(
            lambda text=question: store.memory.recall(
                text, context_filter=workload['broad'], **limits
            )
        )
        if turn >= warm_up:
            walls.append(wall)
            cpus.append(cpu)
    secs = time.perf_counter() - started
    stop.set()
    thread.join()
    for what, times in (('CPU', cpus), ('wall', walls)):
        for share, name in ((0.5, 'p50'), (0.95, 'p95'), (0.99, 'p99')):
            figures.add(f'recall, filtered: {what} {name}', quantile(times, share), 'ms')
    figures.add('perceptions stored meanwhile', count / secs, '1/s')


def measure_writes(workload, store, fresh, figures):
    """Single writes of what is not stored yet; robotmem leaves the log of SQLite unsynced."""
    perceiving, learning = [], []
    for statement in islice(fresh, workload['rounds']):
        perceiving.append(timed(lambda s=statement: store.memory.save_perception(s['text']))[1:])
    for statement in islice(fresh, workload['rounds']):
        answer, *times = timed(lambda s=statement: store.learn(s['text'], s['context']))
        if answer['status'] == 'created':
            learning.append(times)
    for what, times in (('SavePerception', perceiving), ('Learn', learning)):
        if times:
            walls, cpus = zip(*times)
            figures.add(f'{what}, one: wall p50', quantile(walls, 0.5), 'ms')
            figures.add(f'{what}, one: wall p95', quantile(walls, 0.95), 'ms')
            figures.add(f'{what}, one: CPU p50', quantile(cpus, 0.5), 'ms')


def main():
    # It warns of each query that its full-text search cannot read.
    logging.disable(logging.WARNING)
    workload = json.loads((FOLDER / 'workload.json').read_text())
    statements, size = workload['statements'], workload['size']
    texts = [statement['text'] for statement in statements] + workload['questions']
    vectors = Vectors(texts, FOLDER / 'vectors.bin')
    figures = Figures(size)
    path = FOLDER / 'memory.db'

    store = Store(path, vectors)
    numbers = {}
    for number, statement in enumerate(statements[:size]):
        answer = store.learn(statement['text'], statement['context'])
        if answer['status'] == 'created':
            numbers[answer['memory_id']] = number
    store.memory.close()
    figures.add('file', path.stat().st_size / 1e6, 'MB')

    before_mb = resident_mb()
    started = time.perf_counter()
    store = Store(path, vectors)
    store.memory.recall(workload['questions'][0], context_filter=workload['broad'])
    secs = time.perf_counter() - started
    figures.add('from opening to the first settled answer', secs, 's')
    measure_quality(workload, store, numbers, figures)

    fresh = iter(statements[size : size + 2 * workload['rounds']])
    meanwhile = iter(statements[size + 2 * workload['rounds'] :])
    writer = Store(path, vectors)

    def perceive():
        statement = next(meanwhile, None)
        return statement is not None and writer.perceive(statement['text'])

    measure_recall(workload, store, perceive, figures)
    figures.add('resident memory besides the model', resident_mb() - before_mb, 'MB')
    measure_writes(workload, store, fresh, figures)
    print(json.dumps(figures.list))


if __name__ == '__main__':
    main()
