"""A bag that is replayed with its clock gives the same memories each time, and as an import."""

import subprocess
import time
from pathlib import Path

import pytest

from bag_player import BagPlayer, messages_of
from conftest import node_program, wait_until
from stream_status import Diagnostics, stored_events

BAGS = Path(__file__).parent.parent / 'bags'
# The same messages in both.
BAG, MCAP_BAG = BAGS / 'ur3_sqlite3', BAGS / 'ur3_mcap'
STREAMS = (
    '[{topic: /ur3/protective_stop}, {topic: /gripper/grip_lost},'
    ' {topic: /joint_states}, {topic: /gripper/joint_state}, {topic: /ur3/cycle}]'
)
# 259 s of a bag.
SPEED = 25.0


def replayed(ros_node, nodes, store, bag=BAG, speed=SPEED, name='replay', clock_hz=None):
    """What a node has stored of a bag that was played to it, and how many messages it received."""
    client, process = nodes.start(
        name=name, store_path=store, streams=STREAMS, use_sim_time=True
    )
    diagnostics = Diagnostics(ros_node, client.full_name)
    messages = messages_of(bag)
    player = BagPlayer(ros_node, messages)
    topics = {topic.lstrip('/') for topic, *_ in messages}
    try:
        player.wait_for_subscriptions()
        player.play(speed, clock_hz)

        def received():
            return sum(diagnostics.count(topic, 'received') for topic in topics)

        wait_until(lambda: received() >= len(messages), f'all of {len(messages)} messages')
        late = sum(diagnostics.count(topic, 'dropped: late') for topic in topics)
        # The clock stands still, so that what is open ends.
        time.sleep(3.0)
    finally:
        player.close()
        diagnostics.close()
        process.stop()
    assert late == 0
    return stored_events(store)


def compared(events):
    """What of events is the same each time."""
    names = ('key', 'event_id', 'stream', 'trigger', 'began_at', 'ended_at', 'content', 'data')
    return [{name: event[name] for name in names} for event in events]


@pytest.fixture(scope='module')
def first_replay(ros_node, tmp_path_factory):
    """What is stored of the bag when it is played for the first time."""
    from conftest import Nodes

    folder = tmp_path_factory.mktemp('replay')
    nodes = Nodes(ros_node, folder)
    try:
        yield replayed(ros_node, nodes, folder / 'first.db', name='first_replay')
    finally:
        nodes.end()


def test_a_bag_that_is_played_twice_gives_the_same_memories(first_replay, ros_node, nodes, tmp_path):
    edges = [event for event in first_replay if event['trigger'] == 'edge']
    counts = {
        stream: sum(event['stream'] == stream for event in edges)
        for stream in ('ur3/protective_stop', 'gripper/grip_lost')
    }
    # As the table it was made from says.
    assert counts == {'ur3/protective_stop': 5, 'gripper/grip_lost': 6}
    assert all(event['context']['env']['sim_or_real'] == 'sim' for event in first_replay)
    second = replayed(ros_node, nodes, tmp_path / 'second.db', MCAP_BAG, 2 * SPEED)
    assert compared(second) == compared(first_replay)


def test_a_clock_beside_the_messages_gives_the_same_happenings(
    first_replay, ros_node, nodes, tmp_path
):
    # Each of its steps is 0.6 s of the bag.
    beside = replayed(ros_node, nodes, tmp_path / 'beside.db', clock_hz=40.0, name='beside')

    def told(events):
        return sorted((event['stream'], event['trigger']) for event in events)

    assert told(beside) == told(first_replay)
    for one, other in zip(
        *(
            sorted((event['stream'], event['trigger'], event['began_at']) for event in events)
            for events in (beside, first_replay)
        )
    ):
        assert abs(one[2] - other[2]) <= 1.3e9, (one, other)


def test_a_bag_that_is_imported_gives_the_same_memories_as_when_it_is_played(
    first_replay, tmp_path
):
    program = node_program().parent / 'memory'
    store = tmp_path / 'imported.db'
    streams = tmp_path / 'streams.yaml'
    streams.write_text(STREAMS)
    done = subprocess.run(
        [program, '--store', store, '--no-model', 'import', BAG, '--streams', streams],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert compared(stored_events(store)) == compared(first_replay)
