"""Parameters as ROS gives them: files for any names of nodes, topics as lists and by name, arguments."""

import subprocess

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    ListParameters,
    SetParameters,
)

from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from robot_memory.msg import MemoryEvent
from std_msgs.msg import Bool

from conftest import LATCHED_QOS, WAIT_SECS_MAX, node_program, wait_until
from stream_status import OK, WARN

# Each gives another parameter, so that one node shows which of them name it.
INTEGERS = [
    'queue_max',
    'job_attempts_max',
    'compact_count_min',
    'compact_tokens_min',
    'compact_turn_gap_min',
    'compact_keep_newest',
    'markers_max',
    'model_threads',
    'backup_keep_days',
    'store_bytes_max',
    'events_bytes_max',
    'clips_bytes_max',
    'disk_free_bytes_min',
    'index_bytes_max',
    'write_queue_bytes_max',
    'read_workers',
    'write_workers',
    'job_workers',
]
PATTERNS = [
    '/mem',
    'mem',
    '/**',
    '/*',
    '/**/mem',
    '/*/mem',
    '/*/*',
    '/left_arm/mem',
    'left_arm/mem',
    '/left_arm/*',
    '/left_arm/**',
    '/**/left_arm/mem',
    '/a/b/mem',
    '/a/**',
    '/*/b/*',
    '/**/b/**/mem',
    'other',
    '/left_arm',
]


def value_of(number):
    """A value that no parameter has by default and all of them take."""
    return 10 + number % 3


def write_file(folder, pattern, name, number):
    """A parameter file that gives one parameter to the nodes of a pattern."""
    file = folder / f'{number}.yaml'
    file.write_text(f'{pattern}:\n  ros__parameters:\n    {name}: {value_of(number)}\n')
    return file


def of_rclpy(name, namespace, arguments):
    """The parameters that rclpy gives to a node of this name."""
    context = rclpy.Context()
    rclpy.init(context=context)
    try:
        node = rclpy.create_node(
            name,
            namespace=namespace,
            context=context,
            cli_args=['--ros-args', *map(str, arguments)],
            use_global_arguments=False,
            automatically_declare_parameters_from_overrides=True,
            enable_rosout=False,
        )
        given = {key: it.value for key, it in node._parameters.items() if key in INTEGERS}
        node.destroy_node()
        return given
    finally:
        rclpy.shutdown(context=context)


@pytest.mark.parametrize('namespace', ['/', '/left_arm', '/a/b'])
def test_parameter_files_name_nodes_as_ros_does(nodes, tmp_path, namespace):
    assert len(PATTERNS) == len(INTEGERS)
    cases = list(zip(PATTERNS, INTEGERS))
    arguments = []
    for number, (pattern, name) in enumerate(cases):
        arguments += ['--params-file', write_file(tmp_path, pattern, name, number)]
    expected = of_rclpy('mem', namespace, arguments)
    assert 2 < len(expected) < len(cases)
    memory, process = nodes.start(name='mem', namespace=namespace, arguments=arguments)
    values = memory.call(GetParameters, names=INTEGERS).values
    for number, ((pattern, name), value) in enumerate(zip(cases, values)):
        is_given = value.integer_value == value_of(number)
        assert is_given == (name in expected), f'{pattern} for {memory.full_name}'
        is_warned = f'/{number}.yaml has no parameters for this node' in process.log()
        assert is_warned != is_given, f'{pattern} for {memory.full_name}'


def test_nested_names_and_several_files_are_merged_as_ros_does(nodes, tmp_path):
    file = tmp_path / 'nested.yaml'
    file.write_text(
        '/**:\n  ros__parameters: {queue_max: 11, read_workers: 5}\n'
        'left_arm:\n  mem:\n    ros__parameters: {queue_max: 12, job_attempts_max: 13}\n'
        '  other:\n    ros__parameters: {queue_max: 14}\n'
        '/left_arm/*:\n  ros__parameters: {compact_count_min: 15}\n'
        'amcl:\n  ros__parameters: {compact_keep_newest: 16}\n'
    )
    more = tmp_path / 'more.yaml'
    more.write_text('/**/mem:\n  ros__parameters: {job_attempts_max: 17}\n')
    arguments = ['--params-file', file, '--params-file', more, '-p', 'read_workers:=6']
    expected = of_rclpy('mem', '/left_arm', arguments)
    memory, process = nodes.start(name='mem', namespace='/left_arm', arguments=arguments)
    names = sorted(expected)
    values = memory.call(GetParameters, names=names).values
    assert {name: it.integer_value for name, it in zip(names, values)} == expected
    assert expected == {
        'queue_max': 12,
        'read_workers': 6,
        'job_attempts_max': 17,
        'compact_count_min': 15,
    }
    assert 'has no parameters for this node' not in process.log()


def test_a_file_of_other_nodes_is_named_with_them(nodes, tmp_path):
    file = tmp_path / 'nav2.yaml'
    file.write_text(
        'amcl:\n  ros__parameters: {alpha1: 0.2}\n'
        'local_costmap:\n  local_costmap:\n    ros__parameters: {rate: 5.0}\n'
    )
    _, process = nodes.start(arguments=['--params-file', file])
    told = f'parameter file {file} has no parameters for this node: it names amcl, local_costmap'
    assert told in process.log() and 'this one is /robot_memory' in process.log()


# Topics


def statuses(process):
    """The names of the streams that the node has told of."""
    return [
        line.split('stream ', 1)[1].split(':')[0]
        for line in process.log().splitlines()
        if ': stream ' in line
    ]


@pytest.mark.parametrize(
    'text, names',
    [
        ('streams: [/arm/joints, /wrist]', ['arm/joints', 'wrist']),
        ('streams: ["/arm/joints"]', ['arm/joints']),
        ('streams: "[/arm/joints]"', ['arm/joints']),
        (
            'streams:\n      wrist: {topic: /w, triggers: [contact, impact], clip: true}\n'
            '      arm: /joint_states',
            ['arm', 'wrist'],
        ),
        (
            'streams.wrist.topic: /w\n    streams.wrist.triggers.impact.rate: 300.0\n'
            '    streams.wrist.qos: {reliability: best_effort, depth: 5}',
            ['wrist'],
        ),
        ('streams: |\n      - topic: /w\n        name: wrist', ['wrist']),
    ],
)
def test_topics_are_named_in_each_way(nodes, tmp_path, text, names):
    file = tmp_path / 'streams.yaml'
    file.write_text(f'/**:\n  ros__parameters:\n    {text}\n')
    _, process = nodes.start(arguments=['--params-file', file])
    for name in names:
        process.wait_until_logged(f'stream {name}: waiting: nobody publishes')
    assert sorted(set(statuses(process))) == names
    assert 'unknown' not in process.log()


@pytest.mark.parametrize(
    'text, told',
    [
        ('streams:\n      - topic: /w', 'streams: topic is a key of an entry, not its name'),
        ('streams.wrist.topik: /w', 'streams.wrist: unknown key "topik", did you mean topic?'),
        (
            'streams: {wrist: {topic: /w, clips: true}}',
            'streams.wrist (/w): unknown key "clips", did you mean clip?',
        ),
        ('streams: {wrist: {topic: /w, triggers: [touch]}}', 'kind must be one of contact'),
        ('streams: {wrist: {clip: true}}', 'streams.wrist: topic is missing'),
        ('streams: [1, 2]', 'parameter streams takes a string, not a list of integers'),
        ('streams: auto\n    streams.wrist.topic: /w', 'streams and streams.wrist.topic are both'),
    ],
)
def test_a_mistake_in_the_topics_is_named_and_ends_the_node(nodes, tmp_path, text, told):
    file = tmp_path / 'streams.yaml'
    file.write_text(f'/**:\n  ros__parameters:\n    {text}\n')
    process = nodes.launch(arguments=['--params-file', file])
    assert process.wait_for_end() == 2
    assert told in process.log()


def test_parameters_of_topics_are_declared_and_can_be_written_into_one_file(nodes, tmp_path):
    file = tmp_path / 'streams.yaml'
    given = {
        'streams.arm.topic': '/joint_states',
        'streams.wrist.clip': True,
        'streams.wrist.qos.depth': 5,
        'streams.wrist.topic': '/w',
        'streams.wrist.triggers': ['contact', 'impact'],
    }
    lines = ''.join(f'    {name}: {value}\n' for name, value in given.items())
    file.write_text(f'/**:\n  ros__parameters:\n{lines}')
    memory, _ = nodes.start(arguments=['--params-file', file])
    listed = memory.call(ListParameters).result
    assert set(given) <= set(listed.names)
    # A tool that nests names by their dots cannot have one that is both.
    assert 'streams' not in listed.names
    below = memory.call(ListParameters, prefixes=['streams.wrist'], depth=1).result.names
    assert below == ['streams.wrist.clip', 'streams.wrist.topic', 'streams.wrist.triggers']
    values = memory.call(GetParameters, names=list(given)).values
    assert values[0].string_value == '/joint_states' and values[1].bool_value
    assert values[2].integer_value == 5
    assert list(values[4].string_array_value) == ['contact', 'impact']
    (described,) = memory.call(DescribeParameters, names=['streams.wrist.clip']).descriptors
    assert described.read_only and described.type == ParameterType.PARAMETER_BOOL
    change = Parameter(
        name='streams.wrist.clip',
        value=ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=False),
    )
    (result,) = memory.call(SetParameters, parameters=[change]).results
    assert not result.successful and 'read only' in result.reason


def test_quality_of_service_is_overridden_as_ros_does(nodes, tmp_path, ros_node):
    file = tmp_path / 'qos.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    streams: [/a, /ns/b]\n    qos_overrides:\n'
        '      /a: {subscription: {reliability: best_effort, depth: 7}}\n'
        '      /ns/b: {subscription: {durability: volatile, deadline: 5}}\n'
    )
    publishers = [
        ros_node.create_publisher(Bool, '/a', 10),
        ros_node.create_publisher(Bool, '/ns/b', LATCHED_QOS),
    ]
    memory, process = nodes.start(arguments=['--params-file', file])
    for told in (
        'subscribed to /a (std_msgs/msg/Bool; best_effort, volatile, keep last 7)',
        'subscribed to /ns/b (std_msgs/msg/Bool; reliable, volatile, keep last 1000)',
        'qos_overrides./ns/b.subscription.deadline is ignored',
    ):
        process.wait_until_logged(told)
    name = 'qos_overrides./a.subscription.depth'
    (value,) = memory.call(GetParameters, names=[name]).values
    assert value.integer_value == 7
    for publisher in publishers:
        ros_node.destroy_publisher(publisher)
    wrong = nodes.launch(
        name='wrong',
        arguments=['-p', 'streams:=[/a]', '-p', 'qos_overrides./a.subscription.reliability:=sure'],
    )
    assert wrong.wait_for_end() == 2
    assert 'qos_overrides./a: reliability must be one of reliable, best_effort' in wrong.log()


def test_publishers_have_the_quality_of_service_that_parameters_give(nodes, ros_node):
    given = {
        '/memory/ready.publisher.durability': 'volatile',
        '/memory/events.publisher.reliability': 'best_effort',
        '/memory/jobs.publisher.depth': '7',
        '/parameter_events.publisher.reliability': 'best_effort',
        '/no_such.publisher.depth': '1',
    }
    arguments = []
    for name, value in given.items():
        arguments += ['-p', f'qos_overrides.{name}:={value}']
    process = nodes.launch(name='memory', arguments=arguments)
    process.wait_until_logged('ready, with the store')

    def offered(topic):
        publishers = ros_node.get_publishers_info_by_topic(topic)
        return [it.qos_profile for it in publishers if it.node_name == 'memory']

    wait_until(lambda: offered('/memory/jobs'), 'publisher')
    (ready,) = offered('/memory/ready')
    assert ready.durability == DurabilityPolicy.VOLATILE
    assert ready.reliability == ReliabilityPolicy.RELIABLE
    (events,) = offered('/memory/events')
    assert events.reliability == ReliabilityPolicy.BEST_EFFORT
    (changes,) = offered('/parameter_events')
    assert changes.reliability == ReliabilityPolicy.BEST_EFFORT
    process.wait_until_logged('parameters qos_overrides./no_such.publisher are ignored')
    wrong = nodes.launch(
        name='wrong', arguments=['-p', 'qos_overrides./wrong/jobs.publisher.depth:=0']
    )
    assert wrong.wait_for_end() == 2
    assert 'qos_overrides./wrong/jobs: depth must be' in wrong.log()


def test_subscribers_that_ask_for_more_than_is_published_are_named(nodes, ros_node):
    given = 'qos_overrides./memory/events.publisher.reliability:=best_effort'
    arguments = ['-p', given, '-p', 'streams:=[/a]']
    process = nodes.launch(name='memory', arguments=arguments)
    process.wait_until_logged('ready, with the store')
    statuses = []

    def note(message):
        statuses.extend(one for one in message.status if one.name == 'memory: topics')

    ros_node.create_subscription(DiagnosticArray, '/diagnostics', note, 10)
    wait_until(lambda: statuses and statuses[-1].level == OK, 'status of the topics')
    asked = ros_node.create_subscription(MemoryEvent, '/memory/events', print, 10)
    named = (
        f'{ros_node.get_fully_qualified_name()} does not receive /memory/events: '
        'reliability reliable is asked for, best_effort offered'
    )
    process.wait_until_logged(named)
    wait_until(lambda: statuses[-1].level == WARN, 'warning')
    assert statuses[-1].message == named
    ros_node.destroy_subscription(asked)
    wait_until(lambda: statuses[-1].level == OK, 'end of the warning')


# Arguments


def run(*arguments):
    """Run the program until it ends: its exit code, and what it says."""
    ended = subprocess.run(
        [node_program(), *arguments],
        capture_output=True,
        timeout=WAIT_SECS_MAX,
        check=False,
        text=True,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    'arguments, part',
    [
        (['--ros-args', '--bogus'], '--bogus'),
        (['stray'], 'stray'),
        (['--ros-args', '-p', 'queue_max:=7', '--', 'rest'], 'rest'),
        (['--ros-args', '-p', 'nonsense'], 'nonsense'),
        (['--ros-args', '--log-level', 'loud'], 'loud'),
        (['--ros-args', '-p', b'map_id:=gr\xfcn'], 'is not UTF-8'),
        (['x' * 1000], '(1000 characters)'),
    ],
)
def test_what_nobody_knows_ends_the_node_with_2(arguments, part):
    code, output, told = run(*arguments)
    assert (code, output) == (2, '')
    assert part in told and 'panicked' not in told


@pytest.mark.parametrize('arguments', [['--help'], ['-h'], ['--ros-args', '--help']])
def test_help_shows_how_it_is_called(arguments):
    code, output, _ = run(*arguments)
    assert code == 0
    assert output.startswith('Usage: memory_node') and '--params-file' in output
    assert '  queue_max: 500\n' in output
