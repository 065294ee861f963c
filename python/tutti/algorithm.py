"""Algorithms: those that there are, and those that are written here."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Optional, Union

from . import _core
from ._frames import frame

Parameter = Union[int, Mapping[str, Any]]


def algorithms(collective: str = "") -> Any:
    """The algorithms of a collective (of all): collective, name, rounds, messages, bytes (formulas in p ranks, n bytes and the
    parameters), parameters, constraints, cite (where they are described)."""
    return frame(_core.algorithms(collective))


class Algorithm:
    """An algorithm in Python, for simulate and verify. Made by the decorator `algorithm`."""

    def __init__(self, function: Callable[[_core.Comm, _core.Call], Any], own: _core._UserAlgorithm):
        self.function, self._own = function, own
        self.__doc__, self.__name__ = function.__doc__, own.name

    @property
    def name(self) -> str:
        return self._own.name

    @property
    def collective(self) -> str:
        return self._own.collective

    def using(self, **parameters: int) -> "Choice":
        """With these values of its parameters; sizes in bytes. For simulate."""
        return Choice(self, parameters)

    def __call__(self, comm: _core.Comm, call: _core.Call) -> Any:
        """Its body, for `yield from`, as a part of another one's call."""
        return self.function(comm, call)

    def __repr__(self) -> str:
        return f"<tutti.Algorithm {self.collective}/{self.name}>"


class Choice:
    """An algorithm in Python with values of its parameters."""

    def __init__(self, algorithm: Algorithm, parameters: Mapping[str, int]):
        self.algorithm = algorithm
        self._own = _core._UserChoice(algorithm._own, dict(parameters))

    def __repr__(self) -> str:
        return f"<tutti {self.algorithm.collective}/{self._own.text}>"


def parameter(name: str, given: Parameter) -> _core._Parameter:
    least = 0 if name == "segment" else 1  # a segment of 0 bytes is the whole vector
    if isinstance(given, Mapping):
        unknown = set(given) - {"default", "minimum", "maximum", "tried"}
        if unknown or "default" not in given:
            raise _core.InputError(f"parameter '{name}': expected default, and perhaps minimum, maximum and tried")
        return _core._Parameter(name, given["default"], given.get("minimum", least), given.get("maximum"), list(given.get("tried", [])))
    return _core._Parameter(name, given, least)


def algorithm(collective: str, *, name: Optional[str] = None, rounds: str = "", messages: str = "", bytes: str = "",
              ports: str = "", parameters: Optional[Mapping[str, Parameter]] = None, requires: Optional[tuple[str, str]] = None,
              commutative: bool = False, by_node: bool = False) -> Callable[[Callable[..., Any]], Algorithm]:
    """Makes an algorithm of a generator or an async function of (comm, call), which is run once for each rank.

    >>> @tutti.algorithm("bcast", rounds="p-1", messages="p-1", bytes="(p-1)*n")
    ... def around(comm, call):
    ...     "From rank to rank."
    ...     rank = (comm.rank - call.root) % comm.size
    ...     if rank > 0:
    ...         yield comm.recv((comm.rank - 1) % comm.size, call.output)
    ...     if rank < comm.size - 1:
    ...         comm.send((comm.rank + 1) % comm.size, call.output)

    Operations (comm.send, recv, recv_combine, copy, combine) post and return at once; `yield op`, `yield [op, op]` or
    `await comm.wait(op, op)` waits; `yield comm.blocking_send(…)` and `comm.exchange(…)` are what
    MPI_Send and MPI_Sendrecv are. The call ends when all that was posted is complete. Views name elements and hold no data, so
    that nothing can depend on data: what is proven once holds for all of it. `yield comm.call("bcast/binomial", call)` runs
    another algorithm, on comm or on comm.group("node").

    rounds, messages, bytes: formulas of exact counts, summed over the ranks (but for the rounds), in p ranks, n bytes in all,
    e bytes of an element, and the parameters; the proof holds the algorithm to them. What is not declared is not checked.
    parameters: name -> default, or {"default": 4, "minimum": 2, "maximum": 64, "tried": [2, 8]}; `segment` is a size in bytes,
    0: the whole vector.
    requires: a formula without which it cannot run, and what that needs: ("pow2(p)", "a power of two").
    commutative: operands may come in any order. by_node: it asks which ranks share a node. ports: messages that a rank may start
    in a round. At most 64 such algorithms live at a time.
    """
    def make(function: Callable[..., Any]) -> Algorithm:
        if not callable(function):
            raise TypeError("expected a function of (comm, call)")
        condition, text = requires or ("", "")
        own = _core._UserAlgorithm(function, collective, name or function.__name__, rounds, messages, bytes, ports, condition,
                                   text, [parameter(n, given) for n, given in (parameters or {}).items()], commutative, by_node)
        return Algorithm(function, own)
    return make


def split(given: Any) -> tuple[list[str], list[Any]]:
    """What is asked for by name, and the user's own."""
    all_of_them: Iterable[Any] = [given] if isinstance(given, (str, Algorithm, Choice)) else given
    named, own = [], []
    for one in all_of_them:
        if isinstance(one, str):
            named += [text for text in _core.split_choices(one) if text]
        elif isinstance(one, Algorithm):
            own.append(Choice(one, {}))
        elif isinstance(one, Choice):
            own.append(one)
        else:
            raise TypeError(f"expected an algorithm's name or a tutti.Algorithm, not {type(one).__name__}")
    return named, own
