"""A world: one task with its things and one seed, the same for all arms; and the runs in it."""

import dataclasses
import uuid
import zlib

import numpy as np

import names
from arms import ARMS, NAMELESS
from distractors import load
from memory import Memory, Node
from tasks import TASKS
from tasks.task import Attempt

OTHERS_COLLECTION = 'learning'


@dataclasses.dataclass(frozen=True)
class Setting:
    """What is run."""

    set_name: str = 'final'
    things: int = 12
    episodes: int = 240
    others: int = 10_000


@dataclasses.dataclass
class Episode:
    """What is known of an episode before it: all of it to the world, label and goal to the arms."""

    number: int
    thing: int
    hidden: dict
    goal: object
    noise: int
    label: str
    unlike_label: str


class World:
    """A task, its things and a seed."""

    def __init__(self, key, seed, setting, ros=None, store_of_others=None, namespace=''):
        self.task = TASKS[key]()
        self.seed = seed
        self.setting = setting
        self.ros = ros
        self.namespace = namespace
        self.store_of_others = store_of_others
        self.salt = zlib.crc32(f'{setting.set_name} {key} {seed}'.encode())
        kind = 'drawers' if key == 'c' else 'things'
        self.things = names.things(setting.set_name, kind, setting.things)
        rng = np.random.default_rng([self.salt, 1])
        self.properties = self.task.draw_properties(range(len(self.things)), rng)
        rounds = -(-setting.episodes // len(self.things))
        order = np.concatenate([rng.permutation(len(self.things)) for _ in range(rounds)])
        self.order = [int(thing) for thing in order[:setting.episodes]]
        self.goals = [self.task.draw_goal(rng) for _ in self.order]
        self.noises = [int(rng.integers(2**31)) for _ in self.order]
        self.changed_thing = int(rng.integers(len(self.things)))
        self.changed_property = self.task.changed(self.properties[self.changed_thing], rng)
        self.unlike = [self.most_unlike(thing) for thing in range(len(self.things))]
        self.node = None

    def most_unlike(self, thing):
        """Find the thing whose hidden property is most unlike."""
        mine = self.properties[thing]
        unlike = [self.task.unlike(mine, self.properties[other]) for other in range(len(self.things))]
        return int(np.argmax(unlike))

    def episodes(self, condition, changes):
        """All episodes in a condition, clean or noisy."""
        rng = np.random.default_rng([self.salt, 2])
        kind = names.NAMES[condition]
        mine, unlike = kind(self.things, rng), kind(self.things, np.random.default_rng([self.salt, 3]))
        for i, thing in enumerate(self.order):
            has_changed = changes and thing == self.changed_thing and i >= len(self.order) // 2
            hidden = self.changed_property if has_changed else self.properties[thing]
            labels = mine.say(thing), unlike.say(self.unlike[thing])
            yield Episode(i, thing, hidden, self.goals[i], self.noises[i], *labels)

    def memory(self):
        """Get the memory that runs use: the one that runs already, or one of our own."""
        if self.namespace:
            return Memory(self.ros, self.namespace)
        if self.node is None:
            self.node = Node(self.ros)
        return self.node.memory

    def memory_among_others(self):
        """Get a memory with the others in it: its node if it is our own, the memory, the collection."""
        if self.store_of_others:
            node = Node(self.ros, self.store_of_others)
            return node, node.memory, OTHERS_COLLECTION
        memory, collection = self.memory(), self.new_collection()
        load_others(memory, collection, self.setting)
        return None, memory, collection

    def new_collection(self):
        """Name a collection that nothing was stored in yet."""
        return f'learning {uuid.uuid4()}'

    def run(self, arm_name, condition):
        """Run one arm; returns what happened, episode by episode."""
        self.rng_of_sessions = np.random.default_rng([self.salt, 4])
        arm = ARMS[arm_name](self)
        rows = []
        try:
            for episode in self.episodes(condition, changes=arm_name == 'ours_stale'):
                action, experience = arm.act(episode)
                played = self.task.play(episode.hidden, action, episode.goal, episode.noise)
                outcome, reason, measured = played
                attempt = Attempt(self.task.params(action, episode.goal), measured, outcome, reason)
                arm.store(episode, action, attempt, experience)
                rows.append(
                    {
                        'thing': episode.thing,
                        'action': action,
                        'success': int(outcome == 'success'),
                        'attempts': len(experience.attempts),
                        'nearness': experience.nearness,
                    }
                )
        finally:
            arm.close()
        return {
            'task': self.task.name,
            'arm': arm_name,
            'condition': '' if arm_name in NAMELESS else condition,
            'seed': self.seed,
            'changed_thing': self.changed_thing if arm_name == 'ours_stale' else None,
            'counts': {key: int(count) for key, count in sorted(arm.counts.items())},
            'success': [row['success'] for row in rows],
            'thing': [row['thing'] for row in rows],
            'action': [row['action'] for row in rows],
            'attempts': [row['attempts'] for row in rows],
            'nearness': [row['nearness'] for row in rows],
        }

    def close(self):
        """End the node."""
        if self.node:
            self.node.stop()


def load_others(memory, collection, setting, tick=lambda: None):
    """Load memories of other things, among them other tasks on our own things."""
    sets = names.SETS[setting.set_name]
    all_things = [names.Thing.parse(text) for kind in sets.values() for text in kind]
    own_names = [thing.name(language) for thing in all_things for language in ('en', 'zh')]
    tasks = [kind() for kind in TASKS.values()]
    load(memory, collection, setting.others, tasks, own_names, np.random.default_rng(11), tick)


def make_store_of_others(ros, path, setting, tick):
    """Make a store with memories of other things, for copies of it."""
    node = Node(ros)
    try:
        load_others(node.memory, OTHERS_COLLECTION, setting, tick)
    finally:
        node.stop(keep=path)
