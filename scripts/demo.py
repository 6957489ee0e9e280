"""Tells a small story to a memory node over ROS 2, and checks every answer.

usage: demo.py NODE_PROGRAM, in an environment as scripts/env.sh makes it
"""

import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata
from contextlib import contextmanager
from pathlib import Path

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.signals import SignalHandlerOptions
from robot_memory.msg import SpatialSort
from robot_memory.srv import EndSession, Learn, Recall, SavePerception, StartSession

READY_SECS_MAX = 30.0
CALL_SECS_MAX = 10.0
STOP_SECS_MAX = 5.0
# Domains whose ports no outgoing connection of Linux takes (DDS counts them from 7400, 250 each).
DOMAINS = range(215, 233)
LOG_LINES_SHOWN = 15


class Failure(Exception):
    """The story cannot go on."""


class Page:
    """What a person reads: scenes of aligned lines, each with what was checked."""

    def __init__(self):
        colored = sys.stdout.isatty() and 'NO_COLOR' not in os.environ
        self.styles = {'bold': '1', 'dim': '2', 'green': '32', 'red': '31'} if colored else {}
        self.wrong_count = 0
        self.line_count = 0

    def styled(self, style, text):
        """The text in a style, on a terminal that shows it."""
        code = self.styles.get(style)
        return f'\x1b[{code}m{text}\x1b[0m' if code else text

    def scene(self, title):
        """Begin a scene."""
        print(f'{os.linesep if self.line_count else ""}{self.styled("bold", title)}')

    def line(self, verb, question, answer, checked, found, expected):
        """Show a question, its answer and whether what was found is what was expected."""
        self.line_count += 1
        parts = [self.styled('dim', padded(verb, 6)), padded(question, 36), padded(answer, 35)]
        if found == expected:
            mark = self.styled('green', f'✓ {checked}')
        else:
            self.wrong_count += 1
            mark = self.styled('red', f'✗ {checked}: expected {expected!r}, not {found!r}')
        print('  ' + '  '.join([*parts, mark]), flush=True)


def padded(text, width):
    """The text with spaces up to a width on the screen, where a Han character takes two places."""
    wide = sum(unicodedata.east_asian_width(character) in 'WF' for character in text)
    return text + ' ' * (width - len(text) - wide)


@contextmanager
def own_domain():
    """Take a ROS domain that no other demo on this computer has, for this process alone."""
    for domain in DOMAINS:
        with socket.socket(socket.AF_UNIX) as claim:
            try:
                # An abstract name, which is free again when this process ends, however it ends.
                claim.bind(f'\0robot_memory_demo_{domain}')
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            for name in ('ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'):
                os.environ.pop(name, None)
            os.environ['ROS_DOMAIN_ID'] = str(domain)
            os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
            yield
            return
    raise Failure(f'{len(DOMAINS)} demos run already')


class Node:
    """The memory node, in a process and with a store of its own."""

    def __init__(self, program):
        self.folder = Path(tempfile.mkdtemp(prefix='robot_memory_demo_'))
        self.log = self.folder / 'node.log'
        os.environ['ROS_LOG_DIR'] = str(self.folder)
        store = self.folder / 'memory.db'
        command = [program, '--ros-args', '-p', f'store_path:={store}', '-p', 'sim_or_real:=real']
        with open(self.log, 'wb') as log:
            # In a session of its own, so that Ctrl-C reaches it only through this program.
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def last_words(self):
        """The end of what the node has printed."""
        lines = self.log.read_text(errors='replace').splitlines()
        return '\n'.join(f'  {line}' for line in lines[-LOG_LINES_SHOWN:])

    def stop(self):
        """End the node as Ctrl-C does; returns its exit code, nothing when it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(STOP_SECS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def remove(self):
        """Leave nothing behind."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Memory:
    """The node's services, as a program on the robot uses them."""

    def __init__(self, node):
        self.node = node
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.ros_node = rclpy.create_node('robot_memory_demo')
        self.clients = {}

    def close(self):
        """Leave ROS."""
        self.ros_node.destroy_node()
        rclpy.try_shutdown()

    def spin_until(self, condition, secs, what):
        """Let messages arrive until a condition holds."""
        deadline = time.monotonic() + secs
        while not condition():
            if self.node.process.poll() is not None:
                raise Failure(f'the node has ended. Its last words:\n{self.node.last_words()}')
            if time.monotonic() > deadline:
                raise Failure(f'no {what} in {secs:g} s. The node said:\n{self.node.last_words()}')
            rclpy.spin_once(self.ros_node, timeout_sec=0.05)

    def wait_until_ready(self):
        """Wait until the embedding model is loaded, which the services do not need to answer."""
        heard = []

        def hear(array):
            statuses = [s for s in array.status if s.name == 'robot_memory: embedder']
            heard.extend(s.message for s in statuses if not s.message.startswith('loading'))

        subscription = self.ros_node.create_subscription(DiagnosticArray, '/diagnostics', hear, 10)
        self.spin_until(lambda: heard, READY_SECS_MAX, 'embedding model')
        self.ros_node.destroy_subscription(subscription)
        if not heard[0].startswith('ready'):
            raise Failure(f'the embedding model: {heard[0]}')
        return heard[0]

    def call(self, service, **fields):
        """Call a service that must succeed; returns its answer."""
        name = re.sub(r'(?<!^)(?=[A-Z])', '_', service.__name__).lower()
        client = self.clients.get(name)
        if client is None:
            client = self.ros_node.create_client(service, f'/robot_memory/{name}')
            self.clients[name] = client
            self.spin_until(client.service_is_ready, CALL_SECS_MAX, f'service {name}')
        future = client.call_async(service.Request(**fields))
        self.spin_until(future.done, CALL_SECS_MAX, f'answer of {name}')
        answer = future.result()
        if not answer.success:
            raise Failure(f'{name}: {answer.error_code}: {answer.error}')
        return answer


class Story:
    """The scenes, each of which builds on those before it."""

    def __init__(self, page, memory):
        self.page = page
        self.memory = memory
        self.session_id = ''

    def tell(self):
        """All of it."""
        self.an_earlier_episode()
        self.today()
        self.what_is_known_already()
        self.what_it_perceives()
        self.questions()
        self.the_end_of_the_day()

    def begin(self, task):
        """Start a session."""
        answer = self.memory.call(StartSession, context=json.dumps({'task': task}))
        self.session_id = answer.session_id
        return answer

    def learn(self, insight, **fields):
        """Learn a statement in the session."""
        return self.memory.call(Learn, insight=insight, session_id=self.session_id, **fields)

    def learn_kind(self, insight, category):
        """Learn a statement, and check of which kind it is."""
        made = self.learn(insight)
        found = (made.status, made.category)
        shown = f'{made.category}, confidence {made.confidence:.2f}'
        self.page.line('learn', insight, shown, 'its category', found, ('created', category))

    def learn_again(self, insight, checked, method):
        """Learn what may be known, and check whether and how that was noticed."""
        made = self.learn(insight)
        shown = made.status
        if made.method:
            shown += f' by {made.method}, {made.similarity:.2f}'
        self.page.line('learn', insight, shown, checked, made.method, method)

    def perceive(self, description, position, force, success):
        """Save what was seen."""
        context = {
            'spatial': {'frame': 'map', 'object_position': position},
            'params': {'force': force},
            'task': {'success': success},
        }
        made = self.memory.call(
            SavePerception,
            description=description,
            perception_type='tactile',
            session_id=self.session_id,
            context=json.dumps(context),
        )
        result = 'success' if success else 'failure'
        shown = f'{position}, {force} N, {result}'
        kind = (made.perception_type, made.has_embedding)
        self.page.line('feel', description, shown, 'stored with a vector', kind, ('tactile', True))

    def recall(self, verb, question, checked, expected, **fields):
        """Recall, and check what comes first."""
        answer = self.memory.call(Recall, n=3, **fields)
        hits = answer.memories
        best = hits[0].content if hits else 'nothing'
        if hits and hits[0].has_distance:
            checked += f', {hits[0].spatial_distance:.2f} m away'
        self.page.line(verb, question, best, checked, best, expected)

    def end(self, outcome_score):
        """End the session."""
        return self.memory.call(
            EndSession,
            session_id=self.session_id,
            has_outcome_score=True,
            outcome_score=outcome_score,
        )

    def an_earlier_episode(self):
        """What the last scene comes back to."""
        self.page.scene('An earlier episode')
        self.begin('clean up at the sink')
        self.learn_kind('I noticed that the wet cup slipped.', 'observation')
        ended = self.end(0.2)
        shown = f'{ended.memory_count} memory'
        self.page.line('end', 'outcome 0.2', shown, 'its one memory', ended.memory_count, 1)

    def today(self):
        self.page.scene('Today: statements are told apart by kind, in English and Chinese')
        started = self.begin('set the table')
        count = started.active_memories_count
        self.page.line('start', 'set the table', f'{count} memory known', 'none lost', count, 1)
        self.learn_kind('抓取力不得超过 15N', 'constraint')
        self.learn_kind('Prefer to grasp cups from the left.', 'preference')
        self.learn_kind('故障由传感器漂移引起', 'root_cause')
        self.learn_kind('Lesson: charge before a long task.', 'postmortem')

    def what_is_known_already(self):
        self.page.scene('What is known already is not stored again')
        self.learn_again('抓取力不得超过 15N', 'the same text', 'exact')
        self.learn_again('抓取力不得超过 15 N。', 'nearly the same words', 'jaccard')
        paraphrase = 'Grasp cups preferably from the left.'
        self.learn_again(paraphrase, 'the same meaning', 'cosine')
        self.learn_again('抓取力不得超过 20N', 'another number', '')

    def what_it_perceives(self):
        self.page.scene('What it perceives has a place, a force and a result')
        self.perceive('The red cup was held.', [1.0, 2.0, 0.8], 12.5, True)
        self.perceive('The glass was held too hard.', [3.0, 1.0, 0.8], 18.0, False)

    def questions(self):
        self.page.scene('Questions')
        self.recall(
            'near',
            '[1.0, 2.1, 0.8]',
            'the nearest',
            'The red cup was held.',
            spatial_sort=SpatialSort(
                field='spatial.object_position', target=[1.0, 2.1, 0.8], max_distance=0.5
            ),
        )
        condition = '{"task.success": false}'
        expected = 'The glass was held too hard.'
        self.recall('filter', condition, 'the failure', expected, context_filter=condition)
        question, expected = 'What caused the failure?', '故障由传感器漂移引起'
        self.recall('ask', question, 'Chinese for English', expected, query=question)
        question = '应该从哪一侧抓杯子?'
        expected = 'Prefer to grasp cups from the left.'
        self.recall('ask', question, 'English for Chinese', expected, query=question)

    def the_end_of_the_day(self):
        self.page.scene('The end of the episode')
        ended = self.end(0.9)
        types = {entry.key: entry.count for entry in ended.by_type}
        shown = ', '.join(f'{count} {kind}s' for kind, count in types.items())
        expected = {'fact': 5, 'perception': 2}
        self.page.line('end', 'outcome 0.9', shown, 'its summary', types, expected)
        related = [hit.content for hit in ended.related_memories]
        shown = related[0] if related else 'nothing'
        expected = ['I noticed that the wet cup slipped.']
        self.page.line('', 'related to it', shown, 'of the earlier episode', related, expected)


def run(program):
    """Tell the story; returns the exit code."""
    page = Page()
    started = time.monotonic()
    with own_domain():
        node = Node(program)
        try:
            memory = Memory(node)
            try:
                memory.wait_until_ready()
                Story(page, memory).tell()
            finally:
                memory.close()
            page.line('', 'the node, at Ctrl-C', 'ends', 'cleanly', node.stop(), 0)
        finally:
            # What is left to do is bounded, and must not be cut off by an impatient second Ctrl-C.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            node.remove()
    right_count = page.line_count - page.wrong_count
    secs = time.monotonic() - started
    print(f'\n{right_count} of {page.line_count} answers right, in {secs:.1f} s')
    return 1 if page.wrong_count else 0


def main():
    """Turn what ends the demo into an exit code."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        return run(sys.argv[1])
    except Failure as failure:
        print(f'demo: {failure}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == '__main__':
    sys.exit(main())
