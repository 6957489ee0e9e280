"""What all tasks have in common."""

import dataclasses
import json

import numpy as np


def normal_cdf(x):
    """Approximate the distribution function of a normal variable, to 0.01."""
    return 0.5 * (1 + np.tanh(0.851 * x))


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One attempt as a memory gives it back: what was done, what was measured, how it ended."""

    params: dict
    measured: dict
    outcome: str
    reason: str = ''

    @staticmethod
    def of_json(params, measured, outcome, reason=''):
        """Read an attempt of a service's answer."""
        return Attempt(json.loads(params or '{}'), json.loads(measured or '{}'), outcome, reason)


class Task:
    """A task with a grid of hypotheses on what is hidden, and a grid of actions.

    `hypotheses` and `actions` are sequences, `prior` a distribution over the hypotheses: the frequencies among
    all things, which the robot knows beforehand. Physics decides how an attempt ends; it is computed once for
    each hidden property, action and noise, so that all arms meet the same world.
    """

    name = ''

    def __init__(self):
        self.played = {}

    def draw_properties(self, things, rng):
        """Hidden properties of the things: a dict of dicts."""
        raise NotImplementedError

    def changed(self, hidden, rng):
        """Another hidden property, clearly unlike."""
        raise NotImplementedError

    def unlike(self, one, other):
        """How unlike two hidden properties are."""
        raise NotImplementedError

    def draw_goal(self, rng):
        """What differs between episodes and is known to the robot."""
        return None

    def success(self, goal):
        """Probability of success, hypotheses by actions."""
        raise NotImplementedError

    def known_success(self, hidden, goal):
        """Probability of success of each action when the hidden property is known."""
        raise NotImplementedError

    def likelihood(self, attempt):
        """Probability of an attempt under each hypothesis, without outliers; None when it says nothing."""
        raise NotImplementedError

    def params(self, action, goal):
        """Build the parameters of an action, as they are stored."""
        raise NotImplementedError

    def simulate(self, hidden, action, noise):
        """Let physics decide; the result does not depend on the goal."""
        raise NotImplementedError

    def judge(self, result, goal):
        """How it ended: outcome, reason and what the robot measures."""
        raise NotImplementedError

    def play(self, hidden, action, goal, noise):
        """Play an episode: outcome, reason and measured values."""
        key = (tuple(sorted(hidden.items())), action, noise)
        if key not in self.played:
            self.played[key] = self.simulate(hidden, self.actions[action], np.random.default_rng(noise))
        return self.judge(self.played[key], goal)
