"""Lines that a job wrote of what it measured, from all finished jobs of a folder."""
import csv
import glob
import os
import re
from collections.abc import Callable

from validation import ValidationError, json_file

Key = tuple[str, int, int]  # collective, ranks, bytes


def whole(word: str) -> int:
    if not re.fullmatch("[0-9]{1,19}", word):
        raise ValueError(f"'{word[:40]}' is no whole number")
    return int(word)


def time_us(word: str) -> float:
    if not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})?", word) or float(word) == 0:
        raise ValueError(f"'{word[:40]}' is no time")
    return float(word)


def take_lines(text: str, path: str, program: str, take: Callable[[str, Key, str, list[str]], None]) -> None:
    """Gives `take` the kind, cell, arm and further words of every line that a job wrote; `path` is where, for errors' texts."""
    if not text.endswith("\n"):
        raise ValidationError(f"{path}:{text.count(chr(10)) + 1}: the file ends inside this line: expected a line end of {program}")
    lines: dict[tuple, int] = {}
    for number, line in enumerate(text[:-1].split("\n"), 1):
        try:
            words = next(csv.reader([line], strict=True))
            if len(words) < 6 + (words[:1] == ["time"]):
                raise ValueError(f"'{line[:40]}' has too few words")
            once = tuple(words[:6] if words[0] == "time" else words[:5])  # of times the repetition, too
            if (first := lines.setdefault(once, number)) != number:
                raise ValueError(f"line {first} says this already")
            take(words[0], (words[1], whole(words[2]), whole(words[3])), words[4], words[5:])
        except (ValueError, csv.Error, StopIteration) as error:
            raise ValidationError(f"{path}:{number}: expected a line of {program} ({error})") from error


def read_jobs(folder: str, jobs: str, example: str, program: str, take: Callable[[str, Key, str, list[str]], None]) -> None:
    """Gives `take` the kind, cell, arm and further words of every line of the finished jobs, block by block. `jobs` is a
    pattern of their names before "-BLOCK.csv"; `example` is such a name, `program` what wrote them, for errors' texts."""
    files = sorted((path for path in glob.glob(os.path.join(glob.escape(folder), "*.csv"))
                    if re.fullmatch(rf"({jobs})-\d+\.csv", os.path.basename(path))),
                   key=lambda path: int(path[:-4].rsplit("-", 1)[1]))
    if not files:
        raise ValidationError(f"{folder}: expected results such as {example}")
    for path in files:
        take_lines(json_file.read_text(path, f"what {program} wrote"), path, program, take)
