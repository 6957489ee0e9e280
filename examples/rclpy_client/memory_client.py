"""A client of robot_memory in Python: copy the class Memory into a skill.

    python3 memory_client.py [--memory /robot_memory] [--agent NAME]

Run as a program, it learns a rule, checks an action against it, stores two attempts, and asks what is known.
"""

import argparse
import json
import re
import sys
import uuid

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future
from robot_memory.msg import SpatialSort
from robot_memory.srv import BeginAttempt, Brief, CheckAction, EndAttempt, Learn, Recall
from std_msgs.msg import Bool

# A call that got no response is sent again so often, if that is safe.
TRIES_MAX = 3


class NoAnswer(Exception):
    """The memory did not respond in time."""


class Refused(Exception):
    """The memory responded with an error."""

    def __init__(self, call, code, text):
        super().__init__(f'{call}: {code}: {text}')
        self.code = code


class Memory:
    """The services of one memory node, each call blocking and bounded in time.

    It has a ROS node and an executor of its own, so that a callback of the skill may call it.
    """

    def __init__(self, name='/robot_memory', agent='', timeout_secs=5.0):
        """Make the client of the node with this full name. An empty agent is the operator."""
        self.name, self.agent, self.timeout_secs = name, agent, timeout_secs
        self.node = rclpy.create_node(f'memory_client_{uuid.uuid4().hex[:8]}')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.clients = {}

    def wait_until_ready(self, timeout_secs=30.0):
        """Wait until the services respond: they are there a moment before the store is open."""
        ready = Future()
        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

        def receive(message):
            if message.data and not ready.done():
                ready.set_result(True)

        subscription = self.node.create_subscription(Bool, f'{self.name}/ready', receive, qos)
        self.executor.spin_until_future_complete(ready, timeout_secs)
        self.node.destroy_subscription(subscription)
        if not ready.done():
            raise NoAnswer(f'{self.name} is not ready after {timeout_secs} s')

    def call(self, service, **fields):
        """Call the service of a type; fields that are not given have their defaults."""
        name = re.sub(r'(?<!^)(?=[A-Z])', '_', service.__name__).lower()
        known = service.Request.get_fields_and_field_types()
        fields.setdefault('agent', self.agent)
        # The key makes it safe to repeat a write: the second call gets the response of the first.
        is_repeatable = 'idempotency_key' in known
        if is_repeatable:
            fields.setdefault('idempotency_key', uuid.uuid4().hex)
        client = self.clients.get(name)
        if client is None:
            client = self.clients[name] = self.node.create_client(service, f'{self.name}/{name}')
        for _ in range(TRIES_MAX if is_repeatable else 1):
            if not client.wait_for_service(self.timeout_secs):
                continue
            future = client.call_async(service.Request(**fields))
            self.executor.spin_until_future_complete(future, self.timeout_secs)
            if future.done():
                response = future.result()
                if not response.success:
                    raise Refused(name, response.error_code, response.error)
                return response
            client.remove_pending_request(future)
        raise NoAnswer(f'{self.name}/{name} did not respond within {self.timeout_secs} s')

    def close(self):
        """Destroy the node and its clients."""
        self.executor.shutdown()
        self.node.destroy_node()


def attempt(memory, position_m, force_n, outcome, reason=''):
    """Store one attempt at picking the bottle: what a skill does around its own work."""
    begun = memory.call(
        BeginAttempt,
        task='pick',
        object='glass bottle',
        params=json.dumps({'force_n': force_n}),
        context=json.dumps({'spatial': {'object_position': position_m, 'frame': 'map'}}),
    )
    memory.call(EndAttempt, attempt_id=begun.attempt_id, outcome=outcome, reason=reason)
    print(f'attempt {begun.attempt_id}: {force_n} N, {outcome} {reason}')


def show(memory):
    """Store and ask what a pick and place pipeline would."""
    rule = memory.call(Learn, insight='Never grip the glass bottle with more than 15 N')
    print(f'rule: {rule.status}, {[(limit.op, limit.value, limit.unit) for limit in rule.limits]}')

    params = json.dumps({'grip_force': {'value': 18, 'unit': 'N'}})
    check = memory.call(CheckAction, params=params, object='glass bottle')
    print(f'18 N: {"allowed" if check.allowed else check.violations[0].reason}')

    ended = EndAttempt.Request
    attempt(memory, [1.2, 0.4, 0.9], 4.0, ended.OUTCOME_FAILURE, 'slipped')
    attempt(memory, [1.2, 0.4, 0.9], 9.0, ended.OUTCOME_SUCCESS)
    brief = memory.call(Brief, task='pick', object='glass bottle', params=json.dumps({'force_n': 9}))
    print(f'known: {brief.is_known}, allowed: {brief.allowed}')
    print(brief.sentence_en)

    near = SpatialSort(field='spatial.object_position', target=[1.0, 0.5, 0.9], max_distance=0.5)
    failed = json.dumps({'task.name': 'pick', 'task.success': False})
    found = memory.call(Recall, spatial_sort=near, context_filter=failed, n=3)
    for hit in found.memories:
        print(f'failed {hit.spatial_distance:.2f} m away: {hit.content}')


def main():
    """Show the calls to a running node."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--memory', default='/robot_memory', help='full name of the memory node')
    parser.add_argument('--agent', default='', help='who calls (docs/access.md); empty: the operator')
    arguments, ros_arguments = parser.parse_known_args()
    rclpy.init(args=ros_arguments)
    memory = Memory(arguments.memory, arguments.agent)
    try:
        memory.wait_until_ready()
        show(memory)
    except (NoAnswer, Refused) as error:
        return str(error)
    finally:
        memory.close()
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
