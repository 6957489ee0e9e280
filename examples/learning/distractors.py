"""Memories of other things: facts, other tasks on the same objects, the same tasks on other objects."""

import json

import numpy as np
from robot_memory.srv import BeginAttempt, EndAttempt, EndSession, Learn, StartSession

COLORS = (
    ('red', '红色'), ('blue', '蓝色'), ('green', '绿色'), ('white', '白色'), ('black', '黑色'),
    ('yellow', '黄色'), ('brown', '棕色'), ('large', '大'), ('small', '小'), ('old', '旧'),
    ('heavy', '重'), ('striped', '条纹'), ('round', '圆'), ('flat', '扁'), ('left', '左边'),
)  # fmt: skip
NOUNS = (
    ('cup', '杯子'), ('mug', '马克杯'), ('bottle', '瓶子'), ('bowl', '碗'), ('plate', '盘子'),
    ('box', '箱子'), ('tray', '托盘'), ('jar', '罐子'), ('kettle', '水壶'), ('lamp', '台灯'),
    ('towel', '毛巾'), ('hammer', '锤子'), ('brush', '刷子'), ('vase', '花瓶'), ('candle', '蜡烛'),
    ('office drawer', '办公室抽屉'), ('attic drawer', '阁楼抽屉'), ('side drawer', '侧边抽屉'),
    ('cabinet', '柜子'), ('basket', '篮子'), ('toy car', '玩具车'), ('plant pot', '花盆'),
)  # fmt: skip
PLACES = (('kitchen', '厨房'), ('hall', '走廊'), ('office', '办公室'), ('workshop', '车间'), ('garage', '车库'))
FACTS = (
    ('The {en} is in the {place_en}, on shelf {i}', '{zh}在{place_zh}的{i}号架子上'),
    ('A person asked for the {en} {i} times', '有人要了{i}次{zh}'),
    ('The {en} was cleaned {i} times in the {place_en}', '{zh}在{place_zh}清洁了{i}次'),
    ('Route {i} to the {place_en} passes the {en}', '去{place_zh}的{i}号路线经过{zh}'),
)
OTHER_TASKS = ('wipe', 'carry', 'inspect', 'hand over', 'scan', 'weigh')


def other_names(count, rng, taken):
    """Names of other things, in either language; none of them is taken."""
    names = []
    while len(names) < count:
        color, noun = COLORS[rng.integers(len(COLORS))], NOUNS[rng.integers(len(NOUNS))]
        name = f'{color[0]} {noun[0]}' if rng.random() < 0.5 else f'{color[1]}{noun[1]}'
        if name not in taken:
            names.append(name)
    return names


def fact(rng, i):
    """One fact, in either language."""
    color, noun = COLORS[rng.integers(len(COLORS))], NOUNS[rng.integers(len(NOUNS))]
    place = PLACES[rng.integers(len(PLACES))]
    texts = FACTS[rng.integers(len(FACTS))]
    return texts[rng.integers(2)].format(
        en=f'{color[0]} {noun[0]}', zh=f'{color[1]}{noun[1]}', place_en=place[0], place_zh=place[1], i=i
    )


def attempt(memory, collection, task, name, params, success, reason, measured, session_id=''):
    """Note an attempt."""
    begun = memory.call(
        BeginAttempt,
        task=task,
        object=name,
        params=json.dumps(params),
        collection=collection,
        session_id=session_id,
    )
    memory.call(
        EndAttempt,
        attempt_id=begun.attempt_id,
        outcome='success' if success else 'failure',
        reason='' if success else reason,
        measured=json.dumps(measured),
    )


def same_task(rng, task):
    """Draw parameters and measured values of another thing at one of our tasks."""
    action = int(rng.integers(len(task.actions)))
    params = task.params(action, task.draw_goal(rng))
    if task.name == 'slide':
        return params, 'too far', {'distance_m': round(float(rng.uniform(0.2, 0.9)), 3)}
    if task.name == 'grip':
        reason = str(rng.choice(['slipped', 'broke']))
        return params, reason, {'slip_m': round(float(rng.uniform(0, 0.02)), 4)}
    return params, 'stuck', {'opened_m': round(float(rng.uniform(0, 0.1)), 3)}


def load(memory, collection, count, tasks, own_names, rng, tick):
    """Load memories of other things: a third facts, a third of our tasks, a third of other tasks."""
    others = other_names(400, rng, set(own_names))
    own_names = list(own_names)
    for i in range(count):
        kind = i % 3
        if kind == 0:
            memory.call(Learn, insight=fact(rng, i), collection=collection)
        elif kind == 1:
            task = tasks[int(rng.integers(len(tasks)))]
            name = others[int(rng.integers(len(others)))]
            params, reason, measured = same_task(rng, task)
            attempt(memory, collection, task.name, name, params, rng.random() < 0.5, reason, measured)
        else:
            # Other tasks: every other time on one of our own things.
            names = own_names if rng.random() < 0.5 else others
            name = names[int(rng.integers(len(names)))]
            other_task(memory, collection, name, rng)
        tick()


def other_task(memory, collection, name, rng, session_id=''):
    """Note an attempt at another task."""
    force, speed = rng.uniform(1, 30), rng.uniform(0.1, 1.5)
    params = {'force_n': round(float(force), 1), 'speed_mps': round(float(speed), 2)}
    task = OTHER_TASKS[int(rng.integers(len(OTHER_TASKS)))]
    success = rng.random() < 0.6
    attempt(memory, collection, task, name, params, success, 'aborted', {}, session_id)


def load_unrelated_session(memory, collection, rng, count=6):
    """Live through a session about other things."""
    session_id = memory.call(StartSession, collection=collection).session_id
    for name in other_names(count, rng, ()):
        memory.call(
            Learn,
            insight=fact(rng, int(rng.integers(1_000_000))),
            collection=collection,
            session_id=session_id,
        )
        other_task(memory, collection, name, np.random.default_rng(int(rng.integers(2**32))), session_id)
    memory.call(EndSession, session_id=session_id)
