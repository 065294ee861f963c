"""Selection tables: made by the program, read and looked at here."""
from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Iterable, Mapping, Optional, Union

from . import _core, _program
from ._files import write
from ._frames import frame
from ._progress import Progress
from ._words import Numbers, listed, names, option
from .machines import AnyMachine, machine as load

RULES = ["collective", "nodes", "ppn", "from_bytes", "to_bytes", "algorithm", "predicted_us", "regret", "runner_up", "margin",
         "trust"]
Names = Union[str, Iterable[str], None]


class Table:
    """For each collective, nodes, ranks a node and range of sizes the algorithm to use. Made by tune and read_table."""

    def __init__(self, core: _core._Table, origin: str, remarks: str = ""):
        self._core, self.origin = core, origin
        self.remarks = remarks  # what the program said while it made the table

    machine = property(lambda self: self._core.machine, doc="The machine's name.")
    engine = property(lambda self: self._core.engine, doc="The engine that predicted.")
    mode = property(lambda self: self._core.mode, doc="How calls follow each other.")
    placement = property(lambda self: self._core.placement, doc="Where ranks are.")
    library = property(lambda self: self._core.library, doc="Only what this library can be told was looked at; empty: everything.")

    @property
    def rules(self) -> Any:
        """collective, nodes, ppn, from_bytes, to_bytes (both inclusive, in the total convention; None: without end), algorithm,
        predicted_us (at the first size, microseconds), regret (over the best, 0.05: 5 %; None: not known, since
        something else may be faster), runner_up, margin (None: not known, or no runner-up), trust."""
        return frame(self._core.rules(), RULES)

    @property
    def cells(self) -> Any:
        """All predicted times: collective, nodes, ppn, bytes, algorithm, time_us (microseconds), inferred (from others)."""
        return frame(self._core.cells(), ["collective", "nodes", "ppn", "bytes", "algorithm", "time_us", "inferred"])

    def look_up(self, collective: str, *, nodes: int, ppn: int = 1, bytes: int = 0) -> Optional[dict[str, Any]]:
        """The rule for a size in bytes at exactly this place; None: the table has none. Nothing is interpolated."""
        rule: Any = self._core.look_up(collective, nodes, ppn, bytes)
        return rule

    def save(self, path: Any) -> None:
        """Writes the table's JSON."""
        write(path, self._core.to_json())

    def export(self, to: str, output: Any) -> dict[str, Any]:
        """Writes a library's tuning file ("open-mpi-classic", "mpich-json" …: tutti export --help) by the program, and returns
        what it says: what the file gains over the library's own choices, and what it could not say."""
        with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
            path = os.path.join(folder, "table.json")
            self.save(path)
            done = _program.run(["export", path, "--to", to, "--output", os.fspath(output), "--json"], "exporting")
        return json.loads(done.stdout)

    def __repr__(self) -> str:
        return f"<tutti.Table of {self.machine}: {len(self._core.rules())} rules>"


AnyTable = Union[Table, str, "os.PathLike[str]"]


def read_table(path: Any) -> Table:
    """Reads a table. Raises InputError "FILE:LINE: /json/pointer: what was expected"."""
    return Table(_core.read_table(os.fspath(path)), os.fspath(path))


def tune(machine: AnyMachine, *, nodes: Numbers, ppn: Numbers = 1, bytes: Numbers = None, osu_sizes: Numbers = None,
         collectives: Names = None, algorithms: Names = None, library: Optional[str] = None, baselines: Names = None,
         placement: Optional[str] = None, engine: Optional[str] = None, confirm: Optional[str] = None, mode: Optional[str] = None,
         bound: Optional[float] = None, jobs: Optional[int] = None, state: Any = None, output: Any = None,
         background: Names = None, noise: Names = None, robust: Optional[str] = None, statistic: Optional[str] = None,
         progress: Progress = None) -> Table:
    """Finds the best algorithm for every case, by the program `tutti tune`.

    >>> table = tutti.tune("example-cluster", nodes="2-9", osu_sizes="8:64K", collectives="bcast")

    nodes, ppn, bytes, osu_sizes as of simulate. collectives, algorithms: only these. library ("open-mpi-4.1"): only what its
    tuning file can say; baselines: what these libraries pick themselves is a candidate. bound: the regret that merging sizes may
    cost (0.05). background: other jobs beside, each a load ("none", "incast:nodes=16,bytes=2M"), of whose times the robust one
    counts ("worst", "mean"); noise: on the processors ("none", "every=1e-3,for=25e-6,seed=2"); statistic: of the calls beside one
    load, which time counts ("median", "mean", "p95"). confirm: the engine that decides what is close, or "none". state: a folder that keeps what is finished, so that a
    sweep that was interrupted (Ctrl-C, kill) goes on where it was. output: where the table is written, too.
    """
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        path = os.path.join(folder, "table.json") if output is None else os.fspath(output)
        words = ["tune", "--machine", origin_of(machine, folder), "--nodes", listed("nodes", nodes), "--ppn", listed("ppn", ppn), "--output", path]
        for name, value in (("--bytes", listed("bytes", bytes)), ("--osu-sizes", listed("osu_sizes", osu_sizes)), ("--collectives", ",".join(names("collectives", collectives))),
                            ("--algorithms", ",".join(names("algorithms", algorithms))), ("--for", library),
                            ("--baselines", ",".join(names("baselines", baselines))), ("--placement", placement), ("--engine", engine),
                            ("--confirm", confirm), ("--mode", mode), ("--bound", bound), ("--jobs", jobs), ("--state", state), ("--robust", robust),
                            ("--statistic", statistic)):
            words += option(name, value)
        for load in [background] if isinstance(background, str) else background or []:  # each has commas
            words += ["--background", load]
        for one in [noise] if isinstance(noise, str) else noise or []:
            words += ["--noise", one]
        done = _program.run(words, "tuning", progress)
        remarks = done.remarks + done.stdout
        return Table(_core.read_table(path), path if output is not None else "", remarks.replace(path, "the table"))


def origin_of(given: AnyMachine, folder: str) -> str:
    """What names a machine to the program: its name, its file, or one in the folder."""
    if not isinstance(given, (_core.Machine, Mapping)):
        return os.fspath(given)
    loaded = load(given)
    path = loaded.origin
    if loaded._is_made:
        path = os.path.join(folder, "machine.json")
        write(path, loaded.text)
    if _core.load_machine(path)._identity != loaded._identity:
        raise _core.InputError(f"{loaded.origin}: has changed since it was loaded, or a file that it names: expected that it is loaded again")
    return path


def table_of(given: AnyTable) -> Table:
    return given if isinstance(given, Table) else read_table(given)


def diff(first: AnyTable, second: AnyTable) -> Any:
    """Where two tables, or files of them, say different things at places that both have: collective, nodes, ppn, from_bytes, to_bytes
    (None: without end), first, second."""
    first, second = table_of(first), table_of(second)
    of_second: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for rule in second._core.rules():
        of_second.setdefault((rule["collective"], rule["nodes"], rule["ppn"]), []).append(rule)
    rows: list[dict[str, Any]] = []
    for rule in first._core.rules():
        place = (rule["collective"], rule["nodes"], rule["ppn"])
        for other in of_second.get(place, []):
            begin = max(rule["from_bytes"], other["from_bytes"])
            ends = [end for end in (rule["to_bytes"], other["to_bytes"]) if end is not None]
            end = min(ends) if ends else None
            if (end is None or begin <= end) and rule["algorithm"] != other["algorithm"]:
                rows.append({"collective": place[0], "nodes": place[1], "ppn": place[2], "from_bytes": begin, "to_bytes": end,
                             "first": rule["algorithm"], "second": other["algorithm"]})
    return frame(rows, ["collective", "nodes", "ppn", "from_bytes", "to_bytes", "first", "second"])
