"""JSON files that people give: every fault has a file, a line and what was expected."""
import json
import math
import re

from validation import ValidationError


def read_text(path: str, what: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise ValidationError(f"{path}:1: {error.strerror}: expected {what}") from error
    except UnicodeDecodeError as error:
        with open(path, "rb") as file:
            line = file.read()[:error.start].count(b"\n") + 1
        raise ValidationError(f"{path}:{line}: expected text in UTF-8") from error


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is too large")
    return value


def _constant(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _object(pairs: list[tuple[str, object]]) -> dict:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def parse(text: str, path: str) -> dict:
    try:
        document = json.loads(text, parse_float=_number, parse_constant=_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValidationError(f"{path}:{error.lineno}: expected JSON: {error.msg}") from error
    except RecursionError as error:
        raise ValidationError(f"{path}:1: expected JSON of fewer levels") from error
    except ValueError as error:
        raise ValidationError(f"{path}:1: expected JSON: {error}") from error
    if not isinstance(document, dict):
        raise ValidationError(f"{path}:1: expected a JSON object")
    return document


def elements(document: dict, text: str, key: str, path: str) -> list[tuple[int, dict]]:
    """The objects in the array `key` of the document, each with the line on which it begins."""
    found = document.get(key)
    if not isinstance(found, list):
        raise ValidationError(f'{path}:1: expected "{key}", an array')
    start = re.search(rf'"{key}"\s*:\s*\[', text)
    position, lines = start.end() if start else len(text), []
    between, decoder = re.compile(r"[\s,]*"), json.JSONDecoder()
    while (position := between.match(text, position).end()) < len(text) and text[position] != "]":
        lines.append(text.count("\n", 0, position) + 1)
        _, position = decoder.raw_decode(text, position)
    if len(lines) != len(found):  # the key is also somewhere else
        lines = [1] * len(found)
    for line, one in zip(lines, found):
        if not isinstance(one, dict):
            raise ValidationError(f'{path}:{line}: expected an object in "{key}"')
    return list(zip(lines, found))


class Fields:
    """What an object holds, of the kinds that are expected."""

    def __init__(self, values: dict, where: str):
        self.values, self.where = values, where

    def _take(self, key: str, holds, expected: str):
        value = self.values.get(key)
        if not holds(value):
            raise ValidationError(f'{self.where}: expected "{key}", {expected}')
        return value

    def text(self, key: str, or_none: bool = False) -> str:
        return self._take(key, lambda value: (isinstance(value, str) and value) or (or_none and value is None), "a text")

    def whole(self, key: str, least: int, most: int = 1 << 62, or_none: bool = False) -> int:
        return self._take(key, lambda value: (type(value) is int and least <= value <= most) or (or_none and value is None),
                          f"a whole number of {least} to {most}")

    def times(self, key: str) -> dict[str, float]:
        def is_time(value) -> bool:
            return type(value) in (int, float) and 0 <= value <= 1e18
        return self._take(key, lambda found: isinstance(found, dict) and found and all(map(is_time, found.values())),
                          "an object of times")
