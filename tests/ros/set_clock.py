"""A simulated time that a test sets."""

from robot_memory.srv import GetSession, StartSession
from rosgraph_msgs.msg import Clock

from conftest import wait_until

DAY_SECS = 86_400


class SetClock:
    """Publishes the time that a test sets, in seconds."""

    def __init__(self, ros_node, secs):
        self.secs = secs
        self.ros_node = ros_node
        self.publisher = ros_node.create_publisher(Clock, '/clock', 10)
        self.timer = ros_node.create_timer(0.02, self.publish)

    def publish(self):
        """Tell the time."""
        message = Clock()
        message.clock.sec = self.secs
        self.publisher.publish(message)

    def wait_until_known(self, memory):
        """Wait until a node stamps with this time; leaves no session open."""

        def is_known():
            answer = memory.client.call(StartSession, collection='time')
            if not answer.success:
                return False
            session = memory.succeed(GetSession, session_id=answer.session_id).session
            memory.end_session(answer.session_id)
            return session.started_at.sec == self.secs

        wait_until(is_known, 'simulated time')

    def stop(self):
        """Tell it no more."""
        self.ros_node.destroy_timer(self.timer)
        self.ros_node.destroy_publisher(self.publisher)
