"""What the command lines of validation share."""
import argparse
import difflib
import errno
import io
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable

from validation import ValidationError


SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
MOST_OF_A_RANGE = 1 << 20


def numbers(text: str) -> set[int]:
    """"3,4,8", "2-16", "16K,1M"."""
    found: set[int] = set()
    for word in text.split(","):
        match = re.fullmatch(r"([0-9]{1,18})([KMG]?)(?:-([0-9]{1,18}))?", word)
        if not match or (match.group(2) and match.group(3)):
            raise argparse.ArgumentTypeError(f"expected a list such as 3,4,8 or 2-16 or 16K,1M, found '{text}'")
        first = int(match.group(1)) * SIZE_UNITS[match.group(2)]
        last = int(match.group(3) or first)
        if not first <= last < first + MOST_OF_A_RANGE:
            raise argparse.ArgumentTypeError(f"expected a range that begins with its least, of at most {MOST_OF_A_RANGE} numbers, found '{word}'")
        found |= set(range(first, last + 1))
    return found


def counted(number: int, one: str) -> str:
    """"1 cell", "2 cells"."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def whole_number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"expected a whole number, found '{text}'")
    return int(text)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """" (did you mean bcast?)"; nothing where no known word is near."""
    near = difflib.get_close_matches(word, [str(one) for one in known], 1, 0.6) if not word.isdigit() else []
    return f" (did you mean {near[0]}?)" if near else ""


class Parser(argparse.ArgumentParser):
    """Refuses wrong usage as the program does: in one line, with the nearest right spelling; the beginning of an option is not the option."""

    def __init__(self, **more):
        super().__init__(allow_abbrev=False, **more)
        self.register("type", int, whole_number)

    def parse_known_args(self, args=None, namespace=None):
        words = list(sys.argv[1:] if args is None else args)
        for word in self.own(words):
            name = word.split("=")[0]
            if name.startswith("--") and name not in self._option_string_actions:
                self.exit(2, f"{self.prog.replace(' ', ': ', 1)} has no option {name}{did_you_mean(name, self._option_string_actions)}; "
                          f"see {self.prog} --help\n")
        return super().parse_known_args(words, namespace)

    def own(self, words: list[str]) -> list[str]:
        """What follows a verb or a command of its own is not ours to judge."""
        if not any(action.nargs in (argparse.REMAINDER, argparse.PARSER) for action in self._actions):
            return words[:words.index("--") if "--" in words else None]
        at = 0
        while at < len(words) and words[at].startswith("-") and words[at] != "--":
            action = self._option_string_actions.get(words[at])
            at += 2 if action and action.nargs is None else 1
        return words[:at]

    def _check_value(self, action, value):
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"expected one of {', '.join(map(str, action.choices))}, found '{value}'"
                                         f"{did_you_mean(str(value), action.choices)}")

    def error(self, message: str):
        said = message.replace("the following arguments are required: ", "expected ").removeprefix("argument ")
        self.exit(2, f"{self.prog}: {said}; see {self.prog} --help\n")

    def exit(self, status=0, message=None):
        """Also after help."""
        if of_stdout := unwritten():
            status, message = 2, message or f"{self.prog}: {of_stdout}\n"
        super().exit(status, message)


def permissions(path: str) -> int:
    """Those of a file that is written over, or of any new one, also where a link lies: what that leads to says nothing of this file."""
    if os.path.isfile(path) and not os.path.islink(path):
        return stat.S_IMODE(os.stat(path).st_mode) & 0o777
    os.umask(mask := os.umask(0))
    return 0o666 & ~mask


def write_beside(path: str, text: str) -> None:
    """A file in a folder of ours, whose name nobody gave: a temporary one beside it, under a name that cannot be foreseen, is renamed,
    so that nobody sees a part and a link that lies there leads no write astray."""
    try:
        descriptor, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".part", dir=os.path.dirname(path) or ".")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(beside, permissions(path))
            os.replace(beside, path)
        except BaseException:
            os.remove(beside)
            raise
    except OSError as error:
        error.filename = path  # else the temporary one, or none where the disk is full
        raise


def write_output(path: str, text: str) -> None:
    """The file that the user named, as the program's own verbs do (cli/output.cpp): a link is followed, a pipe or a device written to."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        try:
            with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            error.filename = path
            raise
    else:
        write_beside(os.path.realpath(path), text)


NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE, errno.EBADF, errno.EIO}


class Closed(io.RawIOBase):
    """In place of a stdout that was closed before this program began: what is printed there is missed."""

    def writable(self) -> bool:
        return True

    def write(self, _data) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def missed(error: OSError) -> str:
    """That stdout did not take what was printed, as the program's own verbs say it (cli/main.cpp)."""
    sys.stdout = None  # the interpreter would try once more at its end, and say that in its own way
    return f"stdout: cannot be written: {error.strerror}"


def unwritten() -> str:
    """Of what was printed and not yet written; empty: all is well."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        return missed(error)
    return ""


def status_of(name: str, run: Callable[[], int]) -> int:
    """The exit status of a command: what it refuses, and that stdout did not take what it says, is one line under its name."""
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(Closed()))
    said, status = "", 2
    try:
        status = run()
    except ValidationError as error:
        said = str(error)
    except OSError as error:
        # A file that cannot be written says its name.
        said = f"{error.filename}: {error.strerror}" if error.filename else missed(error) if error.errno in NO_ROOM else str(error)
    except KeyboardInterrupt:
        status = 130
    if (of_stdout := unwritten()) and status < 2:
        said, status = of_stdout, 2
    if said:
        print(f"{name}: {said}", file=sys.stderr)
    return status
