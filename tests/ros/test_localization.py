"""A robot that is carried from one map into another: what it remembers of the one is no place in the other."""

import json
import math
import threading

import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from robot_memory.msg import SpatialSort
from robot_memory.srv import Recall, SavePerception
from std_msgs.msg import Bool, String

import packages
from conftest import LATCHED_QOS, wait_until


class Localization:
    """Publishes the pose of a localization many times a second, as it was told last."""

    def __init__(self, ros_node):
        self.ros_node = ros_node
        self.x, self.std_dev_m = 1.0, 2.0
        self.pose = ros_node.create_publisher(PoseWithCovarianceStamped, '/amcl_pose', 10)
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ends.wait(0.05):
            pose = PoseWithCovarianceStamped()
            pose.header.stamp = self.ros_node.get_clock().now().to_msg()
            pose.header.frame_id = 'map'
            pose.pose.pose.position.x, pose.pose.pose.orientation.w = self.x, 1.0
            pose.pose.covariance[0] = pose.pose.covariance[7] = self.std_dev_m**2
            self.pose.publish(pose)

    def end(self):
        self.ends.set()
        self.thread.join()
        self.ros_node.destroy_publisher(self.pose)


@pytest.fixture
def localization(ros_node):
    """A localization that does not know where the robot is."""
    localization = Localization(ros_node)
    yield localization
    localization.end()


def test_poses_wait_for_the_localization_and_belong_to_a_map(nodes, ros_node, localization):
    maps = ros_node.create_publisher(String, '/current_map', LATCHED_QOS)
    stop = ros_node.create_publisher(Bool, '/e_stop', LATCHED_QOS)
    memory, process = nodes.start(
        streams='[/e_stop]', map_topic='/current_map', pose_settle_secs=0.5, reorder_secs=0.1
    )
    process.wait_until_logged('subscribed to /e_stop')
    process.wait_until_logged('poses are stored once the covariance on /amcl_pose is small')

    def events():
        return memory.succeed(
            Recall, types=['perception'], order='oldest', n=100, min_confidence=0.0
        ).memories

    def press():
        """Press and release the stop; returns the memory of it."""
        count = len(events())
        for is_pressed in [False, True, False]:
            stop.publish(Bool(data=is_pressed))
        wait_until(lambda: len(events()) == count + 1, 'event')
        return events()[-1]

    uncertain = press()
    assert uncertain.robot_pose.header.frame_id == ''
    maps.publish(String(data='hall'))
    localization.std_dev_m = 0.1
    placed = press()
    for _ in range(20):
        if placed.robot_pose.header.frame_id:
            break
        placed = press()
    assert placed.robot_pose.header.frame_id == 'map'
    assert placed.robot_pose.pose.position.x == pytest.approx(1.0)
    assert '"map_id":"hall"' in placed.spatial and '"std_dev_m":0.1' in placed.spatial

    def near(frame='', x=1.0, map_id='', std_dev_field=''):
        sort = SpatialSort(
            field='spatial.robot_position',
            target=[x, 0.0, 0.0],
            frame=frame,
            std_dev_field=std_dev_field,
        )
        return memory.succeed(Recall, spatial_sort=sort, map_id=map_id, n=100, min_confidence=0.0)

    here = near()
    assert here.total == 1 and here.other_map_count == 0
    assert here.memories[0].map_relation == 'same_map'
    assert near('map').memories[0].spatial_distance == pytest.approx(0.0, abs=1e-6)
    root_mean_square = near('map', std_dev_field='spatial.std_dev_m').memories[0]
    assert root_mean_square.spatial_distance == pytest.approx(0.1 * math.sqrt(3.0), abs=1e-6)
    assert list(near('arm').unresolved_frames) == ['map']
    # The robot is carried into another map; the same numbers mean another place there.
    maps.publish(String(data='cellar'))
    wait_until(lambda: near().total == 0, 'other map')
    assert near().other_map_count == 1
    assert near(map_id='hall').memories[0].map_relation == 'other_map'
    by_words = memory.succeed(Recall, query='e stop', n=100)
    relations = {it.id: it.map_relation for it in by_words.memories}
    assert relations[placed.id] == 'other_map'
    for publisher in (maps, stop):
        ros_node.destroy_publisher(publisher)


def rotated(quaternion, point):
    """A point turned by a unit quaternion x, y, z, w: v + 2 q x (q x v + w v)."""

    def cross(a, b):
        return [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]

    *axis, w = quaternion
    twisted = [twist + w * it for twist, it in zip(cross(axis, point), point)]
    return [it + 2.0 * turn for it, turn in zip(point, cross(axis, twisted))]


class Frames:
    """What the test knows of frames: the parent of each, and where it is in that."""

    def __init__(self, broadcaster):
        self.broadcaster = broadcaster
        self.placed = {}

    def put(self, parent, child, position, turn, word=''):
        """Place a frame, and publish it."""
        norm = math.sqrt(sum(it * it for it in turn))
        turn = [it / norm for it in turn]
        self.placed[child] = (parent, position, turn)
        numbers = ' '.join(f'{it:.17g}' for it in [*position, *turn])
        self.broadcaster.say(f'{word} {parent} {child} {numbers}'.strip())

    def in_map(self, frame, point):
        """Where a point of a frame is in the map."""
        while frame != 'map':
            frame, position, turn = self.placed[frame]
            point = [it + to for it, to in zip(rotated(turn, point), position)]
        return point


@pytest.fixture(scope='module')
def environment():
    """An environment in which the package of transforms is installed."""
    return packages.install('tf2_msgs')


def test_places_of_other_frames_are_compared_through_live_transforms(
    nodes, ros_node, environment, monkeypatch, tmp_path
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    options = {'streams': '[/e_stop]', 'store_path': tmp_path / 'memory.db', 'reorder_secs': 0.1}
    stop = ros_node.create_publisher(Bool, '/e_stop', LATCHED_QOS)
    memory, process = nodes.start(**options)
    rows = {}
    # Other streams are heard before the first transform.
    process.wait_until_logged('subscribed to /e_stop')
    for is_pressed in [False, True, False]:
        stop.publish(Bool(data=is_pressed))
    wait_until(lambda: memory.succeed(Recall, types=['perception']).total == 1, 'event')

    def save(frame, point):
        context = json.dumps({'spatial': {'at': point, 'frame': frame}})
        text = f'screw {len(rows)} lies in {frame}'
        rows[memory.succeed(SavePerception, description=text, context=context).memory_id] = (frame, point)

    def near(target):
        sort = SpatialSort(field='spatial.at', target=target, frame='map')
        return memory.succeed(Recall, spatial_sort=sort, n=100, min_confidence=0.0)

    def distances(answer):
        return {it.id: it.spatial_distance for it in answer.memories}

    def expected(target):
        points = {key: frames.in_map(*row) for key, row in rows.items() if row[0] in reached}
        return {key: math.dist(target, point) for key, point in points.items() if key not in early}

    target, reached = [0.3, -1.2, 0.7], {'map', 'shelf', 'box', 'gripper'}
    for frame in ('gripper', 'shelf'):
        save(frame, [0.01, 0.02, 0.03])
    broadcaster = packages.Program(environment, 'transforms.py')
    try:
        frames = Frames(broadcaster)
        frames.put('map', 'shelf', [2.0, 1.0, 0.5], [0.1, -0.2, 0.7, 0.6], 'static')
        frames.put('shelf', 'box', [0.1, 0.0, -0.2], [0.0, 0.5, 0.0, 0.8], 'static')
        frames.put('nowhere', 'island', [1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], 'static')
        frames.put('map', 'odom', [0.5, 0.1, 0.0], [0.0, 0.0, 0.1, 1.0])
        frames.put('odom', 'base_link', [3.0, -1.0, 0.0], [0.0, 0.0, 0.6, 0.8])
        frames.put('base_link', 'gripper', [0.4, 0.0, 0.9], [0.3, 0.1, -0.2, 0.9])
        process.wait_until_logged('subscribed to /tf')
        # A shelf stands where it stood; where the gripper was before its transforms were told, nobody knows.
        early = {key for key, (frame, _) in rows.items() if frame == 'gripper'}
        wait_until(lambda: len(near(target).memories) == 1, 'the transform of the shelf')
        wait_until(lambda: list(near(target).unresolved_frames) == ['gripper'], 'transforms')
        for frame in ('map', 'shelf', 'box', 'gripper', 'island', 'lost'):
            for number in range(3):
                save(frame, [0.1 * number, 0.2 - number, 0.05 * number])
        found = near(target)
        assert distances(found) == pytest.approx(expected(target), abs=1e-6)
        assert [it.id for it in found.memories] == sorted(expected(target), key=expected(target).get)
        assert list(found.unresolved_frames) == ['gripper', 'island', 'lost']
        # What is held by the gripper moves with it.
        frames.put('base_link', 'gripper', [0.2, 0.3, 0.4], [0.0, 0.7, 0.1, 0.2])
        frames.put('odom', 'base_link', [-3.0, 2.0, 0.0], [0.0, 0.0, -0.4, 0.8])
        wait_until(
            lambda: distances(near(target)) == pytest.approx(expected(target), abs=1e-6), 'the move'
        )
        # After a start odometry may have begun elsewhere: what was stored before is not where transforms put it.
        process.stop()
        memory, process = nodes.start(name='again', **options)
        early = {key for key, (frame, _) in rows.items() if frame == 'gripper'}
        wait_until(
            lambda: distances(near(target)) == pytest.approx(expected(target), abs=1e-6), 'the shelf'
        )
        assert 'gripper' in near(target).unresolved_frames
        save('gripper', [0.0, 0.0, 0.1])
        assert distances(near(target)) == pytest.approx(expected(target), abs=1e-6)
    finally:
        broadcaster.end()
        ros_node.destroy_publisher(stop)
