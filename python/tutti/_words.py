"""Arguments as the command line has them, so that both read them alike."""
from __future__ import annotations

import os
from typing import Any, Iterable, Optional, Union

from ._core import InputError

Numbers = Union[int, str, Iterable[int], None]


def listed(name: str, numbers: Numbers) -> str:
    """5, "2-300", "4:16M", [2, 3, 5] or range(2, 9) -> text; None -> nothing. `name`: of the argument, for errors."""
    if numbers is None:
        return ""
    if isinstance(numbers, str):
        return numbers
    if isinstance(numbers, bool):
        raise InputError(f"{name}: {numbers!r}: expected a whole number, a text such as '2-300' or several of them")
    try:
        return str(numbers.__index__())  # type: ignore[union-attr]  # numpy's numbers, too
    except (AttributeError, TypeError):  # several: a list, an array of numpy's
        pass
    each = [] if isinstance(numbers, (bytes, bytearray)) or not hasattr(numbers, "__iter__") else list(numbers)  # type: ignore[arg-type]
    if not each:
        raise InputError(f"{name}: {numbers!r}: expected a whole number, a text such as '2-300' or several of them")
    return ",".join(number if isinstance(number, str) else str(whole(name, number)) for number in each)


def whole(name: str, number: Any) -> int:
    """Of any kind, numpy's too."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise InputError(f"{name}: {number!r}: expected a whole number")
    return number.__index__()


def within(name: str, number: Any, least: int, most: int) -> Any:
    """The number; what is none is for what is compiled to refuse."""
    if isinstance(number, int) and not least <= number <= most:
        raise InputError(f"{name}: {number}: expected a whole number from {least} to {most}")
    return number


def each_count(counts: Any, of_pairs: bool) -> tuple[str, list[int]]:
    """"zipf:1.2" -> that text; [5, 0, 7] (of ranks) or, of pairs, [[0, 1], [2, 0]] (from each rank to each) -> the numbers."""
    if counts is None or isinstance(counts, str):
        return counts or "", []
    rows = list(counts)
    if not of_pairs:
        rows = [rows]
    try:
        each = [[number.__index__() for number in row] for row in rows if hasattr(row, "__iter__")]
    except AttributeError:
        raise InputError("counts: expected whole numbers") from None
    if len(each) < len(rows) or not rows or any(len(row) != len(rows) for row in each if of_pairs):
        raise InputError("counts: expected a row for each rank, of what it sends to each")
    if not each[0]:
        raise InputError("counts: expected at least one number")
    return "", [number for row in each for number in row]


def each_edge(neighbors: Any) -> tuple[str, list[tuple[int, int]]]:
    """"4x4:box" -> that text; [(0, 1), (1, 0)] -> the edges."""
    if neighbors is None or isinstance(neighbors, str):
        return neighbors or "", []
    try:
        edges = [(source.__index__(), to.__index__()) for source, to in neighbors]
    except (AttributeError, TypeError, ValueError):
        raise InputError("neighbors: expected a text or pairs of ranks, such as [(0, 1), (1, 0)]") from None
    if not edges:
        raise InputError("neighbors: expected at least one edge")
    return "", edges


def names(name: str, texts: Union[str, Iterable[str], None]) -> list[str]:
    """"a,b", ["a", "b"] -> ["a", "b"]. `name`: of the argument, for errors."""
    if texts is None:
        return []
    each = [text for text in texts.split(",") if text] if isinstance(texts, str) else [str(text) for text in texts]
    if not each:
        raise InputError(f"{name}: expected at least one name")
    return each


def option(name: str, value: Any) -> list[str]:
    """Words of the command line; nothing for what is not given."""
    if value is None or value is False or value == "":
        return []
    if value is True:
        return [name]
    return [name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_or_all(jobs: Optional[int]) -> int:
    return processors() if jobs is None else jobs
