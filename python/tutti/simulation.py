"""Predicted times."""
from __future__ import annotations

import os
import warnings
from typing import Any, Optional

from . import _core
from ._files import write
from ._frames import frame
from ._progress import Progress, shown
from ._words import Numbers, each_count, each_edge, jobs_or_all, listed, within
from .algorithm import split
from .machines import AnyMachine, machine as load

COLUMNS = ["system", "collective", "algorithm", "ranks", "nodes", "ppn", "bytes", "bytes_simulated", "time_us", "messages",
           "engine", "mode", "chosen", "trust"]
SPREAD = ["p05_us", "p95_us", "mean_us", "calls"]  # of several calls that do not take the same time each


class TuttiWarning(UserWarning):
    """What was left out of a result, and why."""


def _simulate(collective: str, machine: AnyMachine, algorithm: Any, nodes: Numbers, ppn: Numbers, ranks: Numbers, bytes: Numbers,
              osu_sizes: Numbers, placement: Any, engine: str, mode: str, root: int, element: Optional[int], op: str,
              in_place: bool, seed: int, jobs: Optional[int], check: bool, progress: Progress, record: bool, counts: Any,
              neighbors: Any) -> list[Any]:
    named, own = split(algorithm)
    counts_text, count_of_each = each_count(counts, collective == "alltoallv")
    neighbors_text, edges = each_edge(neighbors)
    with shown(progress, "simulating", "runs") as update:
        calls, remarks = _core.simulate(
            machine=load(machine), collective=collective, algorithms=named, own=[choice._own for choice in own],
            nodes=listed("nodes", nodes), ppn=listed("ppn", ppn), ranks=listed("ranks", ranks), placement=os.fspath(placement),
            bytes=listed("bytes", bytes), osu_sizes=listed("osu_sizes", osu_sizes), engine=engine, mode=mode, op=op,
            root=within("root", root, 0, 2 ** 31 - 1), element=within("element", element, 1, 2 ** 31 - 1), in_place=in_place,
            record=record, check=check, seed=within("seed", seed, 0, 2 ** 64 - 1), jobs=jobs_or_all(jobs), counts=counts_text, count_of_each=count_of_each,
            neighbors=neighbors_text, edges=edges, progress=update)
    for remark in remarks:
        warnings.warn(remark, TuttiWarning, stacklevel=3)
    return calls


def simulate(collective: str, *, machine: AnyMachine, algorithm: Any = "all", nodes: Numbers = None, ppn: Numbers = None,
             ranks: Numbers = None, bytes: Numbers = None, osu_sizes: Numbers = None, placement: Any = "block", engine: str = "fast",
             mode: str = "isolated", root: int = 0, element: Optional[int] = None, op: str = "sum", in_place: bool = False,
             seed: int = 1, jobs: Optional[int] = None, check: bool = False, progress: Progress = None, counts: Any = None,
             neighbors: Any = None) -> Any:
    """Predicts the time of algorithms on a machine, in this process.

    >>> tutti.simulate("bcast", machine="example-cluster", algorithm=["binomial", "chain:segment=64K"], nodes=[7, 8, 9], ppn=1,
    ...                bytes="1K:1M")

    machine: a name, a file or a Machine. algorithm: names with parameters ("knomial:radix=8"), "all" (with the parameters that
    tune tries), "default:open-mpi-4.1" (what the library picks), a tutti.Algorithm, or a list of these. nodes with ppn (ranks a
    node, 1 unless given), or ranks (without ppn one a node where there are so many, else nodes are full): numbers, lists, or texts such as "2-300" and "4:64" (doubling). bytes: sizes in the total
    convention, or osu_sizes: as OSU's benchmarks print them. placement: "block", "cyclic", "scattered:SEED" or a CSV file of
    rank,node. engine: "fast" or "simgrid". mode: "isolated", "barrier", "loop:N", "back-to-back:N", "skew:SECONDS",
    "skew:file=FILE" (a CSV of late_us), both also with ":N" behind (the median of N calls, each with arrivals of its own). element:
    bytes of an element (4 in reductions, else 1). check: the messages carry the contributions of the proof; a wrong result raises
    RuntimeError. jobs: simulations at a time (all processors); algorithms in Python are simulated one after the other. progress:
    True, False, None (a tqdm bar on a terminal or in a notebook, where tqdm is), or a function of (done, total). counts: of
    allgatherv, alltoallv, gatherv, scatterv, reduce_scatter: how a size is divided ("zipf:1.2", "random", "one"), or, in place of sizes, the
    elements of each rank ([5, 0, 7]) or from each rank to each ([[0, 1], [2, 0]]). neighbors: of neighbor_…: a grid ("4x4",
    "4x4:box"), "random:6" or edges ([(0, 1), (1, 0)]).

    Rows, of algorithms in Python after those of the others: the columns of `tutti simulate --csv`, time_us in microseconds, `chosen`: what ran in place of an algorithm that falls
    back, `trust`: guessed, fitted far or fitted near; of several calls, whose median time_us is, also their 5th and 95th percentile, mean and number.
    No noise and no other job are beside: `tutti simulate` has these. What is left out, and layouts between which times jump, is a TuttiWarning. Python's lock is free meanwhile, but
    for algorithms in Python. Ctrl-C raises at once; simulations that are under way then end by themselves.
    """
    calls = _simulate(collective, machine, algorithm, nodes, ppn, ranks, bytes, osu_sizes, placement, engine, mode, root, element,
                      op, in_place, seed, jobs, check, progress, False, counts, neighbors)
    wrong = [f"{call.row()['algorithm']}, {call.row()['bytes']} bytes: {call.fault}" for call in calls if call.fault]
    if wrong:
        raise RuntimeError("wrong results: " + "; ".join(wrong))
    given: dict[str, Any] = {name: value for name, value, standard in (("placement", os.fspath(placement), "block"), ("root", root, 0), ("element", element, None),
                                                                       ("op", op, "sum"), ("in_place", in_place, False)) if value != standard}
    if mode.startswith(("skew", "loop")):
        given["seed"] = seed
    given |= {name: what if isinstance(what, str) else "given" for name, what in (("counts", counts), ("neighbors", neighbors)) if what is not None}
    rows = [{**call.row(), **given} for call in calls]
    return frame(rows, COLUMNS + [name for name in SPREAD if rows and name in rows[0]] + list(given))


class SimulatedCall:
    """One simulated call, with all that was recorded of it."""

    def __init__(self, call: _core._SimulatedCall):
        self._call = call

    @property
    def time_us(self) -> float:
        """From when the last rank came to when the last one is done, in microseconds."""
        return self._call.time_us

    @property
    def row(self) -> dict[str, Any]:
        """As simulate has it."""
        return self._call.row()

    @property
    def seconds_per_rank(self) -> list[float]:
        return self._call.seconds_per_rank

    @property
    def bytes_per_level(self) -> dict[str, float]:
        """Bytes carried, by the level of the links."""
        return self._call.bytes_per_level

    @property
    def path(self) -> Any:
        """The critical path, first to last, without gaps: from_us, to_us, on (what would have to be faster: processor, latency,
        retransmission, nic-out …), place, and the message or work: kind, from, to (ranks), bytes."""
        return frame(self._call.critical_path())

    @property
    def bounds(self) -> Any:
        """What the path's time was spent on, the most first: on, place, us (microseconds)."""
        return frame(self._call.bounds())

    @property
    def events(self) -> Any:
        """All messages and local work: kind, from, to, bytes, posted_us, started_us, ended_us."""
        return frame(self._call.events())

    def save_trace(self, path: Any) -> None:
        """Writes a trace for Perfetto or chrome://tracing."""
        write(path, self._call.chrome_trace())

    def __repr__(self) -> str:
        row = self.row
        return (f"<tutti.SimulatedCall {row['collective']}/{row['algorithm']} on {row['system']}: {row['ranks']} ranks, "
                f"{row['bytes']} bytes, {self.time_us:.3f} us>")


def critical_path(collective: str, *, machine: AnyMachine, algorithm: Any, nodes: Numbers = None, ppn: Numbers = None,
                  ranks: Numbers = None, bytes: Numbers = None, osu_sizes: Numbers = None, placement: Any = "block",
                  engine: str = "fast", mode: str = "isolated", root: int = 0, element: Optional[int] = None, op: str = "sum",
                  in_place: bool = False, seed: int = 1, counts: Any = None, neighbors: Any = None) -> SimulatedCall:
    """Simulates one call and says which messages, ranks and resources bound it, in this process.

    >>> tutti.critical_path("allreduce", machine="example-cluster", algorithm="ring", nodes=5, ppn=1, bytes="64K").bounds

    Arguments as of simulate, of one algorithm, size and number of ranks.
    """
    calls = _simulate(collective, machine, algorithm, nodes, ppn, ranks, bytes, osu_sizes, placement, engine, mode, root, element,
                      op, in_place, seed, 1, False, False, True, counts, neighbors)
    if len(calls) != 1:
        raise _core.InputError(f"expected one algorithm, one size and one number of ranks, not {len(calls)} runs")
    return SimulatedCall(calls[0])
