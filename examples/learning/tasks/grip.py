"""Grip: the force must hold the thing and not break it. Friction, mass and fragility are hidden.

Two fingers close on a box with a given force and lift it. It is dropped when it slips out of the fingers, and
broken when the force on a finger exceeds what it bears.
"""

import mujoco
import numpy as np

from .task import normal_cdf, Task

HOLDING_N = (2.0, 20.0)
WINDOW = (1.35, 1.9)
FRICTION = (0.3, 0.9)
NOISE = 0.03
MODEL_ERROR = 0.05
GRAVITY = 9.81
# Where a box slips out at this lift, against the weight that friction bears at rest; by simulation.
LIFT_FACTOR = 1.07
STEP_SECS = 0.002
CLOSING_STEPS, LIFTING_STEPS, HOLDING_STEPS = 120, 200, 150
LIFT_M = 0.06
SLIP_M = 0.012

SCENE = """
<mujoco>
  <option timestep="0.002" cone="elliptic" impratio="20" integrator="implicitfast"/>
  <default><geom condim="4" solref="0.004 1" solimp="0.95 0.99 0.001"/></default>
  <worldbody>
    <geom name="table" type="plane" size="1 1 0.1" friction="0.01 0.005 0.0001"/>
    <body name="thing" pos="0 0 0.03">
      <joint name="thing" type="free"/>
      <geom name="thing" type="box" size="0.025 0.025 0.03" mass="0.5"/>
    </body>
    <body name="hand" pos="0 0 0.035">
      <joint name="lift" type="slide" axis="0 0 1" damping="50"/>
      <geom type="box" size="0.04 0.08 0.01" pos="0 0 0.09" mass="1" contype="0" conaffinity="0"/>
      <body name="left" pos="0 0.035 0">
        <joint name="left" type="slide" axis="0 -1 0" range="-0.02 0.04" damping="20"/>
        <geom name="left" type="box" size="0.012 0.006 0.02" mass="0.1" friction="0.01 0.005 0.0001"/>
        <site name="left" type="box" size="0.014 0.008 0.022"/>
      </body>
      <body name="right" pos="0 -0.035 0">
        <joint name="right" type="slide" axis="0 1 0" range="-0.02 0.04" damping="20"/>
        <geom name="right" type="box" size="0.012 0.006 0.02" mass="0.1" friction="0.01 0.005 0.0001"/>
        <site name="right" type="box" size="0.014 0.008 0.022"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="lift" joint="lift" kp="20000" kv="600"/>
    <motor name="left" joint="left"/>
    <motor name="right" joint="right"/>
  </actuator>
  <sensor>
    <touch site="left"/>
    <touch site="right"/>
  </sensor>
</mujoco>
"""


class Scene:
    """A hand above a box."""

    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(SCENE)
        self.data = mujoco.MjData(self.model)
        self.thing = self.model.geom('thing').id
        self.body = self.model.body('thing').id
        self.inertia = self.model.body_inertia[self.body] / self.model.body_mass[self.body]

    def grip(self, friction, mass_kg, force_n):
        """Grip and lift; returns how far the box slipped, and the greatest force on a finger."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        model.geom_friction[self.thing, 0] = friction
        model.body_mass[self.body] = mass_kg
        model.body_inertia[self.body] = self.inertia * mass_kg
        peak, forces = 0.0, []
        for i in range(CLOSING_STEPS + LIFTING_STEPS + HOLDING_STEPS):
            # The fingers close softly, so that the first touch is no blow.
            data.ctrl[1:] = force_n * min(1.0, (i + 1) / (0.7 * CLOSING_STEPS))
            share = np.clip((i - CLOSING_STEPS) / LIFTING_STEPS, 0.0, 1.0)
            data.ctrl[0] = LIFT_M * share * share * (3 - 2 * share)
            mujoco.mj_step(model, data)
            forces.append(max(data.sensordata))
            if len(forces) >= 10:
                peak = max(peak, sum(forces[-10:]) / 10)
            if i > CLOSING_STEPS and i % 20 == 0:
                slip = data.qpos[model.joint('lift').qposadr[0]] - (data.body('thing').xpos[2] - 0.03)
                if slip > SLIP_M * 1.5:
                    break
        slip = data.qpos[model.joint('lift').qposadr[0]] - (data.body('thing').xpos[2] - 0.03)
        return float(slip), float(peak)


class Grip(Task):
    """The task."""

    name = 'grip'

    def __init__(self):
        super().__init__()
        self.scene = Scene()
        self.actions = [round(float(force), 2) for force in np.geomspace(1.5, 45.0, 100)]
        holding = np.geomspace(HOLDING_N[0] * 0.85, HOLDING_N[1] * 1.15, 50)
        windows = np.linspace(*WINDOW, 6)
        self.hypotheses = np.array([(h, h * w) for h in holding for w in windows])
        least = self.hypotheses[:, 0]
        inside = (least >= HOLDING_N[0] * 0.97) & (least <= HOLDING_N[1] * 1.03)
        self.prior = np.where(inside, 1.0, 0.02)
        self.prior /= self.prior.sum()
        self.table = self.holds(self.hypotheses[:, :1], self.hypotheses[:, 1:])

    def holds(self, holding, breaking):
        """Probability of success of each action between two forces."""
        log = np.log(self.actions)
        holds = normal_cdf((log - np.log(holding)) / MODEL_ERROR)
        return holds * normal_cdf((np.log(breaking) - log) / MODEL_ERROR)

    def draw_properties(self, things, rng):
        """Forces that hold at equal logarithmic steps, in random order, by a random friction."""
        properties = {}
        for thing, holding in zip(things, rng.permutation(np.geomspace(*HOLDING_N, len(things)))):
            friction = rng.uniform(*FRICTION)
            mass = 2 * friction * holding / (GRAVITY * LIFT_FACTOR)
            properties[thing] = {
                'friction': round(float(friction), 3),
                'mass_kg': round(float(mass), 4),
                'bears_n': round(float(holding * rng.uniform(*WINDOW)), 3),
            }
        return properties

    def changed(self, hidden, rng):
        """It becomes lighter and more fragile, or heavier and stronger."""
        factor = rng.uniform(2.2, 2.6)
        if self.holding(hidden) > np.sqrt(HOLDING_N[0] * HOLDING_N[1]):
            factor = 1 / factor
        changes = {key: round(hidden[key] * factor, 4) for key in ('mass_kg', 'bears_n')}
        return hidden | changes

    @staticmethod
    def holding(hidden):
        """Compute the least force that holds."""
        return hidden['mass_kg'] * GRAVITY * LIFT_FACTOR / (2 * hidden['friction'])

    def unlike(self, one, other):
        """Ratio of the forces in the middle between slip and break."""
        return abs(np.log(self.holding(one) * one['bears_n'] / self.holding(other) / other['bears_n']))

    def success(self, goal):
        """Probability of success, hypotheses by actions."""
        return self.table

    def known_success(self, hidden, goal):
        """Probability of success when the hidden properties are known."""
        return self.holds(self.holding(hidden), hidden['bears_n'])

    def likelihood(self, attempt):
        """Slipped below the force that holds, broke above the one that breaks, else between."""
        force = attempt.params.get('force_n')
        if force is None or attempt.outcome not in ('success', 'failure'):
            return None
        slips = normal_cdf((np.log(self.hypotheses[:, 0]) - np.log(force)) / MODEL_ERROR)
        breaks = normal_cdf((np.log(force) - np.log(self.hypotheses[:, 1])) / MODEL_ERROR)
        if attempt.reason == 'slipped':
            return slips
        if attempt.reason == 'broke':
            return breaks
        return (1 - slips) * (1 - breaks)

    def params(self, action, goal):
        """Build the parameters of an action."""
        return {'force_n': self.actions[action]}

    def simulate(self, hidden, action, noise):
        """Let physics decide: slip, greatest force, and the force that it bears."""
        friction = hidden['friction'] * np.exp(noise.normal(0.0, NOISE))
        force = action * np.exp(noise.normal(0.0, NOISE))
        slip, peak = self.scene.grip(friction, hidden['mass_kg'], force)
        return slip, peak, hidden['bears_n']

    def judge(self, result, goal):
        """How it ended."""
        slip, peak, bears = result
        measured = {'slip_m': round(slip, 4), 'peak_force_n': round(peak, 2)}
        if slip > SLIP_M:
            return 'failure', 'slipped', measured
        if peak > bears:
            return 'failure', 'broke', measured
        return 'success', '', measured
