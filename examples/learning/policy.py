"""The one policy of all arms: attempts and figures in, an action out."""

import dataclasses

import numpy as np

# Chosen on the development things and seeds; see README.md.
# What an attempt weighs against the next newer one.
FADING = 0.6
# Share of attempts that may be about something else: a wrong name, a thing that was changed.
OUTLIERS = 0.05


@dataclasses.dataclass
class Experience:
    """What an arm gives the policy."""

    # The oldest first.
    attempts: list = dataclasses.field(default_factory=list)
    # Whether the newer ones count for more.
    is_aged: bool = True
    # Bounds of lessons that were tested: (name of the parameter, 'above' or 'below' fails, bound).
    bounds: list = dataclasses.field(default_factory=list)
    # Of the attempts, if the memory says so: object, kind.
    nearness: str = ''
    # Memories behind it, to be credited or blamed.
    used_ids: list = dataclasses.field(default_factory=list)


def posterior(task, experience):
    """Weigh the hypotheses: Bayes' rule with outliers, in which old attempts fade."""
    log = np.log(task.prior)
    weight = 1.0
    for attempt in reversed(experience.attempts):
        likelihood = task.likelihood(attempt)
        if likelihood is None:
            continue
        log = log + weight * np.log(likelihood * (1 - OUTLIERS) + OUTLIERS)
        if experience.is_aged:
            weight *= FADING
    probability = np.exp(log - log.max())
    return probability / probability.sum()


def choose(task, goal, experience):
    """Choose the action that succeeds most probably; of equals the first."""
    success = posterior(task, experience) @ task.success(goal)
    for name, side, bound in experience.bounds:
        for i in range(len(task.actions)):
            value = task.params(i, goal).get(name)
            if isinstance(value, (int, float)) and (value > bound if side == 'above' else value < bound):
                success[i] *= 0.5
    return int(success.argmax())


def choose_knowing(task, goal, hidden):
    """Choose the action of the oracle."""
    return int(task.known_success(hidden, goal).argmax())
