"""Gives robotmem what robot_memory was given, and prints both outcomes as one Markdown table.

    robotmem_comparison.py FOLDER

FOLDER holds what `memory comparison` wrote: workload.json, vectors.bin and ours.json. robotmem runs
twice: by words alone and, where this Python's SQLite can load sqlite-vec, with the vectors of
robot_memory's model, because its own is a download from a model hub. Its clock cannot be set: what
lies back in time is written into its file.
"""

import json
import logging
import math
import os
import sqlite3
import sys
import time
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(sys.argv[1])
# Before the import, which reads it.
os.environ['ROBOTMEM_HOME'] = str(FOLDER / 'robotmem')

# An isolated Python does not look beside the program.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from robotmem_store import Store, Vectors, quantile  # noqa: E402

WARM_UP = 20


def texts_of(workload):
    """All that is embedded, in the order of vectors.bin."""
    texts = [statement['text'] for statement in workload['statements']]
    texts += workload['queries']
    for pair in workload['pairs']:
        texts += [pair['first'], pair['second']]
    return [*texts, workload['fading']['constraint'], workload['fading']['fact']]


def fade(workload, name, vectors):
    """Confidences before and after the time of the workload."""
    fading = workload['fading']
    outcome = {}
    for what, sessions in (('constraint', 1), ('fact', fading['sessions'])):
        store = Store(FOLDER / f'robotmem_{name}_{what}.db', vectors)
        store.learn(fading[what])
        outcome[f'{what}_before'] = store.confidence(fading[what])
        store.age(fading[f'{what}_days'])
        for _ in range(sessions):
            store.live_through_a_session()
        outcome[f'{what}_after'] = store.confidence(fading[what])
    return outcome


def duplicates(store, pairs):
    """Learns each pair in a collection of its own; the method that found the second, if any did."""
    methods = []
    for pair in pairs:
        store.learn(pair['first'], collection=pair['name'])
        answer = store.learn(pair['second'], collection=pair['name'])
        methods.append(answer['method'] if answer['status'] == 'duplicate' else '')
    return methods


def measure(workload, name, vectors):
    """What robotmem makes of the workload."""
    statements, queries, n = workload['statements'], workload['queries'], workload['n']
    store = Store(FOLDER / f'robotmem_{name}.db', vectors)
    print(f'compare: robotmem ({name}) learns {len(statements)} statements', file=sys.stderr)
    stored = {}
    for statement in statements:
        answer = store.learn(statement['text'], statement['context'])
        if answer['status'] == 'created':
            stored[answer['memory_id']] = statement
    marked = {key for key, statement in stored.items() if statement['marked']}

    times = []
    for turn in range(WARM_UP + workload['rounds']):
        started = time.perf_counter()
        store.memory.recall(queries[turn % len(queries)], n=n)
        if turn >= WARM_UP:
            times.append((time.perf_counter() - started) * 1e3)

    matching, nearest = [], []
    for query, target in zip(queries, workload['targets_m']):
        answer = store.memory.recall(query, n=n, context_filter=json.loads(workload['filter']))
        matching.append(sum(memory['id'] in marked for memory in answer))
        distance = {key: math.dist(stored[key]['position_m'], target) for key in stored}
        truth = set(sorted(distance, key=lambda key: (distance[key], key))[:n])
        spatial_sort = {'field': workload['position'], 'target': target}
        answer = store.memory.recall(query, n=n, spatial_sort=spatial_sort)
        nearest.append(sum(memory['id'] in truth for memory in answer))
    return {
        'stored': len(stored),
        'matching': len(marked),
        'matching_answered': matching,
        'nearest_answered': nearest,
        'confidences': fade(workload, name, vectors),
        'duplicates': duplicates(store, workload['pairs']),
        'recall_p50_ms': quantile(times, 0.5),
        'recall_p99_ms': quantile(times, 0.99),
    }


def mean(counts):
    """Of the rows answered, query by query."""
    return f'{sum(counts) / len(counts):.2f}'


def verdict(pair, method):
    """What became of the second statement of a pair."""
    right = bool(method) == pair['same']
    return f'{"right" if right else "**wrong**"}: {f"duplicate ({method})" if method else "kept"}'


def print_table(workload, columns):
    """A line for each measure, a column for each outcome."""
    fading, n = workload['fading'], workload['n']
    outcomes = list(columns.values())
    asked = len(workload['queries'])

    def row(what, cells):
        print(f'| {what} | {" | ".join(cells)} |')

    row('measure', columns)
    row('---', ['---:'] * len(columns))
    learned = len(workload['statements'])
    row(f'memories made of {learned} statements', [str(o['stored']) for o in outcomes])
    row('of them match the filter', [str(o['matching']) for o in outcomes])
    row(
        f'matching rows among n = {n} answered, mean of {asked} questions with the filter',
        [mean(o['matching_answered']) for o in outcomes],
    )
    row(
        f'true nearest {n} among n = {n} answered, mean of {asked} questions with a spatial sort',
        [mean(o['nearest_answered']) for o in outcomes],
    )
    days, sessions = '{:.0f} days old'.format, fading['sessions']
    for what, text in (
        ('constraint', f'a constraint {days(fading["constraint_days"])}, one EndSession'),
        ('fact', f'a fact {days(fading["fact_days"])}, {sessions} EndSessions in a minute'),
    ):
        cells = []
        for outcome in outcomes:
            values = outcome['confidences']
            cells.append(f'{values[f"{what}_before"]:.4f} → {values[f"{what}_after"]:.4f}')
        row(f'confidence of {text}', cells)
    for i, pair in enumerate(workload['pairs']):
        cells = [verdict(pair, outcome['duplicates'][i]) for outcome in outcomes]
        row(f'{pair["name"]}: {"the same" if pair["same"] else "not the same"}', cells)
    for share in ('p50', 'p99'):
        cells = [f'{outcome[f"recall_{share}_ms"]:.2f} ms' for outcome in outcomes]
        row(f'recall, n = {n}, {share} of {workload["rounds"]}', cells)


def main():
    # It warns of each query that its full-text search cannot read.
    logging.disable(logging.WARNING)
    workload = json.loads((FOLDER / 'workload.json').read_text())
    ours_words, ours_model = json.loads((FOLDER / 'ours.json').read_text())
    theirs = f'robotmem {version("robotmem")}'
    columns = {f'{theirs}, words': measure(workload, 'words', None)}
    if hasattr(sqlite3.Connection, 'enable_load_extension'):
        vectors = Vectors(texts_of(workload), FOLDER / 'vectors.bin')
        columns[f'{theirs}, vectors given'] = measure(workload, 'vectors', vectors)
    else:
        print("compare: this Python's SQLite loads no sqlite-vec: words only", file=sys.stderr)
    columns['robot_memory, words'] = ours_words
    columns['robot_memory, its model'] = ours_model
    print(
        f'robotmem runs on SQLite {sqlite3.sqlite_version}, by words alone and with vectors of '
        "robot_memory's model, since its own is a download; it is spared the time of embedding.\n"
    )
    print_table(workload, columns)


if __name__ == '__main__':
    main()
