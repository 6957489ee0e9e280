"""The node with the real embedding model, and without one that it can use."""

import shutil
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from robot_memory.srv import Learn, SavePerception, Update

from conftest import cache_folder, wait_until
from shared_node import Collection, shared_node

SHIPPED_MODEL = Path(cache_folder()) / 'model'


def embedder_status(client, accepts):
    """Wait for what a node says of its embedder in /diagnostics."""
    name = f'{client.full_name.lstrip("/")}: embedder'

    def of(array):
        return next((status for status in array.status if status.name == name), None)

    def is_it(array):
        return of(array) is not None and accepts(of(array))

    return of(client.hear(DiagnosticArray, '/diagnostics', is_it, qos=10))


def wait_for_model(client):
    """Wait until the model is loaded."""
    status = embedder_status(client, lambda status: not status.message.startswith('loading'))
    assert status.level == b'\x00' and status.message.startswith('ready: '), status


@pytest.fixture(scope='module')
def node(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory, model_dir='') as (client, _):
        wait_for_model(client)
        yield client


@pytest.fixture
def memory(node):
    """A collection of the test's own."""
    return Collection(node)


def test_the_same_in_words_that_mean_the_same_is_a_duplicate(memory):
    known = memory.learn('The charging station is next to the door.')
    assert known.has_embedding
    again = memory.learn('The charging station is beside the door.')
    assert (again.status, again.method) == ('duplicate', 'cosine')
    assert (again.memory_id, again.existing_id) == (0, known.memory_id)
    assert 0.85 < again.similarity < 1.0


@pytest.mark.parametrize(
    'first, second',
    [
        (
            'Prefer the left side to approach the cup.',
            'Approach the cup preferably from the left side.',
        ),
        ('机械臂抓取杯子时速度要慢', '抓杯子的时候机械臂应该慢一点'),
        ('走廊的地面打扫后很滑。', '打扫之后,走廊地板很滑。'),
    ],
)
def test_what_only_a_model_takes_for_the_same_is_kept_beside_it(memory, first, second):
    known = memory.learn(first)
    again = memory.learn(second)
    assert (again.status, list(again.similar_to)) == ('created', [known.memory_id])


@pytest.mark.parametrize(
    'first, second, status',
    [
        (
            'The gripper force is right for cylindrical objects in the tray',
            'The gripper force is right for cylindrical items in the tray',
            'created',
        ),
        (
            'The camera needs 3 seconds to warm up',
            'The camera requires 3 seconds to warm up',
            'duplicate',
        ),
        (
            'The hammer hangs left of the door',
            'The wrench hangs left of the door',
            'created',
        ),
        (
            'Place the screwdriver into the third drawer of the workbench',
            'Place the hammer into the third drawer of the workbench',
            'created',
        ),
        ('红色杯子放在厨房的桌子上', '红色盘子放在厨房的桌子上', 'created'),
    ],
)
def test_an_exchanged_word_is_judged_by_its_meaning(memory, first, second, status):
    memory.learn(first)
    assert memory.learn(second).status == status


@pytest.mark.parametrize(
    'first, second',
    [
        ('抓取红色杯子需要 12.5N 的力', '抓取红色杯子需要 15N 的力'),
        ('Grip the red cup with 12.5 N.', 'Grip the red cup with 15 N.'),
        ('The cup in the tray is always wet', 'The cup in the tray is not always wet'),
    ],
)
def test_however_alike_another_number_or_a_negation_is_another_fact(memory, first, second):
    memory.learn(first)
    assert memory.learn(second).status == 'created'


def test_words_and_vectors_together_are_hybrid(memory):
    memory.learn('The red cup slips out of the gripper.')
    memory.learn('The battery is charged at night.')
    answer = memory.recall('red cup')
    assert (answer.mode, answer.approximate) == ('hybrid', False)
    best = answer.memories[0]
    assert best.content == 'The red cup slips out of the gripper.'
    assert (best.why.word_rank, best.why.vector_rank, best.score) == (1, 1, 1.0)
    assert best.why.has_similarity and 0.3 < best.why.similarity <= 1.0


def test_what_no_word_finds_is_found_by_its_meaning(memory):
    memory.learn('The red cup slips out of the gripper.')
    memory.learn('The battery is charged at night.')
    answer = memory.recall('accumulator')
    assert answer.mode == 'vec_only'
    assert answer.memories[0].content == 'The battery is charged at night.'
    assert answer.memories[0].why.word_rank == 0


FACTS = [
    ('The charging station is next to the kitchen door.', '充电站在厨房门旁边。'),
    ('Glass cups break when they are held too tightly.', '玻璃杯握得太紧会碎。'),
    ('The floor in the hall is slippery after cleaning.', '走廊的地面打扫后很滑。'),
    ('The left camera is covered with dust.', '左边的相机上有灰尘。'),
    ('The elevator does not work on weekends.', '电梯周末停用。'),
]
QUESTIONS = [
    ('Where can the robot charge?', '机器人在哪里充电?', 0),
    ('How hard may I grip a glass?', '拿玻璃杯要用多大力?', 1),
    ('Is the floor slippery?', '地面滑不滑?', 2),
    ('Which camera is dirty?', '哪个相机脏了?', 3),
    ('When is the elevator out of order?', '电梯什么时候不能用?', 4),
]


@pytest.mark.parametrize('english_is_asked', [True, False], ids=['en-zh', 'zh-en'])
def test_a_question_finds_the_answer_in_the_other_language(memory, english_is_asked):
    for english, chinese in FACTS:
        memory.learn(chinese if english_is_asked else english)
    for english, chinese, place in QUESTIONS:
        expected = FACTS[place][1 if english_is_asked else 0]
        question = english if english_is_asked else chinese
        assert memory.contents(question)[0] == expected, question


def test_a_similarity_is_demanded(memory):
    memory.learn('The red cup slips out of the gripper.')
    memory.learn('The battery is charged at night.')
    cup = memory.recall('the cup slips').memories[0].why.similarity
    found = memory.contents('the cup slips', min_similarity=cup - 0.01)
    assert found == ['The red cup slips out of the gripper.']
    assert memory.recall('the cup slips', min_similarity=min(cup + 0.01, 1.0)).total == 0


def test_the_exact_search_agrees_with_the_index(memory):
    for number in range(30):
        memory.perceive(f'Cup number {number} was seen in room {number % 7}.')

    def ranked(**fields):
        hits = memory.recall('a cup in room 3', n=10, **fields).memories
        return [(hit.id, round(hit.why.similarity, 4)) for hit in hits]

    assert ranked(exact=True) == ranked()


def test_every_write_says_that_it_has_a_vector(memory):
    made = memory.learn('The red cup slips out of the gripper.')
    updated = memory.succeed(Update, memory_id=made.memory_id, new_content='The lid is blue.')
    saved = memory.succeed(
        SavePerception, description='看到一个红色杯子', collection=memory.name
    )
    assert made.has_embedding and updated.has_embedding and saved.has_embedding
    assert memory.contents('蓝色的盖子')[0] == 'The lid is blue.'


def test_the_end_of_a_session_recalls_what_was_alike_in_meaning(memory):
    earlier = memory.start_session()
    memory.learn('The robot lost its grip on the moist mug.', session_id=earlier)
    memory.learn('The battery is charged at night.', session_id=earlier)
    memory.end_session(earlier)
    now = memory.start_session()
    memory.learn('湿的杯子从夹爪里滑落了', session_id=now)
    related = memory.end_session(now).related_memories
    assert related[0].content == 'The robot lost its grip on the moist mug.'


def test_recalls_are_answered_while_many_learns_wait(memory, node):
    memory.learn('The charger hums.')
    memory.recall('charger')
    learns = [
        node.call_async(
            Learn, insight=f'Box {i} weighs {i * 13} grams.', collection=memory.name
        )
        for i in range(400)
    ]
    undone = []
    for _ in range(10):
        assert memory.contents('charger')[0] == 'The charger hums.'
        undone.append(sum(not learn.done() for learn in learns))
    assert undone[0] > 20, 'the recalls had to wait for the learns'
    answers = [node.answer(learn) for learn in learns]
    assert [answer.error for answer in answers if not answer.success] == []
    assert memory.recall(levels=['knowledge']).total == 401


# Without a model


def test_a_node_for_words_only_says_so_from_the_beginning(memory, nodes):
    client, process = nodes.start(model_dir='none')
    words = Collection(client)
    assert not words.learn('The red cup slips.').has_embedding
    assert words.recall('cup').mode == 'bm25_only'
    assert words.recall('accumulator').mode == 'bm25_only'
    status = embedder_status(client, lambda status: True)
    assert (status.level, status.message) == (b'\x00', 'off: words only')
    assert 'ERROR' not in process.log() and 'WARN' not in process.log()


def without_folder(folder):
    """No model at all."""


def without_tokenizer(folder):
    """Half of a model."""
    folder.mkdir()
    (folder / 'model.onnx').symlink_to(SHIPPED_MODEL / 'model.onnx')


def with_garbage(folder):
    """A file that is no model, without a checksum that would tell."""
    folder.mkdir()
    (folder / 'tokenizer.json').symlink_to(SHIPPED_MODEL / 'tokenizer.json')
    (folder / 'model.onnx').write_bytes(b'no model' * 1000)


def with_two_models(folder):
    """Two precisions, none of which is the plain one."""
    (folder / 'onnx').mkdir(parents=True)
    for file in ('tokenizer.json', 'onnx/model_fp16.onnx', 'onnx/model_int8.onnx'):
        name = 'model.onnx' if file.endswith('.onnx') else file
        (folder / file).symlink_to(SHIPPED_MODEL / name)


def with_damage(folder):
    """The shipped model with one byte changed."""
    shutil.copytree(SHIPPED_MODEL, folder)
    with open(folder / 'model.onnx', 'r+b') as file:
        file.seek(1_000_000)
        byte = file.read(1)[0]
        file.seek(1_000_000)
        file.write(bytes([byte ^ 1]))


@pytest.mark.parametrize(
    'spoil, part',
    [
        (without_folder, 'there is no model folder'),
        (without_tokenizer, 'tokenizer.json'),
        (with_garbage, 'model.onnx'),
        (with_two_models, 'several models, onnx/model_fp16.onnx, onnx/model_int8.onnx,'),
        (with_damage, 'checksum'),
    ],
    ids=lambda value: getattr(value, '__name__', ''),
)
def test_a_broken_model_is_one_error_and_a_warning_and_words_serve(nodes, tmp_path, spoil, part):
    folder = tmp_path / 'broken model'
    spoil(folder)
    client, process = nodes.start(model_dir=folder)
    status = embedder_status(client, lambda status: status.level != b'\x00')
    assert status.level == b'\x01'
    beginning = 'failed: no vectors are made, searches go by words only: '
    assert status.message.startswith(beginning) and part in status.message
    errors = [line for line in process.log().splitlines() if 'ERROR' in line]
    assert len(errors) == 1, errors
    assert part in errors[0] and str(folder) in errors[0]
    assert 'panicked' not in process.log()
    memory = Collection(client)
    assert not memory.learn('The red cup slips.').has_embedding
    assert memory.recall('cup').mode == 'bm25_only'
    assert process.is_running()


def test_a_model_that_comes_later_is_taken(nodes, tmp_path):
    folder = tmp_path / 'late model'
    client, _ = nodes.start(model_dir=folder)
    embedder_status(client, lambda status: status.level != b'\x00')
    memory = Collection(client)
    memory.learn('The battery is charged at night.')
    assert memory.recall('battery').mode == 'bm25_only'
    shutil.copytree(SHIPPED_MODEL, folder)
    wait_until(
        lambda: memory.recall('accumulator').mode == 'vec_only', 'a vector'
    )


def test_a_model_may_be_named_by_its_file(nodes, tmp_path):
    folder = tmp_path / 'two models'
    with_two_models(folder)
    client, _ = nodes.start(model_dir=folder / 'onnx' / 'model_int8.onnx')
    wait_for_model(client)
    memory = Collection(client)
    memory.learn('The battery is charged at night.')
    wait_until(lambda: memory.recall('accumulator').mode == 'vec_only', 'a vector')


def test_vectors_of_words_only_times_are_made_later(nodes, tmp_path):
    store = tmp_path / 'memory.db'
    client, process = nodes.start(store_path=store, model_dir='none')
    Collection(client, 'default').learn('The battery is charged at night.')
    process.stop()
    client, _ = nodes.start(store_path=store, model_dir='')
    memory = Collection(client, 'default')
    wait_until(lambda: memory.recall('accumulator').mode == 'vec_only', 'a vector')
    assert memory.contents('accumulator') == ['The battery is charged at night.']
