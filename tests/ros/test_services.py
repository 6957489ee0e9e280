"""Every service of a node that knows words only: what is asked and what is answered."""

import json
import time
import uuid

import pytest
from robot_memory.msg import SpatialSort
from robot_memory.srv import (
    EndSession,
    Forget,
    GetSession,
    Learn,
    ListSessions,
    Recall,
    SavePerception,
    StartSession,
    Update,
)

from conftest import wait_until
from shared_node import Collection, refused, shared_node

CONTEXT = {
    'params': {'force': {'value': 12.5, 'unit': 'N'}},
    'spatial': {'frame': 'map', 'map_id': 'floor-1', 'object_position': [1.0, 2.0, 0.5]},
    'robot': {'id': 'arm-01', 'type': 'UR5e'},
    'task': {'name': 'grip', 'success': True},
}


@pytest.fixture(scope='module')
def node(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as (client, _):
        yield client


@pytest.fixture
def memory(node):
    """A collection of the test's own."""
    return Collection(node)


def near(target, max_distance=0.0, field='spatial.object_position'):
    """A sort by the distance to a point."""
    return SpatialSort(field=field, target=target, max_distance=max_distance)


def counts(key_counts):
    """Counts by key."""
    return {entry.key: entry.count for entry in key_counts}


# Learn


def test_learn_answers_with_all_that_it_inferred(memory):
    answer = memory.learn('Never exceed 15 N because `grip()` in src/grip.py does not check it.')
    assert (answer.status, answer.truncated, answer.existing_id) == ('created', False, 0)
    assert answer.memory_id > 0
    assert (answer.method, answer.similarity) == ('', 0.0)
    assert answer.category == 'constraint'
    assert list(answer.tags) == ['constraint', 'root_cause']
    assert list(answer.scope_files) == ['src/grip.py']
    # A file, code and a cause.
    assert answer.confidence == pytest.approx(0.95)
    assert not answer.has_embedding


@pytest.mark.parametrize(
    'insight, category, mem_type',
    [
        ('抓取力不得超过 15N', 'constraint', 'fact'),
        ('优先从左侧接近', 'preference', 'preference'),
        ('ONNX 对小模型比 Ollama 更快', 'worldview', 'preference'),
        ('速度与精度:实时场景使用 10Hz', 'tradeoff', 'decision'),
        ('故障由传感器漂移引起', 'root_cause', 'lesson'),
        ('为了简化选择 PID 而非 MPC', 'decision', 'decision'),
        ('每当湿度 > 80%,抓取就会失败', 'pattern', 'knowledge'),
        ('教训:新会话前务必先校准', 'postmortem', 'lesson'),
        ('陷阱:仿真中未检查关节限位', 'gotcha', 'lesson'),
        ('发现红色杯子需要更大的力', 'observation', 'fact'),
        ('The charger stands beside the door.', 'code', 'fact'),
    ],
)
def test_each_kind_of_statement_is_told(memory, insight, category, mem_type):
    assert memory.learn(insight).category == category
    (hit,) = memory.all()
    assert (hit.content, hit.category, hit.mem_type) == (insight, category, mem_type)


def test_what_is_left_out_of_learn_has_its_default(memory):
    earliest = time.time() - 1.0
    made = memory.learn('The charger stands beside the door.')
    (hit,) = memory.all()
    assert hit.id == made.memory_id
    assert (hit.type, hit.perception_type, hit.status) == ('fact', '', 'active')
    assert (hit.level, hit.scope, hit.collection) == ('knowledge', 'global', memory.name)
    assert (hit.agent, hit.source, hit.trust) == ('', 'operator', 'high')
    assert (hit.session_id, hit.turn_id, hit.context) == ('', '', '')
    assert (hit.params, hit.spatial, hit.robot, hit.task) == ('', '', '', '')
    assert (hit.importance, hit.confidence) == (0.5, pytest.approx(0.8))
    assert (hit.access_count, hit.last_accessed.sec) == (0, 0)
    assert earliest < hit.created_at.sec + hit.created_at.nanosec * 1e-9 < time.time() + 1.0
    assert hit.updated_at == hit.created_at


def test_what_is_given_to_learn_is_kept(memory):
    session_id = memory.start_session()
    memory.learn(
        'Grip the cup at its handle.',
        session_id=session_id,
        turn_id='step 3',
        level='core',
        scope='global',
        agent='planner',
        source='group_chat',
        mem_type='procedure',
        has_importance=True,
        importance=0.0,
        context=json.dumps(CONTEXT),
    )
    (hit,) = memory.all()
    assert (hit.session_id, hit.turn_id) == (session_id, 'step 3')
    assert (hit.level, hit.scope, hit.agent) == ('core', 'global', 'planner')
    assert (hit.source, hit.trust, hit.mem_type) == ('group_chat', 'low', 'procedure')
    # Given, so it is not the default of 0.5.
    assert hit.importance == 0.0
    assert json.loads(hit.context) == CONTEXT
    for part in ('params', 'spatial', 'robot', 'task'):
        assert json.loads(getattr(hit, part)) == CONTEXT[part], part
    # A context of substance.
    assert hit.confidence == pytest.approx(0.85)


def test_trust_that_is_given_counts_more_than_the_source(memory):
    memory.learn('The lamp is on the left.', source='web_scrape', trust='medium')
    assert memory.all()[0].trust == 'medium'


@pytest.mark.parametrize(
    'text',
    [
        '红色杯子需要 12.5N 的力,“小心”!',
        'Cup 🏆 goes beside 🧑‍🚒 and 👍🏽.',
        'Öl, naïve café, Ελληνικά, العربية',
        'Tab\there, "quotes", back\\slash, {braces}',
    ],
)
def test_any_text_comes_back_as_it_was(memory, text):
    memory.learn(text, context=json.dumps({'note': text}))
    (hit,) = memory.all()
    assert (hit.content, hit.human_summary) == (text, text)
    assert json.loads(hit.context) == {'note': text}


def test_long_text_is_cut_between_words_and_says_so(memory):
    word = 'calibration '
    assert memory.learn(word * 40).truncated
    (hit,) = memory.all()
    assert hit.content == (word * 25).strip()
    assert hit.human_summary == hit.content[:200]


# Duplicates: the third method needs a model, see test_model.py


def test_the_same_text_is_an_exact_duplicate(memory):
    first = memory.learn('抓取红色杯子需要 12.5N 的力')
    again = memory.learn('抓取红色杯子需要 12.5N 的力')
    assert (again.status, again.method) == ('duplicate', 'exact')
    assert (again.memory_id, again.existing_id) == (0, first.memory_id)
    assert again.similarity == 1.0
    assert len(memory.all()) == 1


@pytest.mark.parametrize(
    'first, second',
    [
        ('抓取红色杯子需要 12.5N 的力', '抓取红色杯子需要 12.5 N 的力。'),
        ('Grip the red cup with 12.5 N of force', 'grip the red cup with 12.5N of force!'),
    ],
)
def test_nearly_the_same_words_are_a_duplicate(memory, first, second):
    known = memory.learn(first).memory_id
    again = memory.learn(second)
    assert (again.status, again.method, again.existing_id) == ('duplicate', 'jaccard', known)
    assert 0.7 < again.similarity <= 1.0


@pytest.mark.parametrize(
    'first, second',
    [
        ('抓取红色杯子需要 12.5N 的力', '抓取红色杯子需要 15N 的力'),
        ('Grip the red cup on the table with 12.5 N', 'Grip the red cup on the table with 15 N'),
        ('The cup in the tray is always wet', 'The cup in the tray is not always wet'),
    ],
)
def test_another_number_or_a_negation_is_another_fact(memory, first, second):
    memory.learn(first)
    assert memory.learn(second).status == 'created'
    assert [hit.content for hit in memory.all()] == [first, second]


def test_task_logs_and_other_collections_are_no_duplicates(memory, node):
    memory.learn('The bolt is in place.', mem_type='task_log')
    assert memory.learn('The bolt is in place.', mem_type='task_log').status == 'created'
    assert Collection(node).learn('The bolt is in place.').status == 'created'


def test_a_repeated_call_with_a_key_answers_as_the_first_one_did(memory):
    key = f'key {memory.name}'
    first = memory.learn('The dock is beside the door.', idempotency_key=key)
    assert memory.learn('The dock is beside the door.', idempotency_key=key) == first
    assert first.status == 'created'
    saved = [memory.perceive('A click was heard.', idempotency_key=key) for _ in range(3)]
    assert len(set(saved)) == 1
    assert len(memory.all()) == 2


# SavePerception


def test_a_perception_is_answered_and_shown_with_its_data_on_demand(memory):
    data = {'trajectory': [[0, 0.1], [1, 0.2]], 'label': '杯子'}
    metadata = {'format': 'xy', 'rate_hz': 10}
    answer = memory.succeed(
        SavePerception,
        description='The cup slid along the table.',
        perception_type='tactile',
        data=json.dumps(data),
        metadata=json.dumps(metadata),
        context=json.dumps(CONTEXT),
        collection=memory.name,
    )
    assert answer.memory_id > 0
    assert (answer.perception_type, answer.collection) == ('tactile', memory.name)
    assert (answer.truncated, answer.has_embedding) == (False, False)

    (hit,) = memory.recall('cup').memories
    assert hit.id == answer.memory_id
    assert (hit.type, hit.perception_type, hit.category) == ('perception', 'tactile', '')
    assert (hit.source, hit.trust, hit.mem_type) == ('sensor', 'high', 'task_log')
    assert (hit.data, hit.metadata) == ('', '')
    assert json.loads(hit.task) == CONTEXT['task']

    (hit,) = memory.recall('cup', include_data=True).memories
    assert json.loads(hit.data) == data
    assert json.loads(hit.metadata) == metadata


def test_a_perception_is_visual_unless_it_says_otherwise(memory):
    memory.perceive('A cup stands there.')
    memory.perceive('How the lid is opened.', perception_type='procedural')
    shown = [(hit.perception_type, hit.mem_type) for hit in memory.all()]
    assert shown == [('visual', 'task_log'), ('procedural', 'procedure')]


# Recall


def test_what_is_left_out_of_recall_has_its_default(memory):
    assert (Recall.Request().n, Recall.Request().min_confidence) == (5, 0.3)
    for number in range(7):
        memory.learn(f'Cup number {number} stands on shelf {number * 3}.')
    answer = memory.recall('cup')
    assert (len(answer.memories), answer.total) == (5, 7)
    assert (answer.mode, answer.approximate, answer.plan) == ('bm25_only', False, '')
    assert 0.0 < answer.query_ms < 5000.0
    assert len(memory.recall('cup', n=6).memories) == 6


def test_a_hit_says_why_it_is_there(memory):
    real = {'env': {'sim_or_real': 'real'}}
    memory.learn('The red cup slipped.', context=json.dumps(real))
    memory.learn('The cup of the other robot is of steel, they say.', source='web_scrape')
    best, other = memory.recall('red cup').memories
    assert (best.score, best.why.word_rank, best.why.vector_rank) == (1.0, 1, 0)
    assert list(best.why.matched_words) == ['red', 'cup']
    assert best.why.coverage == 1.0 > other.why.coverage > 0.0
    assert best.why.evidence > best.why.word_gain > other.why.word_gain > 0.0
    assert best.why.word_score > other.why.word_score > 0.0
    assert (best.why.source_weight, best.why.trust_weight) == (1.5, 1.0)
    assert not best.why.has_similarity
    assert 0.0 < other.score < 1.0
    assert (other.why.word_rank, list(other.why.matched_words)) == (2, ['cup'])
    assert other.why.source_weight == 1.0 and 0.0 < other.why.trust_weight < 1.0


def test_rows_are_counted_by_hour_day_and_session(memory):
    session = memory.start_session()
    slip = json.dumps({'event': 'slip'})
    for place in ('sink', 'table', 'shelf'):
        memory.perceive(f'Slip at the {place}', context=slip, session_id=session)
    memory.perceive('Slip in the dark', context=slip)
    memory.learn('Slips are counted here.')
    asked = {'context_filter': slip, 'types': ['perception'], 'n': 1, 'order': 'newest'}
    answer = memory.recall(count_by='session', **asked)
    assert [(count.key, count.count) for count in answer.counts] == [(session, 3), ('', 1)]
    assert (answer.total, [hit.content for hit in answer.memories]) == (4, ['Slip in the dark'])
    (today,) = memory.recall(count_by='day', utc_offset_secs=3600, **asked).counts
    assert today.count == 4 and len(today.key.split('-')) == 3
    hours = memory.recall(count_by='hour', **asked).counts
    assert sum(hour.count for hour in hours) == 4 and all('T' in hour.key for hour in hours)
    refused(memory.client, Recall, 'invalid_argument', 'count_by', count_by='week')


def test_a_hit_shows_what_was_stored_around_it(memory):
    session = memory.start_session()
    for insight in ('The drawer was locked.', 'Its key hangs by the door.', 'The bell is broken.'):
        memory.learn(insight, session_id=session)
    hit = memory.recall('key').memories[0]
    assert (hit.context_before, hit.context_after) == (
        'The drawer was locked.',
        'The bell is broken.',
    )


def test_a_plan_tells_how_long_each_part_took(memory):
    memory.learn('The ladder stands behind the press.')
    plan = memory.recall('ladder', explain=True).plan
    for part in ('1 rows pass', 'words: ladder (in memory)', 'ms:', 'filter 0.', 'reading 0.'):
        assert part in plan, plan


@pytest.mark.parametrize('query', ['备用电池', '电池在哪里', '抽屉'])
def test_chinese_words_are_found_without_spaces(memory, query):
    memory.learn('机器人的备用电池放在第二个抽屉里')
    memory.learn('红色杯子需要更大的力')
    assert memory.contents(query) == ['机器人的备用电池放在第二个抽屉里']


def test_a_context_filter_finds_the_right_ones_of_many(memory):
    for number in range(40):
        context = {'params': {'force': number}, 'task': {'success': number % 4 == 0}}
        memory.perceive(f'It gripped, try {number}.', context=json.dumps(context))
    condition = {'task.success': True, 'params.force': {'$gte': 8, '$lt': 30}}
    answer = memory.recall(context_filter=json.dumps(condition), order='oldest', n=4)
    assert (answer.mode, answer.total) == ('filter_only', 6)
    assert [json.loads(hit.params)['force'] for hit in answer.memories] == [8, 12, 16, 20]
    assert [hit.score for hit in answer.memories] == [0.0] * 4
    assert memory.contents(context_filter='{"params.force": "8"}') == []


def test_a_spatial_sort_is_nearest_first(memory):
    places = [
        ('far', [3.0, 4.0]),
        ('near', [0.0, 1.0]),
        ('in space', [0.0, 0.0, 0.0]),
        ('here', [0.0, 0.0]),
    ]
    for name, place in places:
        context = {'spatial': {'object_position': place}}
        memory.perceive(f'A cup is {name}.', context=json.dumps(context))
    memory.perceive('A cup is somewhere.')

    answer = memory.recall(spatial_sort=near([0.0, 0.0]))
    shown = [(hit.content, hit.has_distance, hit.spatial_distance) for hit in answer.memories]
    assert shown == [
        ('A cup is here.', True, 0.0),
        ('A cup is near.', True, 1.0),
        ('A cup is far.', True, 5.0),
    ]
    assert (answer.mode, answer.total) == ('spatial_only', 3)
    assert memory.contents(spatial_sort=near([0.0, 0.0], 1.0)) == [
        'A cup is here.',
        'A cup is near.',
    ]
    assert memory.contents(spatial_sort=near([0.0] * 3)) == ['A cup is in space.']
    assert not memory.recall('far').memories[0].has_distance


def test_frame_and_map_narrow_a_recall(memory):
    for frame, map_id in [('map', 'floor-1'), ('odom', 'floor-1'), ('map', 'floor-2')]:
        spatial = {'object_position': [1.0], 'frame': frame, 'map_id': map_id}
        context = json.dumps({'spatial': spatial})
        memory.perceive(f'A cup in {frame} of {map_id}.', context=context)
    sort = near([0.0])
    found = memory.contents(spatial_sort=sort, frame='map', map_id='floor-2')
    assert found == ['A cup in map of floor-2.']
    assert memory.recall(spatial_sort=sort, frame='map').total == 2
    assert memory.recall(map_id='floor-1').total == 2


def test_levels_sessions_and_times_narrow_a_recall(memory):
    session_id = memory.start_session()
    memory.learn('The first cup is red.', session_id=session_id)
    memory.learn('The second cup is blue.', level='core')
    first, second = memory.all()
    assert memory.contents(levels=['core']) == [second.content]
    assert memory.contents('cup', session_id=session_id) == [first.content]
    assert memory.contents(since=second.created_at) == [second.content]
    assert memory.contents(until=second.created_at) == [first.content]
    assert memory.contents('cup', order='newest') == [second.content, first.content]
    assert memory.contents('cup', order='oldest') == [first.content, second.content]


def test_several_collections_are_searched_when_named(node):
    first, second, third = Collection(node), Collection(node), Collection(node)
    word = f'xylophone{first.name.split()[-1]}'
    for collection in (first, second, third):
        collection.learn(f'The {word} stands here.')
    assert first.recall(word).total == 1

    def found(*names):
        answer = first.succeed(Recall, query=word, collections=names)
        return {hit.collection for hit in answer.memories}

    assert found(first.name, third.name) == {first.name, third.name}
    assert found('*') == {first.name, second.name, third.name}


def test_a_recall_explains_itself_on_demand(memory):
    memory.learn('The red cup slipped.')
    plan = memory.recall('cup', explain=True).plan
    assert memory.name in plan and 'confidence >= 0.3' in plan


def test_both_rankings_and_the_exact_search_answer(memory):
    memory.learn('The red cup slipped.')
    for fields in ({'ranking': 'rrf'}, {'ranking': 'default'}, {'exact': True}):
        assert memory.contents('red cup', **fields) == ['The red cup slipped.']


def test_a_hit_is_counted(memory):
    memory.learn('The red cup slipped.')
    memory.recall('cup')
    # Counts are written later, so that they do not slow an answer.
    wait_until(lambda: memory.all()[0].access_count == 1, 'counted access')
    hit = memory.all()[0]
    assert hit.last_accessed.sec >= hit.created_at.sec


# Forget and Update


def test_a_forgotten_memory_is_not_recalled_and_can_be_learned_again(memory):
    made = memory.learn('杯子是塑料的')
    answer = memory.succeed(Forget, memory_id=made.memory_id, reason='其实是玻璃的')
    assert (answer.status, answer.memory_id) == ('forgotten', made.memory_id)
    assert (answer.content, answer.reason) == ('杯子是塑料的', '其实是玻璃的')
    assert memory.recall('杯子').total == 0
    assert memory.all() == []
    again = memory.learn('杯子是塑料的')
    assert again.status == 'created' and again.memory_id > made.memory_id


def test_an_update_changes_all_that_depends_on_the_text(memory):
    made = memory.learn('The cup is made of plastic.', context=json.dumps(CONTEXT))
    answer = memory.succeed(
        Update,
        memory_id=made.memory_id,
        new_content='The mug breaks because `grip()` in src/grip.py holds it too hard.',
    )
    assert (answer.status, answer.memory_id) == ('updated', made.memory_id)
    assert answer.old_content == 'The cup is made of plastic.'
    assert answer.new_content.startswith('The mug breaks')
    assert (answer.truncated, answer.category) == (False, 'root_cause')
    assert list(answer.tags) == ['root_cause']
    assert list(answer.scope_files) == ['src/grip.py']
    assert answer.confidence == pytest.approx(0.95)
    assert not answer.has_embedding

    assert memory.recall('plastic').total == 0
    (hit,) = memory.recall('mug').memories
    assert (hit.id, hit.category) == (made.memory_id, 'root_cause')
    assert json.loads(hit.context) == CONTEXT, 'no context was given, so it stays'
    assert hit.created_at.sec <= hit.updated_at.sec and hit.updated_at != hit.created_at

    memory.succeed(Update, memory_id=hit.id, new_content='A mug.', context='{"task": {"n": 2}}')
    (hit,) = memory.all()
    assert json.loads(hit.task) == {'n': 2} and hit.params == ''


# Sessions


def test_a_session_has_its_life_shown(memory):
    memory.learn('Before the session.')
    context = {'robot': 'arm-01', 'task': '整理桌子'}
    started = memory.succeed(
        StartSession, collection=memory.name, context=json.dumps(context), agent='planner'
    )
    session_id = started.session_id
    assert str(uuid.UUID(session_id)) == session_id
    assert (started.collection, started.active_memories_count) == (memory.name, 1)

    memory.learn('The cup is wet.', session_id=session_id)
    memory.learn('Never throw the cup.', session_id=session_id)
    memory.perceive('A wet cup was seen.', session_id=session_id)
    shown = memory.succeed(GetSession, session_id=session_id)
    session = shown.session
    assert (session.session_id, session.collection) == (session_id, memory.name)
    assert (session.status, session.interrupted, session.agent) == ('open', False, 'planner')
    assert json.loads(session.context) == context
    assert (session.memory_count, session.has_outcome_score) == (3, False)
    assert session.started_at.sec > 0 and session.ended_at.sec == 0
    assert counts(shown.by_type) == {'fact': 2, 'perception': 1}
    assert counts(shown.by_category) == {'code': 1, 'constraint': 1}

    # An explicit 0 is a score.
    memory.end_session(session_id, has_outcome_score=True, outcome_score=0.0)
    session = memory.succeed(GetSession, session_id=session_id).session
    assert (session.status, session.interrupted) == ('ended', False)
    assert (session.has_outcome_score, session.outcome_score) == (True, 0.0)
    assert session.ended_at.sec >= session.started_at.sec


def test_the_end_of_a_session_merges_and_counts(memory):
    session_id = memory.start_session()
    for insight in (
        'glass cup slips out of gripper',
        'glass cup slips out of gripper in `grip`',
        'kettle hangs above sink on hook',
        'never let glass cup slip out of gripper',
    ):
        memory.learn(insight, session_id=session_id)
    answer = memory.end_session(session_id)
    assert (answer.status, answer.session_id, answer.memory_count) == ('ended', session_id, 4)
    assert counts(answer.by_type) == {'fact': 4}
    assert counts(answer.by_category) == {'code': 3, 'constraint': 1}
    assert (answer.merged_groups, answer.superseded_count) == (1, 1)
    assert (answer.compression_ratio, answer.decayed_count) == (0.25, 0)
    assert 0.5 < answer.avg_similarity < 1.0
    assert list(answer.related_memories) == []
    # The surer one of the two stays.
    assert [hit.content for hit in memory.all()] == [
        'glass cup slips out of gripper in `grip`',
        'kettle hangs above sink on hook',
        'never let glass cup slip out of gripper',
    ]


def test_the_end_of_a_session_recalls_earlier_ones(memory):
    earlier = memory.start_session()
    memory.learn('A wet red cup slipped from the gripper.', session_id=earlier)
    memory.learn('The battery was low in the evening.', session_id=earlier)
    memory.end_session(earlier)
    now = memory.start_session()
    memory.learn('The red cup slipped again, wet as it was.', session_id=now)
    related = memory.end_session(now).related_memories
    assert related[0].content == 'A wet red cup slipped from the gripper.'
    assert (related[0].score, related[0].session_id) == (1.0, earlier)


def test_sessions_are_listed_newest_first_and_by_pages(memory):
    made = [memory.start_session() for _ in range(52)]
    memory.succeed(EndSession, session_id=made[0])
    assert ListSessions.Request().limit == 50

    def listed(**fields):
        answer = memory.succeed(ListSessions, collection=memory.name, **fields)
        return [session.session_id for session in answer.sessions], answer.total, answer.has_more

    newest_first = made[::-1]
    assert listed() == (newest_first[:50], 52, True)
    assert listed(offset=50) == (newest_first[50:], 52, False)
    assert listed(limit=3, offset=1) == (newest_first[1:4], 52, True)
    assert listed(status='ended') == ([made[0]], 1, False)
    assert listed(status='open', limit=100) == (newest_first[:-1], 51, False)


def test_the_collection_of_a_session_is_that_of_its_memories(memory):
    session_id = memory.start_session()
    memory.succeed(Learn, insight='The cup is red.', session_id=session_id)
    answer = memory.succeed(
        SavePerception, description='A red cup was seen.', session_id=session_id
    )
    assert answer.collection == memory.name
    assert len(memory.all()) == 2
