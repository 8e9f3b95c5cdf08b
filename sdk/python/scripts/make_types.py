"""Writes the types of the API document, when the package is built.

A schema becomes a TypedDict: what is sent and what comes is JSON as it is, so that a newer gateway's fields and values
are no error. Enumerations of answers are open: a value that is not known is a str.
"""

from __future__ import annotations

import json
import keyword
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
HEAD = '''"""Types of the gateway's API document. Made by scripts/make_types.py: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

JsonObject = dict[str, Any]
JsonSchema = dict[str, Any]
JsonValue = Any
ErrorCode = str
'''
OWN = {"JsonObject", "JsonSchema", "JsonValue", "ErrorCode"}


def type_of(schema: Schema) -> str:
    """Returns the type of a schema, as an annotation."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(type_of(s) for s in schema[key]))
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        return "None" if schema["enum"] == [None] else f"Literal[{', '.join(json.dumps(v) for v in schema['enum'])}]"
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    return " | ".join(simple(t, schema) for t in types) or "Any"


def simple(kind: str, schema: Schema) -> str:
    if kind == "array":
        return f"list[{type_of(schema.get('items', {}))}]"
    if kind == "object":
        of = schema.get("additionalProperties")
        return f"dict[str, {type_of(of) if isinstance(of, dict) else 'Any'}]"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind]


def text_of(schema: Schema) -> str:
    return " ".join(str(schema.get("description", "")).split()).replace("\\", "\\\\").replace('"""', "'''")


def named(name: str, schema: Schema) -> str:
    """Returns the definition of a schema."""
    fields: dict[str, Schema] = schema.get("properties", {})
    if schema.get("type") != "object" or not fields:
        kind = type_of(schema)
        if "enum" in schema:
            kind += " | str"  # a newer gateway may have others
        return f"{name} = {quoted(kind)}\n"
    required = schema.get("required", [])
    if any(keyword.iskeyword(field) for field in fields):
        of = {f: type_of(t) if f in required else f"NotRequired[{type_of(t)}]" for f, t in sorted(fields.items())}
        return f"{name} = TypedDict({json.dumps(name)}, {{{', '.join(f'{json.dumps(f)}: {json.dumps(t)}' for f, t in of.items())}}})\n"
    lines = [f"class {name}(TypedDict):", f'    """{text_of(schema) or name}"""', ""]
    for field, of in sorted(fields.items()):
        kind = type_of(of)
        lines.append(f"    {field}: {kind if field in required else f'NotRequired[{kind}]'}")
        if text_of(of):
            lines.append(f'    """{text_of(of)}"""')
    return "\n".join(lines) + "\n"


def quoted(kind: str) -> str:
    """Names that come later in the file are written as text."""
    return kind if kind.startswith(("Literal", "str", "dict", "Any")) else json.dumps(kind)


def write(contract: Path, to: Path) -> None:
    """Writes a module with the types of a document."""
    schemas: dict[str, Schema] = json.loads(contract.read_text(encoding="utf-8"))["components"]["schemas"]
    own = [name for name in sorted(schemas) if name not in OWN and not name.startswith("tool.")]
    types = ["\n" + named(name, schemas[name]) for name in own if "oneOf" not in schemas[name]]
    # behind what they choose from
    unions = [f"{name} = {type_of(schemas[name])}" for name in own if "oneOf" in schemas[name]]
    to.write_text("\n".join([HEAD, *types, *unions]) + "\n", encoding="utf-8", newline="\n")
