"""Drawer: steps in the right order open it. What holds it shut is hidden.

The front of a drawer moves in a plane, out and up, among blocks that nobody sees. A gate lets it through at
one height: as it stands, lifted or pressed down. In some drawers the front can leave its height only where it
stands, in others only when it is first pushed in.
"""

import mujoco
import numpy as np

from .task import Task

ORDERS = (
    'pull',
    'lift,pull',
    'press,pull',
    'push,lift,pull',
    'push,press,pull',
    'lift,push,pull',
    'press,push,pull',
)
# Height of the gate, and where the front can leave its height.
KINDS = ('free', 'lift', 'press', 'push lift', 'push press')
KIND_SHARES = {'free': 3, 'lift': 3, 'press': 2, 'push lift': 2, 'push press': 2}
RISE_M = 0.02
IN_M = 0.02
OPEN_M = 0.10
HEIGHT_NOISE_M = 0.0017
FORCE_NOISE = 0.05
STEP_STEPS = 90
SETTLE_SECS = 0.002
RIGHT, WRONG = 0.93, 0.03

SCENE = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast" gravity="0 0 0"/>
  <default><geom friction="0.1 0.005 0.0001" solref="0.004 1" condim="3"/></default>
  <worldbody>
    <body name="front">
      <joint name="out" type="slide" axis="1 0 0" damping="15" frictionloss="1"/>
      <joint name="up" type="slide" axis="0 0 1" damping="15" stiffness="60"/>
      <geom name="pin" type="box" size="0.005 0.01 0.005" mass="0.5"/>
    </body>
    <geom type="box" size="0.002 0.02 0.06" pos="-0.0275 0 0"/>
    {blocks}
  </worldbody>
  <actuator>
    <motor name="out" joint="out"/>
    <position name="up" joint="up" kp="2500" forcerange="-25 25"/>
  </actuator>
</mujoco>
"""
GATE_X, GATE_HALF_M = 0.022, 0.0085


def box(x, z, half_x, half_z):
    """One block of the mechanism."""
    return f'<geom type="box" size="{half_x} 0.02 {half_z}" pos="{x} 0 {z}"/>'


def blocks(kind):
    """Build the mechanism of a kind: a gate, and what keeps the front at its height."""
    height = RISE_M * ('lift' in kind) - RISE_M * ('press' in kind)
    half = 0.05
    parts = [
        box(GATE_X, height + GATE_HALF_M + half, 0.004, half),
        box(GATE_X, height - GATE_HALF_M - half, 0.004, half),
    ]
    # The pin is 1 cm wide, and stands 2 cm further in when it is pushed. It rises only where it comes to rest.
    guides = ((-0.0125, 0.0145),) if 'push' in kind else ((-0.027, -0.0065), (0.0065, 0.0145))
    for begin, end in guides:
        for side in (1, -1):
            parts.append(box((begin + end) / 2, side * 0.0095, (end - begin) / 2, 0.0025))
    return ''.join(parts)


class Mechanism:
    """A drawer of a kind."""

    def __init__(self, kind):
        self.model = mujoco.MjModel.from_xml_string(SCENE.format(blocks=blocks(kind)))
        self.data = mujoco.MjData(self.model)

    def open(self, steps, height_m=RISE_M, force_n=8.0):
        """Do the steps, one after the other; returns how far the drawer is open."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        up, out = 0.0, 0.0
        for step in steps:
            if step in ('lift', 'press'):
                up = height_m if step == 'lift' else -height_m
                out = out if out < 0 else 0.0
            elif step == 'push':
                # The hand pushes at the middle and does not hold the front up.
                up, out = 0.0, -force_n
            else:
                out = force_n
            for _ in range(STEP_STEPS * (2 if step == 'pull' else 1)):
                data.ctrl[:] = out, up
                mujoco.mj_step(model, data)
                if data.qpos[0] > OPEN_M:
                    return float(data.qpos[0])
        return float(data.qpos[0])


class Drawer(Task):
    """The task."""

    name = 'open drawer'

    def __init__(self):
        super().__init__()
        self.hypotheses = KINDS
        self.actions = list(ORDERS)
        self.prior = np.array([KIND_SHARES[kind] for kind in KINDS], float)
        self.prior /= self.prior.sum()
        self.mechanisms = {kind: Mechanism(kind) for kind in KINDS}
        opens = [[self.opens(kind, order) for order in ORDERS] for kind in KINDS]
        self.table = np.where(opens, RIGHT, WRONG)

    def opens(self, kind, order):
        """Whether an order opens a drawer of a kind, without noise."""
        return self.mechanisms[kind].open(order.split(',')) > OPEN_M

    def draw_properties(self, things, rng):
        """Kinds in fixed shares, in random order."""
        all_kinds = [kind for kind, share in KIND_SHARES.items() for _ in range(share)]
        kinds = rng.permutation(np.resize(all_kinds, len(things)))
        return {thing: {'kind': str(kind)} for thing, kind in zip(things, kinds)}

    def changed(self, hidden, rng):
        """Another kind."""
        return {'kind': str(rng.choice([kind for kind in KINDS if kind != hidden['kind']]))}

    def unlike(self, one, other):
        """Count the orders that open only one of them."""
        rows = [self.table[KINDS.index(hidden['kind'])] for hidden in (one, other)]
        return float(np.abs(rows[0] - rows[1]).sum())

    def success(self, goal):
        """Probability of success, hypotheses by actions."""
        return self.table

    def known_success(self, hidden, goal):
        """Probability of success when the kind is known."""
        return self.table[KINDS.index(hidden['kind'])]

    def likelihood(self, attempt):
        """Whether the order opens a drawer of the kind."""
        order = attempt.params.get('order')
        if order not in self.actions or attempt.outcome not in ('success', 'failure'):
            return None
        opens = self.table[:, self.actions.index(order)]
        return opens if attempt.outcome == 'success' else 1 - opens

    def params(self, action, goal):
        """Build the parameters of an action."""
        return {'order': self.actions[action]}

    def steps(self, action):
        """Name the steps of an action."""
        return self.actions[action].split(',')

    def simulate(self, hidden, action, noise):
        """Let physics decide: how far it is open."""
        height = RISE_M + noise.normal(0.0, HEIGHT_NOISE_M)
        force = 8.0 * np.exp(noise.normal(0.0, FORCE_NOISE))
        return self.mechanisms[hidden['kind']].open(action.split(','), height, force)

    def judge(self, result, goal):
        """How it ended."""
        measured = {'opened_m': round(result, 3)}
        if result > OPEN_M:
            return 'success', '', measured
        return 'failure', 'stuck', measured
