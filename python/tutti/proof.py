"""The proof."""
from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Optional

from . import _core
from ._progress import Progress, shown
from ._words import Numbers, jobs_or_all, listed
from .algorithm import Choice, split
from .simulation import TuttiWarning


@dataclasses.dataclass(frozen=True)
class Refutation:
    """The smallest case in which an algorithm is wrong."""
    case: str  # "bcast/mine ranks=3 count=1 root=0"
    kind: str  # "deadlock", "wrong contribution", "race", "count mismatch" …
    message: str


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What the proof says of one algorithm."""
    collective: str
    algorithm: str
    proven: int  # cases in which it runs itself
    fallen_back: int  # cases proven in which another one runs in its place
    excluded: int  # cases that its constraints rule out
    left_out: int  # cases of more than 2^32 elements in more messages than are proven
    refuted: Optional[Refutation]

    @property
    def ok(self) -> bool:
        """Proven at least once, and not refuted."""
        return self.refuted is None and self.proven > 0


def verify(algorithm: Any = (), *, collective: str = "", ranks: Numbers = "1-64", root: Optional[int] = None,
           count: Optional[int] = None, element: Optional[int] = None, limit: Optional[float] = None,
           jobs: Optional[int] = None, progress: Progress = None) -> list[Verdict]:
    """Proves algorithms correct: results and their operands' order, deadlock, races, and exact rounds, messages and bytes.

    >>> tutti.verify("ring,recexch:radix=8", collective="allreduce", ranks="1-16")[0].ok

    algorithm: names ("ring" of the collective, "allreduce/ring"), a tutti.Algorithm, or a list of these; nothing: all of the
    collective, or all. ranks: numbers of ranks. root, count (elements): only these; else 0, 1 and the last, and 0, 1, P-1, P,
    3P+1, up to four segments, and beyond 2^32 on up to 5 ranks; numbers of ranks without that root are left out, which is a
    TuttiWarning. element (bytes): only elements of this size; else 4 in reductions and 1 elsewhere, some of twice as many and of 16. limit: seconds of processor
    time for a case, then it is endless. jobs: processes (as many as processors), which are started for it and end with
    it. Nothing is raised where something is refuted: each Verdict says so. Algorithms in Python take a few times as long as
    those in C++. Ctrl-C ends it at once.
    """
    named, own = split(algorithm)
    for choice in own:
        if not isinstance(choice, Choice) or choice._own.text != choice.algorithm.name:
            raise _core.InputError(f"{choice!r}: expected the algorithm without parameters: all that it says are tried get proven")
        if collective and choice.algorithm.collective != collective:
            raise _core.InputError(f"{choice.algorithm!r}: expected an algorithm of {collective}")
    with shown(progress, "proving", "parts") as update:
        rows, too_few = _core.verify(collective=collective, algorithms=named, own=[choice.algorithm._own for choice in own],
                                     ranks=listed("ranks", ranks), root=root, count=count, element=element, limit=limit,
                                     jobs=jobs_or_all(jobs), progress=update)
    if too_few:
        warnings.warn(f"left out: {', '.join(map(str, too_few))} ranks, which have no rank {root}", TuttiWarning, stacklevel=2)
    return [Verdict(**{**row, "refuted": row["refuted"] and Refutation(**row["refuted"])}) for row in rows]
