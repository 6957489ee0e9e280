"""The other side of a bond, as a lifecycle manager has it; in a process of its own, since it has a type of its own.

    python3 bond_sister.py ID

Prints each status of the other side as JSON. `break` on its standard input breaks the bond, `end` ends it.
"""

import json
import sys
import threading

import rclpy
from bond.msg import Status

PERIOD_SECS = 0.1


def main():
    """Hold the bond until it is told otherwise."""
    rclpy.init()
    node = rclpy.create_node('sister')
    own = Status(id=sys.argv[1], instance_id='sister', active=True)
    own.heartbeat_timeout, own.heartbeat_period = 4.0, PERIOD_SECS
    publisher = node.create_publisher(Status, '/bond', 10)

    def hear(status):
        if status.instance_id != own.instance_id:
            fields = ('id', 'active', 'heartbeat_timeout', 'heartbeat_period')
            told = {name: getattr(status, name) for name in fields}
            print(json.dumps(told), flush=True)

    node.create_subscription(Status, '/bond', hear, 10)
    ends = threading.Event()

    def listen():
        for line in sys.stdin:
            if line.strip() == 'break':
                own.active = False
            else:
                break
        ends.set()

    threading.Thread(target=listen, daemon=True).start()
    while not ends.is_set():
        publisher.publish(own)
        rclpy.spin_once(node, timeout_sec=PERIOD_SECS)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
