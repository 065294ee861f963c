"""Machines from measurements."""
from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

from . import _program
from ._progress import Progress
from ._words import option
from .machines import Machine, machine

Files = Union[None, str, "os.PathLike[str]", Iterable[Any], Mapping[str, Any]]


class Calibration(NamedTuple):
    machine: Machine  # what was written
    residuals: Any  # where the fit is wrong: as `tutti calibrate --json`
    remarks: str


def calibrate(output: Any, *, osu: Files = None, imb: Files = None, csv: Files = None, node: Any = None, base: Optional[str] = None,
              name: Optional[str] = None, collectives: Any = None, fit: Optional[str] = None, jobs: Optional[int] = None,
              state: Any = None, cables: bool = False, cross_validate: bool = False, progress: Progress = None) -> Calibration:
    """Fits a machine to measurements, by the program `tutti calibrate`, and writes it to `output`.

    >>> tutti.calibrate("mine.json", osu="osu_latency.txt", imb={"node": "pingpong.txt"}, base="example-cluster").machine

    osu, imb, csv: files, or {distance: file} with distances cache, numa, socket, node and network. node: a node's topology as lstopo
    writes it in XML. base: the machine to start from; whatever is not measured stays. collectives: measured
    ones as CSV, to fit to in place of messages, or to those of its rows that `fit` says ("allreduce:ring:ranks=4-32"); by so many
    `jobs`, all processors unless given; `state`: a folder that keeps what is simulated; `cables`: fit what each level
    of the network's cables has, too; `cross_validate`: hold back each number of nodes in turn, and stop the fit where what is held back gets worse. Raises InputError "FILE:LINE: …".
    """
    words = ["calibrate", "--output", os.fspath(output), "--json"]
    for option_name, given in (("--osu", osu), ("--imb", imb), ("--csv", csv)):
        for file in files_of(given):
            words += [option_name, file]
    for option_name, value in (("--node", node), ("--base", base), ("--name", name), ("--collectives", collectives), ("--fit", fit),
                               ("--jobs", jobs), ("--state", state)):
        words += option(option_name, value)
    if cables:
        words.append("--cables")
    if cross_validate:
        words.append("--cross-validate")
    done = _program.run(words, "calibrating", progress)
    return Calibration(machine(output), json.loads(done.stdout), done.remarks)


def files_of(given: Files) -> list[str]:
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [f"{distance}={os.fspath(file)}" for distance, file in given.items()]
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(file) for file in given]
