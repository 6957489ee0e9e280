"""What the robots of fleet_storm.py are asked to learn."""

import random

# Kinds of memories: weight, whether others are told, the fields of the request. They share few words: each learned statement is
# compared with all that are like it.
KINDS = {
    'fact': (56, True, {'insight': '{0} {1} holds {2} {3} beside {4}'}),
    'cell': (10, True, {'insight': 'Tray {0} {1} carries {2} {3} {4}', 'scope': 'group:cell-7'}),
    'limit': (5, True, {'insight': 'Never grip {0} {1} {2} {3} harder than {n} N'}),
    'context': (5, True, {'insight': 'Drawer {0} {1} jams {2} {3}', 'context': {'task': {'name': '{4}'}}}),
    'lesson': (4, True, {'insight': 'Wipe {0} {1} before {2} {3}', 'mem_type': 'lesson', 'scope': 'group:cell-8'}),
    'same': (4, True, {'insight': 'Hall {0} {1} {2} has {3} {4}'}),
    'other_fact': (4, False, {'insight': 'Crate {0} {1} contains {2} {3}', 'scope': 'group:cell-8'}),
    'dm': (4, False, {'insight': 'Between us: {0} {1} dislikes {2} {3}', 'scope': 'dm'}),
    'other_cell': (4, False, {'insight': 'Bin {0} {1} stores {2} {3} {4}', 'scope': 'group:cell-9'}),
    'taste': (4, False, {'insight': 'Person {0} {1} prefers {2} {3}', 'mem_type': 'preference'}),
}  # fmt: skip


class Words:
    """Made-up words, each once."""

    def __init__(self, chance):
        self.chance, self.known = chance, set()

    def next(self):
        """A word that was not there before."""
        while True:
            word = ''.join(self.chance.choice('bdfgklmnprstv') + self.chance.choice('aeiou') for _ in range(4))
            if word not in self.known:
                self.known.add(word)
                return word


def filled(value, **words):
    """A field with its words."""
    if isinstance(value, dict):
        return {key: filled(it, **words) for key, it in value.items()}
    return value.format(*words['made'], **words)


def requests_of(name, count, seed, is_shared_only=False):
    """What a robot is asked to learn. Some texts are those of all robots."""
    chance, common = random.Random(f'{seed} {name}'), random.Random(f'{seed} all')
    words, same_words = Words(chance), Words(common)
    kinds = [it for it in KINDS.items() if it[1][1] or not is_shared_only]
    for number in range(count):
        kind, (_, is_shared, template) = chance.choices(kinds, [weight for _, (weight, *_) in kinds])[0]
        made = [(same_words if kind == 'same' else words).next() for _ in range(5)]
        fields = {key: filled(value, made=made, n=chance.randint(2, 60)) for key, value in template.items()}
        yield is_shared, fields | {'idempotency_key': f'{name}-{number}'}
