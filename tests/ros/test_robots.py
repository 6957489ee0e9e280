"""What robots publish makes the same events when it is heard and when its bag is imported, and those expected."""

import json
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

import packages
from bag_player import BagPlayer
from conftest import node_program, wait_until
from stream_status import Diagnostics, stored_events

START = 1_700_000_000 * 10**9
# The longest case is 420 s.
SPEED = 30.0


def cases():
    """Each case of the fixture: its first line, and its messages in the form of bag_player."""
    found = []
    path = Path(__file__).parent.parent / 'fixtures' / 'robots.jsonl'
    for line in map(json.loads, path.read_text().splitlines()):
        if 'case' in line:
            found.append((line, []))
        else:
            stamp = START + round(line['t'] * 1e9)
            found[-1][1].append((line['topic'], line['type'], bytes.fromhex(line['cdr']), stamp))
    return found


CASES = cases()
MADE_PACKAGES = {path.name for path in (Path(__file__).parent / 'packages').iterdir() if path.is_dir()}


def written_bag(folder, messages, definitions):
    """A bag of rosbag2 in the storage sqlite3."""
    folder.mkdir()
    connection = sqlite3.connect(folder / 'robots_0.db3')
    connection.executescript(
        'CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT,'
        ' offered_qos_profiles TEXT);'
        'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);'
        'CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT, encoding TEXT,'
        ' encoded_message_definition TEXT, type_description_hash TEXT);'
    )
    connection.executemany(
        "INSERT INTO message_definitions(topic_type, encoding, encoded_message_definition, type_description_hash)"
        " VALUES (?, 'ros2msg', ?, '')",
        definitions.items(),
    )
    types = {topic: name for topic, name, _, _ in messages}
    ids = {topic: place for place, topic in enumerate(types, 1)}
    connection.executemany(
        "INSERT INTO topics VALUES (?, ?, ?, 'cdr', '')",
        [(ids[topic], topic, name) for topic, name in types.items()],
    )
    connection.executemany(
        'INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)',
        [(ids[topic], stamp, data) for topic, _, data, stamp in messages],
    )
    connection.commit()
    connection.close()
    return folder


def imported(bag, streams, store):
    """What is stored of a bag."""
    program = node_program().parent / 'memory'
    file = store.with_suffix('.yaml')
    file.write_text(json.dumps(streams))
    done = subprocess.run(
        [program, '--store', store, '--no-model', 'import', bag, '--streams', file],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return stored_events(store)


class OtherPlayer:
    """Plays a bag in a process of its own, which has its types."""

    def __init__(self, environment, bag):
        self.program = packages.Program(environment, 'bag_player.py', bag, str(SPEED))

    def wait_for_subscriptions(self):
        """It waits itself."""

    def play(self, speed):
        """It plays itself."""
        assert speed == SPEED

    def close(self):
        """End it."""
        self.program.end()


def heard(ros_node, nodes, streams, messages, store, player):
    """What a node stores of messages that are played to it with their clock."""
    client, process = nodes.start(
        name='hearer', store_path=store, streams=json.dumps(streams), use_sim_time=True
    )
    diagnostics = Diagnostics(ros_node, client.full_name)
    names = [stream.get('name', stream['topic'].lstrip('/')) for stream in streams]
    own = sum(topic == stream['topic'] for topic, *_ in messages for stream in streams)

    def is_heard(topic):
        found = ros_node.get_subscriptions_info_by_topic(topic)
        return any(it.node_name == '_hearer_streams' for it in found)

    try:
        # Of /diagnostics the tests are subscribers, too.
        topics = [stream['topic'] for stream in streams]
        wait_until(lambda: all(is_heard(topic) for topic in topics), 'subscriptions of the node')
        player.wait_for_subscriptions()
        time.sleep(0.5)
        player.play(SPEED)
        wait_until(
            lambda: sum(diagnostics.count(name, 'received') for name in names) >= own,
            f'all of {own} messages',
        )
    finally:
        player.close()
        diagnostics.close()
        # What is open is finished and stored.
        process.stop()
    return stored_events(store)


def told(events):
    """What of events is the same both ways."""
    return [(event['key'], event['trigger'], event['began_at'], event['content']) for event in events]


@pytest.mark.parametrize('head, messages', CASES, ids=[head['case'] for head, _ in CASES])
def test_what_is_heard_is_what_is_imported_and_expected(
    head, messages, ros_node, nodes, tmp_path, monkeypatch
):
    streams = head['streams']
    bag = written_bag(tmp_path / 'bag', messages, head.get('definitions', {}))
    by_bag = imported(bag, streams, tmp_path / 'bag.db')
    made = {name.split('/')[0] for _, name, *_ in messages} & MADE_PACKAGES
    if made:
        environment = packages.install(*sorted(made))
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        player = OtherPlayer(environment, bag)
    else:
        player = BagPlayer(ros_node, messages)
    live = heard(ros_node, nodes, streams, messages, tmp_path / 'live.db', player)
    assert told(live) == told(by_bag)
    assert len(live) == len(head['events'])
    for event, (secs, trigger, sentence) in zip(live, head['events']):
        assert event['trigger'] == trigger
        assert abs(event['began_at'] - START - secs * 1e9) < 5e8
        beginning = sentence.split('…')[0]
        assert event['content'].startswith(beginning), event['content']
        assert event['context']['event']['subject']
