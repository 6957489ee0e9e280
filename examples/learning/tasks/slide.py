"""Slide: one push, and the thing must stop near the goal. Its friction is hidden.

A flat pusher accelerates on a fixed way to a speed and stops; the puck, which has the size and mass of that of
FetchSlide in gymnasium-robotics, slides on. It falls off the table at its end.
"""

import json
import os
from pathlib import Path

import mujoco
import numpy as np

from .task import normal_cdf, Task

TOLERANCE_M = 0.05
GOAL_M = (0.25, 0.75)
FRICTION = (0.06, 0.35)
FRICTION_NOISE = 0.03
START_NOISE_M = 0.004
MEASURING_NOISE_M = 0.005
# Of the robot's model of a push, in which friction is the only unknown: relative and absolute.
MODEL_ERROR = 0.045
MODEL_ERROR_M = 0.008
WAY_M = 0.15
TABLE_END_M = 0.90
STEP_SECS = 0.002
STEPS_MAX = 2500

SCENE = """
<mujoco>
  <option timestep="0.002" cone="elliptic" integrator="implicitfast"/>
  <default><geom condim="3" solref="0.006 1"/></default>
  <worldbody>
    <geom name="table" type="plane" size="3 1 0.1"/>
    <body name="puck" pos="0.0255 0 0.02">
      <joint name="puck" type="free"/>
      <geom name="puck" type="cylinder" size="0.025 0.02" mass="2"/>
    </body>
    <body name="pusher" pos="-0.01 0 0.025">
      <joint name="pusher" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.01 0.06 0.015" mass="50" friction="0.01 0.005 0.0001" priority="1"/>
    </body>
  </worldbody>
  <actuator><velocity joint="pusher" kv="20000"/></actuator>
</mujoco>
"""


class Scene:
    """A puck on a table, and a pusher behind it."""

    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(SCENE)
        self.data = mujoco.MjData(self.model)
        self.rubbing = [self.model.geom(name).id for name in ('puck', 'table')]

    def push(self, friction, speed_mps, offset_m=0.0):
        """Push once; returns how far the puck came, and whether it fell off the table."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        model.geom_friction[self.rubbing, 0] = friction
        # The last joint is the pusher's, the first the puck's.
        data.qpos[7] = -offset_m
        begin = data.qpos[0]
        growing = round(2 * WAY_M / speed_mps / STEP_SECS)
        for i in range(STEPS_MAX):
            # Faster and faster up to the speed, then back.
            data.ctrl[0] = speed_mps * (i + 1) / growing if i < growing else -0.2
            mujoco.mj_step(model, data)
            if data.qpos[0] - begin > TABLE_END_M:
                return TABLE_END_M, True
            if i > growing + 20 and np.abs(data.qvel[:2]).max() < 0.004:
                break
        return float(data.qpos[0] - begin), False


class Slide(Task):
    """The task."""

    name = 'slide'

    def __init__(self):
        super().__init__()
        self.scene = Scene()
        self.hypotheses = np.geomspace(FRICTION[0] * 0.85, FRICTION[1] * 1.15, 60)
        inside = (self.hypotheses >= FRICTION[0] * 0.98) & (self.hypotheses <= FRICTION[1] * 1.02)
        self.prior = np.where(inside, 1.0, 0.02)
        self.prior /= self.prior.sum()
        self.actions = [round(float(v), 2) for v in np.arange(0.20, 2.205, 0.02)]
        self.model = self.calibrated()
        self.ways = np.array([self.ways_at(friction) for friction in self.hypotheses])

    def calibrated(self):
        """Way by friction and speed, without noise: what the robot knows of its own arm."""
        frictions = np.geomspace(0.045, 0.42, 12)
        speeds = np.concatenate([np.arange(0.2, 1.0, 0.1), np.arange(1.0, 2.3, 0.15)])
        key = f'slide-mujoco-{mujoco.__version__}-{len(frictions)}x{len(speeds)}-{WAY_M}.json'
        home = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
        cache = os.environ.get('ROBOT_MEMORY_CACHE') or Path(home) / 'robot_memory'
        file = Path(cache) / 'learning' / key
        if file.exists():
            ways = np.array(json.loads(file.read_text()))
        else:
            ways = np.array([[self.way(mu, v) for v in speeds] for mu in frictions])
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f'.{os.getpid()}')
            part.write_text(json.dumps(ways.tolist()))
            part.replace(file)
        return np.log(frictions), speeds, ways

    def way(self, friction, speed_mps):
        """How far without noise; beyond the table's end, what the speed would give on."""
        way, fell = self.scene.push(friction, speed_mps)
        return TABLE_END_M * 1.2 if fell else way

    def ways_at(self, friction):
        """How far each action pushes at a friction, by the robot's model."""
        frictions, speeds, ways = self.model
        at = [np.interp(np.log(friction), frictions, column) for column in ways.T]
        return np.interp(self.actions, speeds, at)

    def draw_properties(self, things, rng):
        """Frictions at equal logarithmic steps, in random order."""
        levels = rng.permutation(np.geomspace(*FRICTION, len(things)))
        return {thing: {'friction': round(float(mu), 4)} for thing, mu in zip(things, levels)}

    def changed(self, hidden, rng):
        """Slippery becomes rough, and the other way round."""
        low, high = FRICTION
        middle = np.sqrt(low * high)
        factor = rng.uniform(2.2, 2.6)
        mu = hidden['friction'] * (factor if hidden['friction'] < middle else 1 / factor)
        return {'friction': round(float(mu), 4)}

    def unlike(self, one, other):
        """Ratio of the frictions."""
        return abs(np.log(one['friction'] / other['friction']))

    def draw_goal(self, rng):
        """Draw the goal's distance."""
        return round(float(rng.uniform(*GOAL_M)), 3)

    def hits(self, ways, goal):
        """Probability to stop near the goal."""
        error = MODEL_ERROR_M + MODEL_ERROR * ways
        ends = [normal_cdf((goal + side * TOLERANCE_M - ways) / error) for side in (1, -1)]
        return ends[0] - ends[1]

    def success(self, goal):
        """Probability of success, hypotheses by actions."""
        return self.hits(self.ways, goal)

    def known_success(self, hidden, goal):
        """Probability of success when the friction is known."""
        return self.hits(self.ways_at(hidden['friction']), goal)

    def likelihood(self, attempt):
        """How far a push at its speed goes, against how far it went."""
        speed, way = attempt.params.get('speed_mps'), attempt.measured.get('distance_m')
        if speed is None or way is None:
            return None
        action = int(np.abs(np.array(self.actions) - speed).argmin())
        ways = self.ways[:, action]
        error = MODEL_ERROR_M + MODEL_ERROR * ways
        if attempt.reason == 'fell off the table':
            return normal_cdf((ways - TABLE_END_M) / error)
        return np.exp(-0.5 * ((way - ways) / error) ** 2)

    def params(self, action, goal):
        """Build the parameters of an action."""
        return {'speed_mps': self.actions[action], 'goal_m': goal}

    def simulate(self, hidden, action, noise):
        """Let physics decide: way, whether it fell, and the error of measuring."""
        friction = hidden['friction'] * np.exp(noise.normal(0.0, FRICTION_NOISE))
        offset = abs(noise.normal(0.0, START_NOISE_M))
        error = noise.normal(0.0, MEASURING_NOISE_M)
        return (*self.scene.push(friction, action, offset), error)

    def judge(self, result, goal):
        """How it ended."""
        way, fell, error = result
        measured = {'distance_m': round(way + error, 3)}
        if fell:
            return 'failure', 'fell off the table', measured
        if abs(way - goal) <= TOLERANCE_M:
            return 'success', '', measured
        return 'failure', 'too short' if way < goal else 'too far', measured
