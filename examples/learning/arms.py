"""The arms: each says which experience the policy gets before an episode, and stores what happened."""

import json
import logging
import tempfile
from collections import Counter

import numpy as np
from robot_memory.srv import BeginAttempt, Brief, EndAttempt, EndSession, StartSession

from distractors import load_unrelated_session
from memory import DAY_SECS
from policy import choose, choose_knowing, Experience
from tasks.task import Attempt

EPISODE_SECS = 60
# Episodes of a session of our own, between which unrelated ones lie.
BLOCK_EPISODES = 40
# What robotmem recalls: the best of 3, 5, 10 and 20 on the development things.
RECALLED = 5
# The newest attempts that an action is said to rely on.
USED_MAX = 20


class Arm:
    """An arm without memory: the action that is best among all things."""

    def __init__(self, world):
        self.world = world
        self.task = world.task
        # How often the answers had something, for the results.
        self.counts = Counter()

    def experience(self, episode):
        """Say what the policy gets."""
        return Experience()

    def act(self, episode):
        """Choose an action; returns it and the experience behind it."""
        experience = self.experience(episode)
        return choose(self.task, episode.goal, experience), experience

    def store(self, episode, action, attempt, experience):
        """Remember what happened."""

    def close(self):
        """End it."""


class Oracle(Arm):
    """Knows the hidden property."""

    def act(self, episode):
        """Choose the action that is best for the thing."""
        return choose_knowing(self.task, episode.goal, episode.hidden), Experience()


class Listed(Arm):
    """Keeps all attempts in a list."""

    def __init__(self, world):
        super().__init__(world)
        self.attempts = []

    def store(self, episode, action, attempt, experience):
        """Remember what happened."""
        self.attempts.append(attempt)


class Mean(Listed):
    """All attempts, on whatever thing, as if they were on this one."""

    def experience(self, episode):
        """Say what the policy gets."""
        return Experience(list(self.attempts), is_aged=False)


class Random(Listed):
    """One attempt, drawn at random."""

    def experience(self, episode):
        """Say what the policy gets."""
        if not self.attempts:
            return Experience()
        drawn = np.random.default_rng([episode.noise, 7]).integers(len(self.attempts))
        return Experience([self.attempts[drawn]])


class NearestText(Arm):
    """robotmem of PyPI, with its own recall."""

    def __init__(self, world):
        super().__init__(world)
        from robotmem import RobotMemory

        # It warns of each query that its full-text search cannot read.
        logging.disable(logging.WARNING)
        self.folder = tempfile.TemporaryDirectory()
        # By words alone: its model is a download from a model hub.
        self.memory = RobotMemory(db_path=f'{self.folder.name}/memory.db', embed_backend='none')

    def experience(self, episode):
        """Recall by the words of task and object."""
        found = self.memory.recall(f'{self.task.name} {episode.label}', n=RECALLED, min_confidence=0.0)
        records = [json.loads(memory['perception_data']) for memory in found]
        records.sort(key=lambda record: record['at'])
        fields = ('params', 'measured', 'outcome', 'reason')
        return Experience([Attempt(**{field: record[field] for field in fields}) for record in records])

    def store(self, episode, action, attempt, experience):
        """Remember what happened as a perception, with its data."""
        did = ', '.join(f'{key}={value}' for key, value in attempt.params.items())
        ended = f'{attempt.outcome} {attempt.reason}'.strip()
        data = {
            'at': episode.number,
            'params': attempt.params,
            'measured': attempt.measured,
            'outcome': attempt.outcome,
            'reason': attempt.reason,
        }
        # With a number, since it refuses a text that it has.
        self.memory.save_perception(
            f'{self.task.name} {episode.label}: {did}, {ended}, attempt {episode.number}',
            perception_type='procedural',
            data=json.dumps(data),
        )

    def close(self):
        """End it."""
        self.memory.close()
        self.folder.cleanup()


class Ours(Arm):
    """robot_memory: a briefing before, an attempt around the action."""

    def __init__(self, world, sessions=None):
        super().__init__(world)
        self.memory = world.memory()
        self.collection = world.new_collection()
        # Unrelated sessions between two blocks; None: no sessions at all.
        self.sessions = sessions
        self.session_id = ''

    def asked(self, episode):
        """Say which thing the memory is asked about."""
        return episode.label

    def experience(self, episode):
        """Ask for a briefing."""
        planned = choose(self.task, episode.goal, Experience())
        answer = self.memory.call(
            Brief,
            task=self.task.name,
            object=self.asked(episode),
            params=json.dumps(self.task.params(planned, episode.goal)),
            collection=self.collection,
            n=100,
        )
        self.note(answer, episode)
        return self.read(answer)

    def note(self, answer, episode):
        """Count what the answers had."""
        self.counts[f'nearness {answer.nearness or "none"}'] += 1
        self.counts['with outdated attempts'] += any(getattr(it, 'is_outdated', False) for it in answer.similar)
        self.counts['with changes'] += bool(getattr(answer, 'changes', ()))
        for lesson in getattr(answer, 'lessons', ()):
            self.counts[f'lessons {lesson.nearness} {lesson.state}'] += 1
        procedures = getattr(answer, 'procedures', ())
        if procedures and hasattr(self.task, 'steps'):
            steps = [step['name'] for step in json.loads(procedures[0].steps)]
            known = self.task.known_success(episode.hidden, episode.goal)
            self.counts['with a procedure'] += 1
            orders = [self.task.steps(i) for i in range(len(known))]
            self.counts['with a procedure that opens it'] += known[orders.index(steps)] > 0.5

    @staticmethod
    def read(answer):
        """Turn a briefing into experience: the nearest attempts that still hold.

        Those on the object itself; when there are none, those on objects of its kind, which may be it under
        another name.
        """
        similar = [
            it
            for it in answer.similar
            if it.nearness == answer.nearness and not getattr(it, 'is_outdated', False)
        ]
        similar.sort(key=lambda it: (it.created_at.sec, it.created_at.nanosec, it.attempt_id))
        attempts = [Attempt.of_json(it.params, it.measured, it.outcome, it.reason) for it in similar]
        bounds = [
            (lesson.path.removeprefix('params.'), lesson.side, lesson.bound)
            for lesson in getattr(answer, 'lessons', ())
            if lesson.state == 'tested' and lesson.nearness == 'object' and lesson.judgment != 'rejected'
        ]
        used_ids = [it.attempt_id for it in similar[-USED_MAX:]]
        return Experience(attempts, bounds=bounds, nearness=answer.nearness, used_ids=used_ids)

    def act(self, episode):
        """Choose an action, after the sessions that lie before this episode."""
        self.world.ros.advance(EPISODE_SECS)
        if self.sessions is not None and episode.number % BLOCK_EPISODES == 0:
            self.change_session()
        return super().act(episode)

    def change_session(self):
        """End our session, live through unrelated ones, a day each, and start the next."""
        if self.session_id:
            self.memory.call(EndSession, session_id=self.session_id)
            for _ in range(self.sessions):
                self.world.ros.advance(DAY_SECS)
                load_unrelated_session(self.memory, self.collection, self.world.rng_of_sessions)
        answer = self.memory.call(StartSession, collection=self.collection)
        self.session_id = answer.session_id

    def store(self, episode, action, attempt, experience):
        """Tell the memory of the attempt."""
        params = json.dumps(attempt.params)
        begun = self.memory.call(
            BeginAttempt,
            task=self.task.name,
            object=episode.label,
            params=params,
            collection=self.collection,
            session_id=self.session_id,
        )
        fields = {}
        if hasattr(self.task, 'steps') and 'steps' in EndAttempt.Request.get_fields_and_field_types():
            fields['steps'] = json.dumps([{'name': step} for step in self.task.steps(action)])
        self.memory.call(
            EndAttempt,
            attempt_id=begun.attempt_id,
            outcome=attempt.outcome,
            reason=attempt.reason,
            measured=json.dumps(attempt.measured),
            used_ids=experience.used_ids,
            **fields,
        )

    def close(self):
        """End the session."""
        if self.session_id:
            self.memory.call(EndSession, session_id=self.session_id)


class WrongObject(Ours):
    """What robot_memory says of the thing that is most unlike."""

    def asked(self, episode):
        """Say the name of another thing."""
        return episode.unlike_label


class OursAmongOthers(Ours):
    """robot_memory with 10 000 memories of other things in the same collection."""

    def __init__(self, world):
        super().__init__(world)
        self.node, self.memory, self.collection = world.memory_among_others()

    def close(self):
        """End the node that has the others."""
        super().close()
        if self.node:
            self.node.stop()


ARMS = {
    'none': Arm,
    'mean': Mean,
    'random': Random,
    'wrong_object': WrongObject,
    'nearest_text': NearestText,
    'ours': Ours,
    'ours_10k': OursAmongOthers,
    'ours_sessions_0': lambda world: Ours(world, sessions=0),
    'ours_sessions_1': lambda world: Ours(world, sessions=1),
    'ours_sessions_3': lambda world: Ours(world, sessions=3),
    'ours_sessions_7': lambda world: Ours(world, sessions=7),
    'ours_stale': Ours,
    'oracle': Oracle,
}
# Arms that hear no names.
NAMELESS = ('none', 'mean', 'random', 'oracle')
# Arms that need the node.
OF_NODE = tuple(name for name in ARMS if name == 'wrong_object' or name.startswith('ours'))
