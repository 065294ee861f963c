"""The program `tutti`: where it is, and what it says."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from typing import NamedTuple, NoReturn

from ._core import InputError
from ._progress import Progress, shown

HERE = os.path.dirname(os.path.abspath(__file__))
DONE, FINDING, USAGE = 0, 1, 2


class TuttiError(RuntimeError):
    """The program failed, through no fault of the input."""


class Output(NamedTuple):
    status: int  # DONE or FINDING
    stdout: str
    remarks: str  # what it said beside its result


def program() -> str:
    """$TUTTI_PROGRAM, or the one of this package, or the first in PATH."""
    for path in (os.environ.get("TUTTI_PROGRAM"), os.path.join(HERE, "bin", "tutti"), shutil.which("tutti")):
        if path and os.access(path, os.X_OK):
            return path
    raise TuttiError("the program 'tutti' is neither in this package nor in PATH; $TUTTI_PROGRAM may say where it is")


def main() -> NoReturn:
    """`tutti` in the folder of scripts: becomes the package's own program."""
    path = os.path.join(HERE, "bin", "tutti")
    os.execv(path, [path, *sys.argv[1:]])


def as_arguments(text: str) -> str:
    """Options are named arguments here."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda found: found.group(1).replace("-", "_"), text)


def run(words: list[str], what: str, progress: Progress = None) -> Output:
    """Runs a verb. Raises InputError where it refuses its input, TuttiError where it fails; on Ctrl-C it is ended, and what it
    has begun to write is left as it was."""
    process = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
    from_stdout, from_stderr = process.stdout, process.stderr
    assert from_stdout and from_stderr
    stdout: list[str] = []
    remarks: list[str] = []
    reader = threading.Thread(target=lambda: stdout.append(from_stdout.read()), daemon=True)
    reader.start()
    try:
        with shown(progress, what, "steps") as update:
            for line in from_stderr:
                at = re.match(r"[a-z ]+: (\d+) of (\d+) .*, \d+ % of the work, ", line)
                if at and update:
                    update(int(at[1]), int(at[2]))
                elif not at:
                    remarks.append(line)
        status = process.wait()
    except BaseException:
        end(process)
        raise
    finally:
        from_stderr.close()
    reader.join()
    from_stdout.close()
    text = "".join(remarks)
    if status not in (DONE, FINDING):
        message = as_arguments(re.sub(r"^tutti: ", "", text.strip(), flags=re.M))
        raise InputError(message) if status == USAGE else TuttiError(message or f"tutti {words[0]} ended with status {status}")
    return Output(status, stdout[0], text)


def end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
