"""Asks which goals failed near a point, and drives there.

    python3 navigate.py X Y --ask                    # only asks
    python3 navigate.py X Y                          # asks, sends the goal to Nav2, and stores how it ended
    python3 navigate.py X Y --simulated aborted      # the same without Nav2
"""

import argparse
import json
import sys
from pathlib import Path

import rclpy
from robot_memory.msg import SpatialSort
from robot_memory.srv import BeginAttempt, EndAttempt, Recall

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'rclpy_client'))
from memory_client import Memory, NoAnswer, Refused  # noqa: E402

TASK = 'navigate_to_pose'
FRAME = 'map'
# The place of the goal, which navigate.py stores; and where the robot was, which the node adds to any goal by itself.
PLACES = {'goal': 'spatial.object_position', 'robot': 'spatial.robot_position'}
# By the status of a goal: succeeded, canceled, aborted (action_msgs/msg/GoalStatus).
OUTCOMES = {
    4: EndAttempt.Request.OUTCOME_SUCCESS,
    5: EndAttempt.Request.OUTCOME_CANCELLED,
    6: EndAttempt.Request.OUTCOME_FAILURE,
}


def failed_near(memory, field, x, y, radius_m):
    """Return the goals that failed within a distance, nearest first."""
    response = memory.call(
        Recall,
        spatial_sort=SpatialSort(field=field, target=[x, y, 0.0], max_distance=radius_m),
        frame=FRAME,
        context_filter=json.dumps({'task.name': TASK, 'task.success': False}),
        n=10,
    )
    return response.memories


def drive(x, y):
    """Send the goal to Nav2 and wait; returns the status and the text of the error."""
    from nav2_msgs.action import NavigateToPose
    from rclpy.action import ActionClient

    node = rclpy.create_node('navigate')
    client = ActionClient(node, NavigateToPose, TASK)
    try:
        if not client.wait_for_server(timeout_sec=10.0):
            return 6, 'Nav2 is not there'
        goal = NavigateToPose.Goal()
        goal.pose.header.frame_id = FRAME
        goal.pose.pose.position.x, goal.pose.pose.position.y = x, y
        goal.pose.pose.orientation.w = 1.0
        sent = client.send_goal_async(goal)
        rclpy.spin_until_future_complete(node, sent)
        if not sent.result().accepted:
            return 6, 'the goal was rejected'
        ended = sent.result().get_result_async()
        rclpy.spin_until_future_complete(node, ended)
        # Humble has no text.
        return ended.result().status, getattr(ended.result().result, 'error_msg', '')
    finally:
        client.destroy()
        node.destroy_node()


def navigate(memory, x, y, driven):
    """Store a drive as an attempt at this place; `driven` does it. Returns its outcome."""
    context = {'spatial': {'object_position': [x, y, 0.0], 'frame': FRAME}}
    begun = memory.call(BeginAttempt, task=TASK, context=json.dumps(context))
    outcome, reason = EndAttempt.Request.OUTCOME_UNKNOWN, 'interrupted in the program'
    try:
        status, reason = driven(x, y)
        outcome = OUTCOMES.get(status, outcome)
    finally:
        memory.call(EndAttempt, attempt_id=begun.attempt_id, outcome=outcome, reason=reason[:300])
    return outcome


def main():
    """Ask, and drive."""
    parser = argparse.ArgumentParser()
    parser.add_argument('x', type=float)
    parser.add_argument('y', type=float)
    parser.add_argument('--radius', type=float, default=1.0, metavar='M')
    parser.add_argument('--ask', action='store_true', help='only ask')
    parser.add_argument('--simulated', choices=['succeeded', 'canceled', 'aborted'], help='without Nav2')
    parser.add_argument('--memory', default='/robot_memory')
    parser.add_argument('--agent', default='')
    arguments, ros_arguments = parser.parse_known_args()
    rclpy.init(args=ros_arguments)
    memory = Memory(arguments.memory, arguments.agent)
    try:
        memory.wait_until_ready()
        for whose, field in PLACES.items():
            for goal in failed_near(memory, field, arguments.x, arguments.y, arguments.radius):
                reason = json.loads(goal.task).get('reason', '')
                print(f'{whose} {goal.spatial_distance:.2f} m away: failed, {reason or "without a reason"}')
        if arguments.ask:
            return 0
        driven = drive
        if arguments.simulated:
            status = {'succeeded': 4, 'canceled': 5, 'aborted': 6}[arguments.simulated]
            reason = 'no valid path' if status == 6 else ''
            driven = lambda x, y: (status, reason)  # noqa: E731
        outcome = navigate(memory, arguments.x, arguments.y, driven)
        print(outcome)
        return 0 if outcome == OUTCOMES[4] else 1
    except (NoAnswer, Refused) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        memory.close()
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
