"""A scripted agent, by MCP's own SDK: a whole task over one of the transports; prints what it was told, as JSON.

    agent.py --mode auto|legacy --object NAME (--url URL [--token TOKEN] | -- PROGRAM ARGUMENT...)
    agent.py --tool NAME --arguments JSON ...     # instead of the task, one call

The SDK holds what tools answer against their output schemas, and raises when it does not fit.
"""

import argparse
import asyncio
import json

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

TIMEOUT_SECS = 60.0


def transport(given):
    """What the client is to talk through."""
    if given.program:
        program, *arguments = given.program
        return StdioServerParameters(command=program, args=arguments)
    headers = {'Authorization': f'Bearer {given.token}'} if given.token else {}
    http_client = httpx2.AsyncClient(headers=headers, timeout=TIMEOUT_SECS)
    return streamable_http_client(given.url, http_client=http_client)


async def tool(client, name, **arguments):
    """Call a tool, and return its structured answer."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return result.structured_content


async def text(client, uri):
    """Read a resource that is JSON."""
    contents = (await client.read_resource(uri)).contents
    return json.loads(contents[0].text)


async def error_code(asked):
    """Wait for what is to fail, and return the code of its error."""
    try:
        await asked
    except MCPError as error:
        return error.error.code
    return None


async def task(client, thing):
    """Do a whole task with a thing."""
    begun = await tool(
        client, 'begin_task', task='pick', object=thing, params={'force_n': 14.0}
    )
    now = await text(client, 'memory://now')
    before = await tool(client, 'recall', query=f'how hard may I grip the {thing}?')
    params = {'grip_force_n': 14.0}
    checked = await tool(client, 'check_action', params=params, task='pick', object=thing)
    statement = f'The {thing} slips below 6 N'
    learned = await tool(
        client, 'learn', statement=statement, context={'params': {'force_n': 6}, 'object': thing}
    )
    ended = await tool(
        client,
        'end_task',
        task_id=begun['task_id'],
        outcome='success',
        params={'force_n': 9.0},
        used_ids=[memory['id'] for memory in before['memories']],
    )
    after = await tool(client, 'recall', query=statement)
    again = await tool(client, 'begin_task', task='pick', object=thing)
    await tool(client, 'end_task', task_id=again['task_id'], outcome='cancelled')
    brief = await client.get_prompt('brief', {'task': 'pick', 'object': thing})
    return {
        'protocol': client.protocol_version,
        'instructions': client.instructions,
        'tools': [one.name for one in (await client.list_tools()).tools],
        'resources': [str(one.uri) for one in (await client.list_resources()).resources],
        'prompts': [one.name for one in (await client.list_prompts()).prompts],
        'begun': begun,
        'is_open': begun['task_id'] in [one['id'] for one in now['open_attempts']],
        'checked': checked,
        'learned': learned,
        'ended': ended,
        'after': after['memories'],
        'again': again,
        'brief': [message.content.text for message in brief.messages],
        'memory': await text(client, f'memory://memory/{learned["memory_id"]}'),
        'report': await text(client, 'memory://report/latest'),
        'limits': await text(client, 'memory://limits'),
        'no_memory': await error_code(client.read_resource('memory://memory/999999')),
        'no_prompt': await error_code(client.get_prompt('drop', {})),
        'status': await tool(client, 'memory_status'),
    }


async def main():
    """Do it, and print what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--mode', default='auto')
    parser.add_argument('--object')
    parser.add_argument('--tool')
    parser.add_argument('--arguments', type=json.loads, default={})
    parser.add_argument('--url')
    parser.add_argument('--token', default='')
    parser.add_argument('program', nargs='*')
    given = parser.parse_args()
    async with Client(
        transport(given), mode=given.mode, read_timeout_seconds=TIMEOUT_SECS
    ) as client:
        if given.tool:
            told = await tool(client, given.tool, **given.arguments)
        else:
            told = await task(client, given.object)
        print(json.dumps(told))


asyncio.run(main())
