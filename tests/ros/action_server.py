"""A server of an action in a process of its own, which does with each goal what the goal says.

    python3 action_server.py NAME [RESULT_TIMEOUT_SECS]

The goal's `scope` is what becomes of it (succeed, abort, hang), its `scope_id` after how many seconds.
"""

import sys
import time

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from robot_memory.action import Rebuild


def execute(goal):
    """Wait until the time of the goal is over or it is cancelled, and end it."""
    request = goal.request
    result = Rebuild.Result(success=True, error_code='', error='')
    deadline = time.monotonic() + float(request.scope_id or 0)
    while rclpy.ok() and (time.monotonic() < deadline or request.scope == 'hang'):
        if goal.is_cancel_requested:
            goal.canceled()
            return result
        time.sleep(0.01)
    if request.scope == 'abort':
        goal.abort()
        result.success, result.error_code, result.error = False, '42', 'the gripper is stuck'
    else:
        goal.succeed()
    return result


def main():
    """Serve until the process is told to end, or killed."""
    rclpy.init()
    node = rclpy.create_node('server_of_' + sys.argv[1].strip('/').replace('/', '_'))
    timeout = float(sys.argv[2]) if len(sys.argv) > 2 else 900.0
    server = ActionServer(
        node,
        Rebuild,
        sys.argv[1],
        execute,
        callback_group=ReentrantCallbackGroup(),
        cancel_callback=lambda _: CancelResponse.ACCEPT,
        result_timeout=timeout,
    )
    executor = MultiThreadedExecutor(num_threads=8)
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    server.destroy()


if __name__ == '__main__':
    main()
