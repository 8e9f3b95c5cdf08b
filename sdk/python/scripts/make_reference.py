"""Writes what the package exports, with its docstrings, as JSON. It imports the package, which must be on the path."""

from __future__ import annotations

import enum
import functools
import inspect
import json
import sys
from typing import Any

import windie

KINDS = ("class", "function", "constant")


class Hint:
    """A type hint in a signature, as it is written in the source."""

    def __init__(self, hint: Any) -> None:
        self.text = hint_of(hint)

    def __repr__(self) -> str:
        return self.text


def signature_of(name: str, value: Any) -> str:
    """Returns a callable as it is called."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parameters = [p if p.annotation is p.empty else p.replace(annotation=Hint(p.annotation)) for n, p in signature.parameters.items() if n != "self"]
    returns = signature.return_annotation
    return name + str(inspect.Signature(parameters)) + ("" if returns in (inspect.Signature.empty, None, "None") else f" -> {hint_of(returns)}")


def hint_of(hint: Any) -> str:
    """Returns a type hint as it is written in the source."""
    return str(getattr(hint, "__forward_arg__", hint)).replace("'", '"')


def doc_of(value: Any) -> str:
    return inspect.cleandoc(value.__dict__.get("__doc__") or "") if inspect.isclass(value) else inspect.getdoc(value) or ""


def members_of(of: type) -> list[dict[str, str]]:
    """Returns the public methods and fields that a class has by itself or from a class of the package."""
    members: dict[str, dict[str, str]] = {}
    for cls in of.__mro__:
        if not cls.__module__.startswith("windie"):
            continue
        for name, value in vars(cls).items():
            if name.startswith("_") or name in members:
                continue
            if inspect.isfunction(value):
                prefix = "async " if inspect.iscoroutinefunction(value) else ""
                members[name] = {"name": name, "signature": prefix + signature_of(name, value), "doc": inspect.getdoc(value) or ""}
            elif isinstance(value, (classmethod, staticmethod)):
                function = getattr(of, name)
                members[name] = {"name": name, "signature": signature_of(name, function), "doc": inspect.getdoc(function) or ""}
            elif isinstance(value, (property, functools.cached_property)):
                function: Any = value.fget if isinstance(value, property) else value.func
                members[name] = {"name": name, "signature": f"{name}: {hint_of(inspect.signature(function).return_annotation)}", "doc": inspect.getdoc(value) or ""}
        for name, hint in inspect.get_annotations(cls).items():
            if not name.startswith("_") and name not in members:
                members[name] = {"name": name, "signature": f"{name}: {hint_of(hint)}", "doc": ""}
    return list(members.values())


def item_of(name: str, value: Any) -> dict[str, Any]:
    if inspect.isclass(value):
        signature = name if issubclass(value, (BaseException, enum.Enum)) else signature_of(name, value)
        return {"name": name, "kind": "class", "signature": signature, "doc": doc_of(value), "members": members_of(value)}
    if callable(value) and not hasattr(value, "__args__"):
        return {"name": name, "kind": "function", "signature": signature_of(name, value), "doc": doc_of(value), "members": []}
    return {"name": name, "kind": "constant", "signature": f"{name} = {value}".replace("typing.", ""), "doc": "", "members": []}


def main() -> None:
    items = [item_of(name, getattr(windie, name)) for name in windie.__all__ if name not in ("__version__", "types", "ScreenSource", "AgentSdkClient")]
    items.sort(key=lambda item: (KINDS.index(item["kind"]), item["name"]))
    with windie.Windie("http://127.0.0.1:1") as client:
        held = {name: type(getattr(client, name)) for name, value in vars(windie.Windie).items() if isinstance(value, functools.cached_property)}
    groups = [item_of(of.__name__, of) | {"kind": "group", "signature": f"windie.{name}"} for name, of in sorted(held.items())]
    json.dump({"title": "windie", "language": "Python", "doc": inspect.cleandoc(windie.__doc__ or ""), "items": items + groups}, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
