"""Tools that run in this program."""

from __future__ import annotations

import asyncio
import enum
import importlib
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union, cast, get_args, get_origin

from ._shared import ScreenSource
from .errors import WindieError


@dataclass(frozen=True)
class ToolContext:
    """What a tool knows of its call, if its function has a parameter of this type."""

    tool_name: str
    request_id: str
    workspace_path: str | None


@dataclass(frozen=True)
class ToolScreen:
    """What a tool returns to show the screen behind it: what the model says next is found there."""

    screenshot: ScreenSource
    output: Any = ""


@dataclass
class Tool:
    """A tool: its name, the JSON Schema of its arguments, and the function, or where to find it as MODULE:FUNCTION."""

    name: str
    schema: Mapping[str, Any]
    function: Callable[..., Any] | None = None
    module: str | None = None
    description: str = ""
    risk: str | None = None
    """safe: it changes nothing. risky: the user is asked, by on_approval."""

    def manifest(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"name": self.name, "description": self.description or self.name, "execution_target": "local_runtime", "schema": self.schema}
        return entry | ({"risk": self.risk} if self.risk else {})

    def loaded(self, workspace_path: str | None) -> Callable[..., Any]:
        """Returns the function. A module is looked for in the workspace first."""
        if self.function is None:
            self.function = _load(self.module or "", workspace_path)
        return self.function

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Calls the function with the arguments; one that is not asynchronous, in a thread."""
        function = self.loaded(context.workspace_path)
        given = dict(arguments)
        name = _context_parameter(function)
        if name:
            given[name] = context
        if inspect.iscoroutinefunction(function):
            return await function(**given)
        result = await asyncio.to_thread(function, **given)
        return await result if inspect.isawaitable(result) else result


ToolLike = Tool | Callable[..., Any] | Mapping[str, Any]


def tool_of(of: ToolLike) -> Tool:
    """Makes a tool of a function with type hints, or of a dict with name, module and schema."""
    if isinstance(of, Tool):
        return of
    if isinstance(of, Mapping):
        fields = cast("Mapping[str, Any]", of)
        if "module" in fields:
            _split(fields["module"])
        return Tool(
            name=fields["name"], schema=fields["schema"], function=fields.get("function"), module=fields.get("module"),
            description=fields.get("description", ""), risk=fields.get("risk"),
        )  # fmt: skip
    description = inspect.getdoc(of) or ""
    return Tool(name=getattr(of, "__name__", "tool"), schema=schema_of(of), function=of, description=description)


def _split(spec: str) -> tuple[str, str]:
    module, colon, name = spec.rpartition(":")
    if not colon or not module or not name:
        raise ValueError(f"windie: {spec!r} is no MODULE:FUNCTION, as 'my_project.tools:save_note'")
    return module, name


def _load(spec: str, workspace_path: str | None) -> Callable[..., Any]:
    module_name, name = _split(spec)
    path = str(Path(workspace_path).resolve()) if workspace_path else None
    if path and path not in sys.path:
        sys.path.insert(0, path)
        importlib.invalidate_caches()
    function = getattr(importlib.import_module(module_name), name, None)
    if not callable(function):
        raise WindieError(f"the module {module_name} has no function {name}")
    return function


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError):
        return {}


def _context_parameter(function: Callable[..., Any]) -> str | None:
    return next((name for name, hint in _hints(function).items() if hint is ToolContext), None)


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the JSON Schema of a function's parameters, by its type hints."""
    hints = _hints(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"windie: {getattr(function, '__name__', function)} cannot be a tool: a model gives arguments by name, and {name} has none")
        hint = hints.get(name, Any)
        if hint is ToolContext:
            continue
        properties[name] = _schema(hint)
        if parameter.default is parameter.empty:
            required.append(name)
        elif isinstance(parameter.default, (str, int, float, bool)):
            properties[name]["default"] = parameter.default
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_SIMPLE: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def _schema(hint: Any) -> dict[str, Any]:
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(arg) for arg in args]}
    if origin is typing.Annotated:
        description = next((a for a in args[1:] if isinstance(a, str)), None)
        return _schema(args[0]) | ({"description": description} if description else {})
    if origin in (list, set, tuple, Sequence) or hint in (list, set, tuple):
        return {"type": "array"} | ({"items": _schema(args[0])} if args else {})
    if origin in (dict, Mapping) or hint is dict:
        return {"type": "object"} | ({"additionalProperties": _schema(args[1])} if args else {})
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [member.value for member in hint]}
    return {}
