"""Machines: what is known of them, and from where."""
from __future__ import annotations

import os
import warnings
from typing import Any, Union

from . import _core
from ._core import Machine
from ._frames import frame

AnyMachine = Union[str, "os.PathLike[str]", Machine]


def machine(name_or_file: AnyMachine) -> Machine:
    """Loads a machine, by its name (machines()) or from a file, which is checked against the schema.

    >>> tutti.machine("example-cluster").nodes

    Of a Machine: name, description, origin, text (JSON), nodes, cores_per_node, links, contention ("shared" or "none"), fitted
    (what its figures were fitted to; empty: nothing), message_seconds(from_core, to_core, bytes): of one message on the idle
    machine. Raises InputError "FILE:LINE: /json/pointer: what was expected".
    """
    if isinstance(name_or_file, Machine):
        return name_or_file
    loaded = _core.load_machine(os.fspath(name_or_file))
    for remark in loaded.warnings:
        warnings.warn(remark, stacklevel=2)
    return loaded


def machines() -> Any:
    """The machines that Tutti knows: name, nodes, cores_per_node, contention, figures and guesses (how many), description."""
    rows = []
    for name in _core.machine_names():
        known = _core.load_machine(name)
        all_figures = known._figures()
        rows.append({"name": name, "nodes": known.nodes, "cores_per_node": known.cores_per_node,
                     "contention": known.contention, "figures": len(all_figures),
                     "guesses": sum(row["guess"] for row in all_figures), "description": known.description})
    return frame(rows)


def figures(of: AnyMachine) -> Any:
    """All figures of a machine: pointer (into its JSON), value, source, guess (whether it is one)."""
    return frame(machine(of)._figures(), ["pointer", "value", "source", "guess"])
