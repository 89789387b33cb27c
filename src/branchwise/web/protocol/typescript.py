"""The messages in TypeScript, for the page; `make protocol` writes them."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
from msgspec import inspect as types

from branchwise.web.protocol import messages

_HEAD = "// Written from src/branchwise/web/protocol/messages.py by `make protocol`; do not edit.\n"


def typescript() -> str:
    """Return the declarations of all messages and their parts, with their docstrings."""
    structs = [
        kind
        for kind in vars(messages).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and not kind.__subclasses__()
    ]
    declared = [_interface(kind) for kind in structs]
    return "\n".join([_HEAD, *declared, _union("SaidByPage"), _union("ToldByServer")])


def _interface(kind: type[msgspec.Struct]) -> str:
    told = types.type_info(kind)
    assert isinstance(told, types.StructType)
    lines = [
        f"/** {' '.join((inspect.getdoc(kind) or '').split())} */",
        f"export interface {kind.__name__} {{",
    ]
    if told.tag is not None:
        lines.append(f"  type: {_quoted(told.tag)};")
    from_page = not issubclass(kind, messages.Told)
    for field in told.fields:
        optional = "?" if not field.required and (from_page or field.name == "id") else ""
        lines.append(f"  {field.encode_name}{optional}: {_type(field.type)};")
    return "\n".join([*lines, "}", ""])


def _union(name: str) -> str:
    members = " | ".join(kind.__name__ for kind in getattr(messages, name).__args__)
    return f"export type {name} = {members};\n"


def _type(told: types.Type) -> str:
    match told:
        case types.BoolType():
            return "boolean"
        case types.IntType() | types.FloatType():
            return "number"
        case types.StrType():
            return "string"
        case types.NoneType():
            return "null"
        case types.AnyType():
            return "unknown"
        case types.ListType(item_type=item):
            inside = _type(item)
            return f"({inside})[]" if "|" in inside else f"{inside}[]"
        case types.DictType(value_type=value):
            return f"Record<string, {_type(value)}>"
        case types.StructType(cls=kind):
            return kind.__name__
        case types.UnionType(types=options):
            return " | ".join(_type(option) for option in options)
    raise TypeError(f"no TypeScript for {told}")


def _quoted(value: Any) -> str:
    return f'"{value}"'


if __name__ == "__main__":
    print(typescript(), end="")
