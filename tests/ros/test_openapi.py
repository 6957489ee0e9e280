"""A client that a generator makes of /openapi.json, used on a running node."""

import importlib
import json
import subprocess
import urllib.request

from pathlib import Path

import pytest

from conftest import node_program

# What the generator has no Python type for; the client lacks only these answers.
WITHOUT_TYPE = ['application/openmetrics-text', 'image/jpeg']


def generate(address, folder):
    """Writes the client as a package of this folder."""
    generator = pytest.importorskip('openapi_python_client')
    from openapi_python_client.config import Config, ConfigFile, MetaType

    document = folder / 'openapi.json'
    with urllib.request.urlopen(f'http://{address}/openapi.json', timeout=30) as answer:
        document.write_bytes(answer.read())
    assert json.loads(document.read_text())['openapi'].startswith('3.1')
    config = Config.from_sources(
        ConfigFile(post_hooks=[]), MetaType.NONE, document, 'utf-8', False, folder / 'generated'
    )
    notes = [str(note.detail) for note in generator.generate(config=config)]
    kinds = [note.partition('Unsupported content_type ')[2].partition(')')[0] for note in notes]
    assert sorted(kinds) == WITHOUT_TYPE, notes


def use(address, token):
    """A task of a planner, by what was generated."""
    def call(name, **arguments):
        for tag in ['operations', 'reading']:
            try:
                function = importlib.import_module(f'generated.api.{tag}.{name}')
            except ModuleNotFoundError:
                continue
            return function.sync(client=client, **arguments)
        raise AssertionError(f'there is no {name}')

    models = importlib.import_module('generated.models')
    client = importlib.import_module('generated.client').AuthenticatedClient(
        base_url=f'http://{address}', token=token
    )
    task = models.LearnRequest.from_dict(
        {
            'insight': 'The blue mug breaks above 13 N',
            'context': {'object': 'mug'},
            'importance': 0.9,
            'level': 'knowledge',
        }
    )
    learned = call('learn', body=task, idempotency_key='first')
    assert learned.status == models.LearnStatus.CREATED and learned.memory_id > 0
    again = call('learn', body=task, idempotency_key='first')
    assert again.memory_id == learned.memory_id
    found = call('recall', body=models.RecallRequest(query='blue mug', n=3))
    assert isinstance(found, models.RecallResponse)
    assert [hit.id for hit in found.memories] == [learned.memory_id]
    assert found.memories[0].created_at.tzinfo is not None
    shown = call('read_memory', memory_id=learned.memory_id, include_embedding=True)
    assert isinstance(shown, models.StoredMemory) and shown.content == task.insight
    assert shown.context == {'object': 'mug'}
    for _ in range(3):
        call('start_session', body=models.StartSessionRequest())
    pages, cursor = [], {}
    while True:
        page = call('read_sessions', limit=2, **cursor)
        assert isinstance(page, models.ListSessionsPage), page
        pages.append([session.session_id for session in page.sessions])
        if page.next_cursor is None:
            break
        cursor = {'cursor': page.next_cursor}
    assert [len(page) for page in pages] == [2, 1] and len(set(sum(pages, []))) == 3
    absent = call('read_memory', memory_id=learned.memory_id + 1)
    assert isinstance(absent, models.Problem) and absent.status == 404
    refused = call('backup', body=models.BackupRequest())
    assert (refused.status, refused.error_code) == (403, models.ProblemErrorCode.FORBIDDEN)


def test_a_generated_client_learns_recalls_and_reads(nodes, tmp_path, monkeypatch):
    _, process = nodes.start(http_address='127.0.0.1:0', store_path=str(tmp_path / 'm.db'))
    process.wait_until_logged('answering at http://')
    address = process.log().split('answering at http://')[1].split('/')[0]
    program = Path(node_program()).parent / 'memory'
    arguments = ['token', 'add', 'p', '--profile', 'planner', '--agent', 'planner']
    added = subprocess.run(
        [program, *arguments, '--store', tmp_path / 'm.db'],
        capture_output=True,
        text=True,
        check=True,
    )
    generate(address, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    use(address, added.stdout.strip())
