"""The memory tool for the package anthropic, which nothing else here needs."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .memory_tool import MemoryTool


def adapted(tool: 'MemoryTool') -> Any:
    """A `BetaAbstractMemoryTool` that runs the commands of a tool."""
    tools = importlib.import_module('anthropic.lib.tools')

    def call(self: Any, input: Any) -> str:
        answer = tool.run(input)
        if answer.is_error:
            raise tools.ToolError(answer.text)
        return answer.text

    def execute(self: Any, command: Any) -> str:
        return call(self, command.model_dump())

    commands = ('execute', 'view', 'create', 'str_replace', 'insert', 'delete', 'rename')
    methods = {'call': call, **{name: execute for name in commands}}
    return type('RobotMemoryTool', (tools.BetaAbstractMemoryTool,), methods)()
