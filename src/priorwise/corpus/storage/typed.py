"""Read what a run keeps: JSON into dataclasses, and errors that name the damaged file."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from priorwise.errors import BrokenFile

T = TypeVar("T")


def typed(kind: type[T], value: Any, where: str = "") -> T:
    """Turn plain JSON data into a dataclass; a value that does not fit is a `ValueError` that says where.

    Fields that JSON lacks take their defaults. Names that the dataclass lacks are passed over, for files of a newer
    version.
    """
    return typing.cast("T", _convert(kind, value, where))


def _convert(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, value, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (own,) = [each for each in arguments if each is not type(None)]
        return _convert(own, value, where)
    if origin is tuple:
        _require(isinstance(value, list), where, value, "a list")
        return tuple(_convert(arguments[0], each, f"{where}[{place}]") for place, each in enumerate(value))
    if origin is dict:
        _require(isinstance(value, dict), where, value, "an object")
        return {name: _convert(arguments[1], each, f"{where}.{name}") for name, each in value.items()}
    return _plain(kind, value, where)


def _dataclass(kind: Any, value: Any, where: str) -> Any:
    _require(isinstance(value, dict), where, value, "an object")
    hints = typing.get_type_hints(kind)
    found = {}
    for field in dataclasses.fields(kind):
        at = f"{where}.{field.name}" if where else field.name
        if field.name in value:
            found[field.name] = _convert(hints[field.name], value[field.name], at)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise ValueError(f"'{at}' is missing")
    return kind(**found)


def _plain(kind: Any, value: Any, where: str) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float:
        # A whole number beyond all floats cannot even be asked whether it is finite.
        _require(is_number and abs(value) <= sys.float_info.max, where, value, "a number")
        return float(value)
    names = {int: "a whole number", str: "a text", bool: "true or false"}
    _require(isinstance(value, kind) and (kind is bool or not isinstance(value, bool)), where, value, names[kind])
    return value


def _require(right: bool, where: str, value: Any, wanted: str) -> None:
    if not right:
        shown = repr(value)
        raise ValueError(f"'{where}' is {shown if len(shown) <= 40 else shown[:39] + '…'}, not {wanted}")


@contextlib.contextmanager
def damage_named(file: Path) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into a `BrokenFile` that names it.

    Where one such block is inside another, the inner one names the file.
    """
    try:
        yield
    except BrokenFile:
        raise
    except FileNotFoundError as error:
        raise BrokenFile(file.parent, f"damaged: {file.name} is missing") from error
    except (pa.ArrowException, ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise BrokenFile(file, f"damaged ({reason})") from error
