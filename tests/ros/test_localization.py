"""A robot that is carried from one map into another: what it remembers of the one is no place in the other."""

import threading

import pytest
from geometry_msgs.msg import PoseWithCovarianceStamped
from robot_memory.msg import SpatialSort
from robot_memory.srv import Recall
from std_msgs.msg import Bool, String

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

    def near(frame='', x=1.0, map_id=''):
        sort = SpatialSort(field='spatial.robot_position', target=[x, 0.0, 0.0], frame=frame)
        return memory.succeed(Recall, spatial_sort=sort, map_id=map_id, n=100, min_confidence=0.0)

    here = near()
    assert here.total == 1 and here.other_map_count == 0
    assert here.memories[0].map_relation == 'same_map'
    assert near('map').memories[0].spatial_distance == pytest.approx(0.0, abs=1e-6)
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
