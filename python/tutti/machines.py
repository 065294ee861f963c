"""Machines: what is known of them, and from where."""
from __future__ import annotations

import json
import os
import warnings
from typing import Any, Mapping, Union

from . import _core
from ._core import Machine
from ._frames import frame

AnyMachine = Union[str, "os.PathLike[str]", Mapping[str, Any], Machine]


def machine(given: AnyMachine) -> Machine:
    """Loads a machine, by its name (machines()) or from a file, which is checked against the schema, as is a dictionary like one.

    >>> tutti.machine("example-cluster").nodes
    >>> changed = json.loads(tutti.machine("example-cluster").text)
    >>> changed["network"]["fat_tree"]["layers"][0]["bandwidth_bytes_per_second"] /= 3
    >>> tutti.machine(changed)

    Of a Machine: name, description, origin, text (JSON), nodes, cores_per_node, links, contention ("shared" or "none"), fitted
    (what its figures were fitted to; empty: nothing), message_seconds(from_core, to_core, bytes): of one message on the idle
    machine. Raises InputError "FILE:LINE: /json/pointer: what was expected".
    """
    if isinstance(given, Machine):
        return given
    if isinstance(given, Mapping):
        loaded = _core.parse_machine(json.dumps(anchored(given), indent=1), "machine")
    else:
        loaded = _core.load_machine(os.fspath(given))
    for remark in loaded.warnings:
        warnings.warn(remark, stacklevel=2)
    return loaded


def anchored(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the full path of the file that it names, wherever it is read from later."""
    network = given.get("network")
    graph = network.get("graph") if isinstance(network, Mapping) else None
    if not isinstance(graph, Mapping) or not isinstance(graph.get("file"), str):
        return given
    return {**given, "network": {**network, "graph": {**graph, "file": os.path.abspath(graph["file"])}}}


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
