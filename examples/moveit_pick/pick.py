"""A pick with MoveIt that asks the memory before it grips, and tells it afterwards.

    python3 pick.py --object 'red glass cup' --position 0.45 0.10 0.20 --simulated
    python3 pick.py ... --ros-args --params-file moveit.yaml        # a real arm: see README.md

Brief returns what worked before, and with it the force to try; check_action compares that force with the rules;
begin_attempt and end_attempt store what is tried and how it ended.
"""

import argparse
import json
import sys
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from statistics import median

import rclpy
from robot_memory.srv import BeginAttempt, Brief, CheckAction, EndAttempt

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'rclpy_client'))
from memory_client import Memory, NoAnswer, Refused  # noqa: E402

TASK = 'pick'
SUCCESS, FAILURE = EndAttempt.Request.OUTCOME_SUCCESS, EndAttempt.Request.OUTCOME_FAILURE
# Of an object that is not known; and what is added after a grip that slipped.
FIRST_FORCE_N = 4.0
STEP_FORCE_N = 3.0


@dataclass
class Outcome:
    """How a pick ended, in the words of EndAttempt."""

    outcome: str
    reason: str = ''
    measured: dict = field(default_factory=dict)
    steps: list = field(default_factory=list)


class SimulatedArm:
    """In place of an arm: the grip slips below one force and crushes the object above another."""

    def __init__(self, slips_below_n, crushes_above_n):
        self.slips_below_n, self.crushes_above_n = slips_below_n, crushes_above_n

    def pick(self, position_m, force_n):
        """Grip with this force and lift."""
        names = ['approach', 'grip', 'lift']
        if force_n > self.crushes_above_n:
            return Outcome(FAILURE, 'crushed', {'force_n': force_n}, steps(names[:2], False))
        if force_n < self.slips_below_n:
            return Outcome(FAILURE, 'slipped', {'force_n': force_n}, steps(names, False))
        return Outcome(SUCCESS, '', {'force_n': force_n}, steps(names, True))


class MoveItArm:
    """An arm with moveit_py, and a gripper with the action control_msgs/action/GripperCommand."""

    def __init__(self, group, hand_link, frame, gripper_action):
        from control_msgs.action import GripperCommand
        from geometry_msgs.msg import PoseStamped
        from moveit.planning import MoveItPy
        from rclpy.action import ActionClient

        self.command, self.pose = GripperCommand, PoseStamped
        self.moveit = MoveItPy(node_name='pick')
        self.arm = self.moveit.get_planning_component(group)
        self.hand_link, self.frame = hand_link, frame
        self.node = rclpy.create_node('pick_gripper')
        self.gripper = ActionClient(self.node, GripperCommand, gripper_action)

    def move_to(self, x, y, z):
        """Plan to a point with the hand pointing down, and go there."""
        goal = self.pose()
        goal.header.frame_id = self.frame
        goal.pose.position.x, goal.pose.position.y, goal.pose.position.z = x, y, z
        goal.pose.orientation.x, goal.pose.orientation.w = 1.0, 0.0
        self.arm.set_start_state_to_current_state()
        self.arm.set_goal_state(pose_stamped_msg=goal, pose_link=self.hand_link)
        plan = self.arm.plan()
        return bool(plan) and bool(self.moveit.execute(plan.trajectory, controllers=[]))

    def grip(self, width_m, force_n, timeout_secs=10.0):
        """Close or open; returns the result, or None without one."""
        goal = self.command.Goal()
        goal.command.position, goal.command.max_effort = width_m, force_n
        if not self.gripper.wait_for_server(timeout_secs):
            return None
        sent = self.gripper.send_goal_async(goal)
        rclpy.spin_until_future_complete(self.node, sent, timeout_sec=timeout_secs)
        if not sent.done() or not sent.result().accepted:
            return None
        ended = sent.result().get_result_async()
        rclpy.spin_until_future_complete(self.node, ended, timeout_sec=timeout_secs)
        return ended.result().result if ended.done() else None

    def pick(self, position_m, force_n):
        """Approach from above, grip with this force and lift."""
        x, y, z = position_m
        if not self.grip(0.08, force_n):
            return Outcome(FAILURE, 'gripper does not open')
        if not self.move_to(x, y, z + 0.15) or not self.move_to(x, y, z):
            return Outcome(FAILURE, 'no path', {}, steps(['approach'], False))
        held = self.grip(0.0, force_n)
        # What stops the fingers before they are closed is between them.
        if held is None or not held.stalled:
            return Outcome(FAILURE, 'missed', {}, steps(['approach', 'grip'], False))
        measured = {'force_n': held.effort, 'width_m': held.position}
        if not self.move_to(x, y, z + 0.15):
            return Outcome(FAILURE, 'no path', measured, steps(['approach', 'grip', 'lift'], False))
        held = self.grip(0.0, force_n)
        if held is None or not held.stalled:
            return Outcome(FAILURE, 'slipped', measured, steps(['approach', 'grip', 'lift'], False))
        return Outcome(SUCCESS, '', measured, steps(['approach', 'grip', 'lift'], True))


def steps(names, is_done):
    """What was done, in order; all but perhaps the last one succeeded."""
    verdicts = [SUCCESS] * (len(names) - 1) + [SUCCESS if is_done else FAILURE]
    return [{'name': name, 'verdict': verdict} for name, verdict in zip(names, verdicts)]


def force_from(brief):
    """Choose the force from the newest attempts on this object or, when there are none, on its kind."""
    # Attempts at the same task on other objects say nothing about this one.
    if not brief.is_known:
        return FIRST_FORCE_N
    forces = {SUCCESS: [], 'slipped': [], 'crushed': []}
    for attempt in brief.similar:
        ending = attempt.reason if attempt.outcome == FAILURE else attempt.outcome
        if attempt.nearness == brief.nearness and ending in forces and not attempt.is_outdated:
            forces[ending].append(json.loads(attempt.params)['force_n'])
    least, most = max(forces['slipped'], default=0.0), min(forces['crushed'], default=inf)
    worked = [force for force in forces[SUCCESS] if least < force < most]
    if worked:
        return median(worked)
    return (least + most) / 2 if most < inf else max(least + STEP_FORCE_N, FIRST_FORCE_N)


def pick(memory, arm, thing, position_m, frame):
    """Pick with the memory's advice; returns the outcome, or None when the rules forbid it."""
    place = {'spatial': {'object_position': position_m, 'frame': frame}}
    try:
        brief = memory.call(Brief, task=TASK, object=thing, position_m=position_m, frame=frame, n=20)
        print(brief.sentence_en)
        force_n = force_from(brief)
        used = [identifier for group in brief.attempts for identifier in group.success_ids][:10]
    except NoAnswer as error:
        # Experience is missing: the skill still works as it did without a memory.
        print(error)
        force_n, used = FIRST_FORCE_N, []
    params = json.dumps({'force_n': force_n})

    # Rules are not optional: without a response nothing is gripped.
    check = memory.call(CheckAction, task=TASK, object=thing, params=params)
    if not check.allowed:
        print(f'not done: {check.violations[0].reason}')
        return None
    if check.undecided:
        print(f'ask a person: {check.undecided[0].content}')
        return None

    begun = memory.call(BeginAttempt, task=TASK, object=thing, params=params, context=json.dumps(place))
    done = Outcome(EndAttempt.Request.OUTCOME_UNKNOWN, 'interrupted in the program')
    try:
        done = arm.pick(position_m, force_n)
    except KeyboardInterrupt:
        done = Outcome(EndAttempt.Request.OUTCOME_CANCELLED, 'stopped by a person')
        raise
    finally:
        # In any case: what stays open cannot teach anything.
        memory.call(
            EndAttempt,
            attempt_id=begun.attempt_id,
            outcome=done.outcome,
            reason=done.reason,
            measured=json.dumps(done.measured),
            steps=json.dumps(done.steps) if done.steps else '',
            used_ids=used,
        )
    print(f'attempt {begun.attempt_id}: {force_n:.1f} N, {done.outcome} {done.reason}')
    return done


def main():
    """Pick one object, some times."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--object', default='red glass cup', help='what people call it')
    parser.add_argument('--position', type=float, nargs=3, default=[0.45, 0.10, 0.20], metavar='M')
    parser.add_argument('--frame', default='base_link')
    parser.add_argument('--times', type=int, default=1, help='attempts at most; ends with the first success')
    parser.add_argument('--memory', default='/robot_memory')
    parser.add_argument('--agent', default='')
    parser.add_argument('--simulated', action='store_true', help='without an arm')
    parser.add_argument('--slips-below', type=float, default=8.0, metavar='N', help='of the simulated object')
    parser.add_argument('--crushes-above', type=float, default=14.0, metavar='N')
    parser.add_argument('--group', default='panda_arm')
    parser.add_argument('--hand-link', default='panda_link8')
    parser.add_argument('--gripper', default='/panda_hand_controller/gripper_cmd')
    arguments, ros_arguments = parser.parse_known_args()
    rclpy.init(args=ros_arguments)
    memory = Memory(arguments.memory, arguments.agent)
    try:
        memory.wait_until_ready()
        if arguments.simulated:
            arm = SimulatedArm(arguments.slips_below, arguments.crushes_above)
        else:
            arm = MoveItArm(arguments.group, arguments.hand_link, arguments.frame, arguments.gripper)
        for _ in range(arguments.times):
            done = pick(memory, arm, arguments.object, arguments.position, arguments.frame)
            if done is None or done.outcome == SUCCESS:
                break
        return 0 if done is not None and done.outcome == SUCCESS else 1
    except (NoAnswer, Refused) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        memory.close()
        rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
