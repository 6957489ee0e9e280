"""Keyframes of a camera that are found by what they show."""

import json
import subprocess

import pytest
from robot_memory.srv import Recall

from color_model import write_color_model
from conftest import node_program
from scenes import SCENES, Scenes
from stream_status import stored_events
from test_model import embedder_status


class Camera(Scenes):
    """Shows scenes to a node that is asked for what it finds."""

    def __init__(self, ros_node, nodes, folder, **parameters):
        store = folder / 'pictures.db'
        self.client, self.process = nodes.start(store_path=store, streams='auto', **parameters)
        super().__init__(ros_node, store)

    def ids(self):
        """The memory of each scene."""
        events = stored_events(self.store)
        return dict(zip(self.seen, (event['id'] for event in events)))

    def recall(self, query):
        """The memories, best first."""
        return self.client.succeed(Recall, query=query, explain=True)


@pytest.fixture
def camera(ros_node, nodes, tmp_path):
    """Begins to show scenes to a node."""
    cameras = []

    def begin(**parameters):
        cameras.append(Camera(ros_node, nodes, tmp_path, **parameters))
        return cameras[-1]

    yield begin
    for each in cameras:
        each.close()


def test_a_keyframe_is_found_by_what_it_shows(camera, tmp_path):
    model = write_color_model(tmp_path / 'colors')
    it = camera(image_model_dir=model)
    for scene in SCENES:
        it.show(scene)
    status = embedder_status(
        it.client, lambda status: '3 pictures, 0 waiting, 0 failed' in status.message
    )
    values = {value.key: value.value for value in status.values}
    assert status.level == b'\x00' and values['pictures with a vector'] == '3', status
    ids = it.ids()
    for color in SCENES:
        answer = it.recall(f'something {color}')
        best = answer.memories[0]
        assert best.id == ids[color], (color, ids, answer)
        why = best.why
        assert why.picture_rank == 1 and why.has_picture_similarity, why
        assert why.picture_similarity > 0.8 and why.evidence > 0.3, why
        assert all(memory.why.picture_rank == 0 for memory in answer.memories[1:]), answer

    # The program finds them in the store of the running node.
    program = node_program().with_name('memory')
    command = [program, 'recall', 'something red', '--no-model', '--json', '--store', it.store]
    shown = subprocess.run(
        command + ['--image-model-dir', model], capture_output=True, check=True, timeout=60
    )
    memories = json.loads(shown.stdout)['memories']
    assert [memory['id'] for memory in memories] == [ids['red']]


def test_without_a_model_no_picture_is_looked_at(camera):
    it = camera()
    it.show('red')
    answer = it.recall('something red')
    whys = [memory.why for memory in answer.memories]
    assert all(why.picture_rank == 0 and not why.has_picture_similarity for why in whys)
    assert 'pictures' not in answer.plan, answer.plan
    status = embedder_status(it.client, lambda status: True)
    said = [status.message] + [value.key for value in status.values]
    assert 'picture' not in ' '.join(said), status


def test_a_folder_without_a_model_is_told_of_and_the_node_works(camera, tmp_path):
    it = camera(image_model_dir=tmp_path / 'none')
    it.process.wait_until_logged('there is no image model folder')
    status = embedder_status(it.client, lambda status: 'image_model_dir' in status.message)
    assert status.level == b'\x01', status
    it.show('red')
    assert it.recall('camera view').success
