"""A program that asks a node to learn many things at once, for test_kill.py.

usage: storm_client.py SERVICE STORM FIRST COUNT FILE

Writes `ready` to FILE when the service is there, sends COUNT requests after a line on stdin, and writes a
line `NUMBER ID` for each answer, or `NUMBER ERROR_CODE`. It is a file of its own because the middleware prints
to stdout. It is a process of its own because a node
that is killed while it writes to the shared memory of the middleware can leave its reader deaf.
"""

import json
import sys

import rclpy
from rclpy.qos import HistoryPolicy, QoSProfile
from robot_memory.srv import Learn

WAIT_SECS_MAX = 60.0
QOS = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1000)


def content(storm, number):
    """What is learned under a number."""
    return f'In storm {storm} shelf {number} holds {number * 7} boxes of screws.'


def main():
    """Do as the usage says."""
    service, storm, first, count = sys.argv[1], *map(int, sys.argv[2:5])
    output = open(sys.argv[5], 'w', buffering=1)
    rclpy.init()
    node = rclpy.create_node(f'storm_client_{first}')
    client = node.create_client(Learn, service, qos_profile=QOS)
    if not client.wait_for_service(WAIT_SECS_MAX):
        sys.exit(f'no service {service}')
    output.write('ready\n')
    sys.stdin.readline()

    def tell(number, answer):
        assert not answer.success or answer.status == 'created', answer
        output.write(f'{number} {answer.memory_id if answer.success else answer.error_code}\n')

    futures = []
    for number in range(first, first + count):
        context = json.dumps({'storm': storm, 'number': number})
        future = client.call_async(
            Learn.Request(insight=content(storm, number), context=context)
        )
        future.add_done_callback(lambda future, number=number: tell(number, future.result()))
        futures.append(future)
    deadline = node.get_clock().now().nanoseconds + WAIT_SECS_MAX * 1e9
    while not all(f.done() for f in futures) and node.get_clock().now().nanoseconds < deadline:
        rclpy.spin_once(node, timeout_sec=0.1)


if __name__ == '__main__':
    main()
