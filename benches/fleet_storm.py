"""A storm over a fleet of three real nodes, each with a NATS leaf, and a hub; then each store is compared with the answers.

    source scripts/env.sh
    python3 benches/fleet_storm.py                          10 000 memories of each robot
    python3 benches/fleet_storm.py --claims 500 --seed 7    fewer, with the chances of an earlier run
    python3 benches/fleet_storm.py --tls                    connections by TLS, with certificates made for the run
    python3 benches/fleet_storm.py --catch-up               how long a robot that was cut off takes for 10 000 claims

While callers learn, update and forget over HTTP, links between leaves and the hub are cut, slow, or swallow bytes; nodes,
leaves and the hub are killed and started again; clocks of nodes jump by hours (with libfaketime, where it is installed);
messages of the fleet's stream are published again in another order, and forged ones among them. At the end all is healed. Ends
with 1 when a store has not exactly what was answered as success and is shared, each claim once, or when forged messages were
not counted as refused. The seed repeats the chances, not the times at which processes answer.
"""

import argparse
import collections
import heapq
import itertools
import json
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

from fleet_requests import requests_of
from fleet_world import DOWN, FAKETIME, UP, Failed, Fleet, Nats, wait_until

ROBOTS = ('arm_1', 'arm_2', 'arm_3')
POLICY = """
fleet:
  - {scope: "group:cell-7", share: statements}
  - {scope: "group:cell-8", share: limits_and_lessons}
  - {scope: global, mem_types: [preference], share: nothing}
  - {scope: global, share: statements}
"""
CALLERS = 4
HOURS_MAX = 12
FORGED = 'zzforged'
# Without any step forward for so long after the heal, nothing more is waited for.
STALLED_SECS_MAX = 150.0
SHOWN_MAX = 12
# With 10 000 claims to catch up with.
CATCH_UP_SECS_MAX = 5.0


class Robot:
    """What a robot was asked to remember, and what it answered."""

    def __init__(self, node, requests, seed):
        self.node, self.requests, self.chance = node, iter(requests), random.Random(seed)
        self.lock = threading.Lock()
        self.own, self.is_shared, self.gone = {}, {}, set()
        self.queued = {}
        self.counts = collections.Counter()
        self.asked, self.begun, self.is_over = 0, time.monotonic(), False

    def next_request(self, secs_each):
        """The next one, when its time has come; None: there are none."""
        with self.lock:
            found = next(self.requests, None)
            self.asked += 1
            due = self.begun + self.asked * secs_each
        time.sleep(max(0.0, due - time.monotonic()))
        return found

    def insist(self, operation, **fields):
        """Call until it is answered; status, answer, and whether an earlier try may have been done."""
        is_unsure = False
        while not self.is_over:
            try:
                status, answer = self.node.call(operation, **fields)
                if status < 500:
                    return status, answer, is_unsure
                self.counts[f'answers {status}'] += 1
            except OSError:
                is_unsure = True
                self.counts['calls without an answer'] += 1
            time.sleep(0.1)
        raise Failed('the callers were told to end')

    def learn(self, is_shared, fields):
        """Learn, and note what was answered."""
        status, answer, _ = self.insist('learn', **fields)
        if status != 200:
            raise Failed(f'learn: {answer}')
        with self.lock:
            self.counts[answer['status']] += 1
            self.drop(answer['superseded_ids'])
            if answer['status'] == 'created':
                self.own[answer['memory_id']], self.is_shared[answer['memory_id']] = fields['insight'], is_shared
            elif answer['status'] == 'queued':
                self.queued[fields['insight']] = is_shared

    def drop(self, ids):
        """Note what holds no more."""
        for it in ids:
            self.own.pop(it, None)
            self.gone.add(it)

    def change_one(self):
        """Forget or update a memory that nobody else changes meanwhile."""
        with self.lock:
            if not self.own:
                return
            memory_id = self.chance.choice(list(self.own))
            text = self.own.pop(memory_id)
            is_update = self.chance.random() < 0.5 and 'grip' not in text
        if is_update:
            new = f'{text} today'
            status, answer, _ = self.insist('update', memory_id=memory_id, new_content=new)
            if status != 200:
                raise Failed(f'update: {answer}')
            with self.lock:
                self.counts['updated'] += 1
                self.drop(answer['superseded_ids'])
                self.own[memory_id] = new
            return
        status, answer, is_unsure = self.insist('forget', memory_id=memory_id, reason='no longer so')
        if status != 200 and not (is_unsure and answer.get('error_code') == 'invalid_state'):
            raise Failed(f'forget: {answer}')
        with self.lock:
            self.counts['forgotten'] += 1
            self.drop([memory_id])

    def run(self, secs_each, faults):
        """Ask until there is nothing to ask."""
        try:
            while (found := self.next_request(secs_each)) is not None:
                self.learn(*found)
                if self.chance.random() < 0.06:
                    self.change_one()
        except (Failed, KeyError) as error:
            if not self.is_over:
                faults.append(f'a caller of {self.node.name}: {error!r}')

    def shared(self):
        """What others are to be told."""
        return {memory_id: text for memory_id, text in self.own.items() if self.is_shared[memory_id]}

    def rows(self, query, *values):
        """Rows of its store."""
        with closing(sqlite3.connect(f'file:{self.node.store}?mode=ro', uri=True, timeout=60.0)) as store:
            return store.execute(query, values).fetchall()

    def find_queued(self):
        """Give the ids of what waited in the write queue."""
        if self.queued:
            for memory_id, text in self.rows("SELECT id, content FROM memory WHERE source <> 'fleet'"):
                if text in self.queued:
                    self.own[memory_id], self.is_shared[memory_id] = text, self.queued.pop(text)


def differences(what, given, wanted):
    """In what two tables of texts by id differ, in a few lines."""
    missing = [it for it in wanted.items() if it[0] not in given]
    extra = [it for it in given.items() if it[0] not in wanted]
    other = [(it, text, wanted[it]) for it, text in given.items() if it in wanted and wanted[it] != text]
    for name, found in (('missing', missing), ('too much', extra), ('other text', other)):
        if found:
            yield f'{what}: {len(found)} {name}: {found[:3]}'


def faults_of(robots):
    """What the stores have too much or too little."""
    faults = []
    for robot in robots:
        robot.find_queued()
        name, own = robot.node.name, robot.own
        rows = robot.rows("SELECT id, content, status FROM memory WHERE source <> 'fleet'")
        faults += differences(f'{name} itself', {it: text for it, text, status in rows if status == 'active'}, own)
        faults += [f'{name} has not stored what waited: {text}' for text in list(robot.queued)[:3]]
        told = robot.rows(
            'SELECT h.origin, h.origin_memory_id, m.content, m.id FROM hearsay h JOIN memory m ON m.id = h.memory_id '
            "WHERE h.state = 'held' AND m.status = 'active' AND m.scope = 'fleet'"
        )
        others = [it for it in robots if it is not robot]
        for other in others:
            held = {it: text for origin, it, text, _ in told if origin == other.node.name}
            faults += differences(f'{name} of {other.node.name}', held, other.shared())
        faults += faults_of_hearsay(robot, others, {it for *_, it in told})
    return faults


def faults_of_hearsay(robot, others, told_ids):
    """Memories of the fleet that nobody tells, that are there twice, that must not be there; claims of strangers."""
    name, faults = robot.node.name, []
    rows = robot.rows("SELECT id, content, status FROM memory WHERE scope = 'fleet' OR source = 'fleet'")
    untold = [it for it in rows if it[0] not in told_ids or it[2] != 'active']
    twice = [it for it in collections.Counter(text for _, text, _ in rows).items() if it[1] > 1]
    unshared = {text for other in others for it, text in other.own.items() if not other.is_shared[it]}
    leaked = [it for it in rows if it[1] in unshared or FORGED in it[1]]
    strangers = robot.rows(
        'SELECT origin, count(*) FROM hearsay WHERE origin NOT IN (?, ?) GROUP BY origin', *(it.node.name for it in others)
    )
    gone = {(other.node.name, it) for other in others for it in other.gone}
    states = robot.rows("SELECT origin, origin_memory_id FROM hearsay WHERE state = 'held'")
    believed = [it for it in states if it in gone]
    revoked = robot.rows('SELECT id, revoked_by FROM revocation')
    for what, found in (
        ('that nobody tells', untold), ('twice', twice), ('not shared, or forged', leaked), ('of strangers', strangers),
        ('held and taken back', believed), ('revoked', revoked),
    ):  # fmt: skip
        if found:
            faults.append(f'{name}: {len(found)} {what}: {found[:3]}')
    return faults


def forgeries(chance, subject, payload):
    """A forged message of each kind, made of one of the stream: the reason for which it is to be refused, and the message."""
    envelope = json.loads(payload)
    claim = envelope['claim']

    def with_claim(**fields):
        changed = {key: value for key, value in (claim | fields).items() if value is not None}
        return json.dumps(envelope | {'claim': changed}).encode()

    said = claim['statement'] | {'content': f'{FORGED} {chance.random()}'}
    selector = {'origin': claim['origin'], 'reason': FORGED}
    other = chance.choice([it for it in ROBOTS if it != claim['origin']])
    made = {
        'altered': ('bad_signature', with_claim(statement=said, revision=claim['revision'] + 1000)),
        'of another': ('bad_signature', with_claim(origin=other, statement=said)),
        'retraction': ('bad_signature', with_claim(op='retract', statement=None, revision=claim['revision'] + 1000)),
        'revocation': ('bad_signature', with_claim(op='revoke', statement=None, selector=selector)),
        'stranger': ('unknown_robot', with_claim(origin='arm_9', statement=said)),
        'version': ('unknown_version', with_claim(version='memory.claim.v9', statement=said)),
        'cut off': ('malformed', payload[: len(payload) // 2]),
        'more fields': ('malformed', with_claim(statement=said, believe_me=True)),
        'large': ('too_large', payload + b' ' * (256 << 10)),
    }
    return [(reason, (subject, (('Storm', kind),), message)) for kind, (reason, message) in made.items()]


class Storm:
    """What happens to the fleet."""

    def __init__(self, fleet, chance, has_clocks, has_wipes):
        self.fleet, self.chance, self.later = fleet, chance, []
        self.counts = collections.Counter()
        self.number = itertools.count()
        # Weight of each event.
        self.events = {
            self.cut: 5, self.swallow: 5, self.slow: 3, self.kill_node: 4, self.kill_leaf: 3, self.kill_hub: 2,
            self.replay: 4, self.forge: 3, self.skew: 3 if has_clocks else 0, self.wipe_hub: 1 if has_wipes else 0,
        }  # fmt: skip

    def run(self, is_over):
        """Let one thing after the other happen."""
        while not is_over():
            event = self.chance.choices(list(self.events), list(self.events.values()))[0]
            try:
                event()
            except OSError:
                # The hub is away.
                self.counts['not possible'] += 1
            self.pause(self.chance.uniform(0.1, 1.8))

    def pause(self, secs):
        """Wait, and end what lasted long enough."""
        until = time.monotonic() + secs
        while self.later and self.later[0][0] <= until:
            at, _, end = heapq.heappop(self.later)
            time.sleep(max(0.0, at - time.monotonic()))
            end()
        time.sleep(max(0.0, until - time.monotonic()))

    def end_in(self, secs, end):
        """End something later."""
        heapq.heappush(self.later, (time.monotonic() + secs, next(self.number), end))

    def wire(self):
        """The network of one robot."""
        return self.fleet.wires[self.chance.choice(ROBOTS)]

    def cut(self):
        """Cut a robot off."""
        wire = self.wire()
        wire.cut()
        self.counts['cuts'] += 1
        self.end_in(self.chance.uniform(0.2, 12.0), wire.heal)

    def swallow(self):
        """Take bytes without passing them on, one way or both."""
        wire, are_closed = self.wire(), self.chance.random() < 0.5
        wire.swallowed = self.chance.choice([{UP}, {DOWN}, {UP, DOWN}])
        self.counts['half-open'] += 1
        self.end_in(self.chance.uniform(0.2, 15.0), lambda: wire.heal(are_closed))

    def slow(self):
        """Let each piece wait."""
        wire = self.wire()
        wire.delay_secs = self.chance.uniform(0.01, 0.4)
        self.counts['slow'] += 1
        self.end_in(self.chance.uniform(2.0, 12.0), wire.heal)

    def kill(self, what, part, longest):
        """Kill a process, and start it again later."""
        secs = self.chance.uniform(0.0, longest)
        if part.kill():
            self.counts[what] += 1
            self.end_in(secs, part.start)

    def kill_node(self):
        """Kill a robot's node."""
        self.kill('nodes', self.fleet.nodes[self.chance.choice(ROBOTS)], 4.0)

    def kill_leaf(self):
        """Kill a robot's NATS server."""
        self.kill('leaves', self.fleet.leaves[self.chance.choice(ROBOTS)], 6.0)

    def kill_hub(self):
        """Kill the hub's NATS server."""
        self.kill('hubs', self.fleet.hub, 8.0)

    def wipe_hub(self):
        """Kill the hub, which loses its storage, and start it again later."""
        secs = self.chance.uniform(0.0, 8.0)
        if self.fleet.hub.kill():
            shutil.rmtree(self.fleet.hub.storage)
            self.counts['wiped'] += 1
            self.end_in(secs, self.fleet.hub.start)

    def skew(self):
        """Let a clock jump."""
        self.fleet.nodes[self.chance.choice(ROBOTS)].skew(self.chance.randint(-3600 * HOURS_MAX, 3600 * HOURS_MAX))
        self.counts['clocks'] += 1

    def replay(self, count=None):
        """Publish messages of the stream again: later, in another order, under their id, another or none."""
        chance = random.Random(self.chance.random())
        with Nats(self.fleet.hub.port) as nats:
            last = nats.last_sequence()
            number = (count or chance.randint(5, 80)) if last else 0
            found = [nats.message(chance.randint(1, last)) for _ in range(number)]
            messages = []
            for subject, headers, payload in filter(None, found):
                if any(name == 'Storm' for name, _ in headers):
                    continue
                kept = [it for it in headers if it[0] != 'Nats-Msg-Id']
                ids = [('Nats-Msg-Id', f'again-{chance.random()}')]
                messages.append((subject, chance.choice((headers, kept, ids, kept + ids)), payload))
            chance.shuffle(messages)
            self.counts['repeated'] += sum(nats.publish(messages)) if messages else 0

    def forge(self, rounds=1):
        """Publish forged messages; how many the stream stored, by the reason for which they are to be refused."""
        chance, stored = random.Random(self.chance.random()), collections.Counter()
        with Nats(self.fleet.hub.port) as nats:
            last = nats.last_sequence()
            for _ in range(rounds if last else 0):
                subject, headers, payload = nats.message(chance.randint(1, last)) or ('', (), b'')
                if any(name == 'Storm' for name, _ in headers) or b'"statement"' not in payload:
                    continue
                made = forgeries(chance, subject, payload)
                chance.shuffle(made)
                acks = nats.publish([message for _, message in made])
                stored.update(reason for (reason, _), is_stored in zip(made, acks) if is_stored)
        self.counts['forged'] += stored.total()
        return stored

    def heal(self):
        """End all at once."""
        self.later.clear()
        for wire in self.fleet.wires.values():
            wire.heal()
        for node in self.fleet.nodes.values():
            node.skew(0)
        for part in self.fleet.parts():
            part.start()


def wait_until_complete(robots):
    """Seconds until the stores have what they are to have, and the faults that stay."""
    begun = changed = time.monotonic()
    faults, counts, before = ['not compared yet'], None, None
    while faults and time.monotonic() - changed < STALLED_SECS_MAX:
        time.sleep(0.5)
        faults = faults_of(robots)
        counts = [robot.rows("SELECT count(*), sum(revision) FROM hearsay WHERE state = 'held'") for robot in robots]
        if counts != before:
            changed, before = time.monotonic(), counts
    return time.monotonic() - begun, faults


def is_quiet(fleet):
    """Whether all nodes told and took everything."""
    return all(node.fleet()[0] for node in fleet.nodes.values())


def faults_of_refusals(fleet, storm):
    """Publish forged and repeated messages while nothing else happens, and compare what each robot counts as refused."""
    before = {name: node.fleet()[1] for name, node in fleet.nodes.items()}
    forged = storm.forge(rounds=20)
    storm.replay(300)

    def counted(name):
        return collections.Counter(fleet.nodes[name].fleet()[1]) - collections.Counter(before[name])

    try:
        wait_until(lambda: is_quiet(fleet) and all(counted(name) == forged for name in ROBOTS), 'equal counts', 60.0)
    except Failed:
        return [f'{name} refused {dict(counted(name))} of {dict(forged)}' for name in ROBOTS]
    return [] if forged else ['no forged message was stored']


def run_storm(options, folder):
    """One storm; whether all was as it is to be."""
    has_clocks = FAKETIME.is_file() and not options.no_clocks
    secs = options.seconds or max(30.0, options.claims * 0.018)
    fleet = Fleet(folder, ROBOTS, POLICY, has_clocks, has_tls=options.tls)
    storm, faults = Storm(fleet, random.Random(options.seed), has_clocks, options.wipe_hub), []
    try:
        fleet.start()
        robots = [
            Robot(node, requests_of(name, options.claims, options.seed), f'{options.seed} {name}')
            for name, node in fleet.nodes.items()
        ]
        begun = time.monotonic()
        callers = [
            threading.Thread(target=robot.run, args=(secs / options.claims, faults), daemon=True)
            for robot in robots for _ in range(CALLERS)
        ]  # fmt: skip
        for caller in callers:
            caller.start()
        storm.run(lambda: faults or not any(caller.is_alive() for caller in callers))
        storm_secs = time.monotonic() - begun
        storm.heal()
        for robot in robots:
            robot.is_over = True
        healed_secs, found = wait_until_complete(robots)
        faults += found
        if not faults:
            faults += closing_faults(fleet, storm, robots)
        report(options, storm, robots, has_clocks, storm_secs, healed_secs, faults)
    finally:
        fleet.end()
    return not faults


def closing_faults(fleet, storm, robots):
    """What is wrong after all is complete: late messages, counts of refusals, the end of the nodes, damaged stores."""
    try:
        wait_until(lambda: is_quiet(fleet), 'quiet')
    except Failed as error:
        return [str(error)]
    time.sleep(5.0)
    faults = faults_of(robots) + faults_of_refusals(fleet, storm) + faults_of(robots)
    storm.refused = {name: dict(node.fleet()[1]) for name, node in fleet.nodes.items()}
    for robot in robots:
        code = robot.node.stop()
        if code != 0:
            faults.append(f'{robot.node.name} ended with {code}')
        (check,) = robot.rows('PRAGMA integrity_check')
        if check != ('ok',):
            faults.append(f'the store of {robot.node.name}: {check}')
    return faults + faults_of(robots)


def report(options, storm, robots, has_clocks, storm_secs, healed_secs, faults):
    """Print what happened, and the verdict."""
    counts, asked = storm.counts, sum((robot.counts for robot in robots), collections.Counter())
    shared = sum(len(robot.shared()) for robot in robots)
    tls = ', by TLS' if options.tls else ''
    print(f'seed {options.seed}: {options.claims} memories of each of {len(robots)} robots in {storm_secs:.0f} s{tls}; at the end '
          f'{sum(len(robot.own) for robot in robots)} hold, of which {shared} are shared')  # fmt: skip
    print(f'  asked: {", ".join(f"{count} {what}" for what, count in sorted(asked.items()))}')
    clocks = f'{counts["clocks"]} jumps of up to {HOURS_MAX} h' if has_clocks else 'not skewed'
    print(f'  killed: {counts["nodes"]} nodes, {counts["leaves"]} leaves, {counts["hubs"]} hubs, {counts["wiped"]} hubs with the '
          f'loss of their storage; links: {counts["cuts"]} cut, {counts["half-open"]} half-open, {counts["slow"]} slow; clocks: '
          f'{clocks}; stored in the stream: {counts["repeated"]} repeated, {counts["forged"]} forged')  # fmt: skip
    print(f'  refused since the last start: {getattr(storm, "refused", "not compared")}')
    print(f'  complete {healed_secs:.1f} s after the heal' if not faults else f'  not complete after {healed_secs:.1f} s')
    for fault in faults[:SHOWN_MAX]:
        print(f'  {fault}')
    print(f'  verdict: {"FAILED" if faults else "ok"}', flush=True)


def run_catch_up(options, folder):
    """Whether a robot soon has what the other learned while one of them was cut off, with the files of deploy/fleet."""
    took = {False: [], True: []}
    for what, is_always in (('as deploy/fleet', False), ('the hub syncs always', True)):
        place = folder / ('always' if is_always else 'shipped')
        place.mkdir()
        fleet = Fleet(place, ROBOTS[:2], POLICY, False, is_always)
        try:
            fleet.start()
            wait_until(lambda fleet=fleet: is_quiet(fleet), 'connection')
            reader, teller = (
                Robot(node, requests_of(name, 2 * options.times * options.claims, options.seed, True), f'{options.seed} {name}')
                for name, node in fleet.nodes.items()
            )
            for cut_off in options.times * (reader, teller):
                secs = catch_up(fleet, reader, teller, cut_off, options.claims)
                took[is_always].append(secs)
                whose = 'that is told' if cut_off is reader else 'that tells'
                print(f'{what}: the robot {whose} was cut off; {options.claims} claims after {secs:.1f} s', flush=True)
        finally:
            fleet.end()
    print(f'as deploy/fleet: at most {max(took[False]):.1f} s', flush=True)
    return max(took[False]) < CATCH_UP_SECS_MAX


def catch_up(fleet, reader, teller, cut_off, count):
    """Seconds from the heal until all is there, that the teller learned while one of both was cut off."""
    before, requests = teller.counts['created'], list(itertools.islice(teller.requests, count))
    wire = fleet.wires[cut_off.node.name]
    wire.cut()
    halves = [threading.Thread(target=lambda n=n: [teller.learn(*it) for it in requests[n::CALLERS]]) for n in range(CALLERS)]
    for half in halves:
        half.start()
    for half in halves:
        half.join()
    if teller.counts['created'] - before != count:
        raise Failed(f'learned: {dict(teller.counts)}')
    waiting = 'SELECT count(*) FROM fleet_claim WHERE revision > told_revision'
    wait_until(lambda: teller.rows(waiting) == [(0,)], 'claims on the leaf')
    if cut_off is reader:
        with Nats(fleet.hub.port) as nats:
            wait_until(lambda: nats.last_sequence() >= count, 'claims on the hub', 300.0)
    begun = time.monotonic()
    wire.heal()
    held = "SELECT count(*) FROM hearsay WHERE origin = ? AND state = 'held'"
    # To count them takes from the robots what they need.
    wait_until(lambda: reader.rows(held, teller.node.name) == [(before + count,)], 'claims of the teller', 900.0, 0.1)
    return time.monotonic() - begun


def main():
    """Run what was asked for; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--claims', type=int, default=10_000, help='memories of each robot')
    parser.add_argument('--seed', type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument('--seconds', type=float, help='over which they are learned, at least; 0.018 for each, and 30')
    parser.add_argument('--wipe-hub', action='store_true', help='let the hub also lose its storage')
    parser.add_argument('--tls', action='store_true', help='let leaves and nodes connect by TLS')
    parser.add_argument('--times', type=int, default=1, help='with --catch-up: how often each of both is cut off')
    parser.add_argument('--no-clocks', action='store_true', help='leave the clocks alone')
    parser.add_argument('--catch-up', action='store_true', help='measure the time that a robot takes that was cut off')
    options = parser.parse_args()
    print(f'seed {options.seed}', flush=True)
    folder = Path(tempfile.mkdtemp(prefix='robot_memory_storm_'))
    try:
        is_good = (run_catch_up if options.catch_up else run_storm)(options, folder)
    except Failed as error:
        is_good = False
        print(f'  {error}\n  verdict: FAILED')
    if is_good:
        shutil.rmtree(folder)
    else:
        print(f'stores and logs are in {folder}')
    return 0 if is_good else 1


if __name__ == '__main__':
    sys.exit(main())
