"""Machines on a network that is made here: nodes, switches and the cables between them."""
from __future__ import annotations

import json
import math
import os
import re
from typing import Callable, Iterable, Mapping, Optional, Sequence, Union

from ._core import InputError, Machine
from ._files import is_stream, write
from .machines import AnyMachine, machine

Cable = Sequence[Union[str, int, float]]
Routing = Callable[[str, str], Union[str, "tuple[str, int]"]]


def network(base: AnyMachine, nodes: Mapping[str, str], cables: Iterable[Cable], file: Union[str, "os.PathLike[str]"], *,
            bandwidth: float, latency: float, routing: Optional[Routing] = None, source: str = "made in Python",
            name: Optional[str] = None) -> Machine:
    """`base` on another network. nodes: {node: the switch that it hangs on}. cables: (switch, switch), (switch, switch, count) or (switch,
    switch, count, bandwidth, latency), of those that differ. bandwidth (bytes per second and direction) and latency (seconds) are of all
    others. The list is written to `file` (CSV, docs/formats.md), where the machine finds it again; `source` says where it is from. name: the machine's in rows and
    tables (default: that of the base and the file's, "example-cluster-ring").

    >>> ring = tutti.network("example-cluster", {f"n{i}": f"s{i}" for i in range(8)}, [(f"s{i}", f"s{(i + 1) % 8}") for i in range(8)],
    ...                      "ring.csv", bandwidth=12.5e9, latency=200e-9)
    >>> tutti.simulate("allgather", machine=ring, nodes=8, ppn=1, bytes="64K", algorithm=["ring", "bruck"])

    Ways are shortest ones, among which the destination chooses; or those of `routing`, a function of (switch, node): to which switch the one sends
    what goes to the other, or (switch, cable), by which of several cables between the two, from 0 on. It is asked once for every switch and every
    node that hangs on another one; ways that go in a circle are refused. Around the ring above in one direction:

    >>> one_way = tutti.network(…, routing=lambda switch, node: f"s{(int(switch[1:]) + 1) % 8}")

    Raises InputError where a name cannot be one in such a list, or the cables make no network."""
    lines = [["node", node, switch] for node, switch in nodes.items()]
    for cable in cables:
        if isinstance(cable, str) or len(cable) not in (2, 3, 5):
            raise InputError(f"cables: {cable!r}: expected (switch, switch), with a count, or with a count, a bandwidth and a latency")
        if len(cable) > 2 and not hasattr(cable[2], "__index__"):
            raise InputError(f"cables: {cable!r}: expected a whole number of cables")
        lines.append(["cable", *(str(part) for part in cable)])
    if not (math.isfinite(bandwidth) and bandwidth > 0 and math.isfinite(latency) and latency >= 0):
        raise InputError(f"bandwidth {bandwidth}, latency {latency}: expected bytes per second above 0, and seconds from 0 on")
    if routing:
        lines += routes_of(nodes, lines, routing)
    for line in lines:
        for word in line:
            if not word or any(sign in word for sign in ",\n\r#") or word != word.strip():
                raise InputError(f"{word!r}: expected a name without commas, '#' and line breaks, and without blanks around it")
    path = os.path.abspath(os.fspath(file))
    loaded = machine(base)
    made = json.loads(loaded.text)
    for of_another_network in ("published", "calibration", "fitted", "larger_jobs", "$schema"):
        made.pop(of_another_network, None)
    channel = {"bandwidth_bytes_per_second": float(bandwidth), "latency_seconds": float(latency), "source": source}
    made["name"] = name or re.sub("[^A-Za-z0-9._-]", "-", f"{made['name']}-{os.path.splitext(os.path.basename(path))[0]}")
    made["description"] = f"Nodes of {loaded.name} on another network: {len(nodes)} nodes on {os.path.basename(path)}, {source}."
    made["network"] = {"graph": {"file": path, "cable": channel, "source": source}}
    if is_stream(path):
        raise InputError(f"{path}: expected a place for a file, which the machine reads again")

    def expect_network(beside: str) -> None:
        made["network"]["graph"]["file"] = beside
        try:
            machine(made)  # refuses what is no network before there is a file
        except InputError as error:
            made_line = lambda at: ",".join(lines[int(at[1]) - 1]) if int(at[1]) <= len(lines) else path  # what no file has yet
            raise InputError(re.sub(re.escape(beside) + r":(\d+)", made_line, str(error)).replace(beside, path)) from None

    write(path, "".join(",".join(line) + "\n" for line in lines), expect_network)
    made["network"]["graph"]["file"] = path
    return machine(made)


def routes_of(nodes: Mapping[str, str], lines: Iterable[Sequence[str]], routing: Routing) -> "list[list[str]]":
    """A line for every switch and every node of another one."""
    switches = dict.fromkeys(switch for kind, first, second, *_ in lines for switch in ([second] if kind == "node" else [first, second]))
    routes = []
    for switch in switches:
        for node, own in nodes.items():
            if switch == own:
                continue
            following = routing(switch, node)
            if isinstance(following, str):
                following = (following, 0)
            if not isinstance(following, tuple) or len(following) != 2 or not isinstance(following[0], str) or type(following[1]) is not int:
                raise InputError(f"routing({switch!r}, {node!r}): {following!r}: expected the next switch, or (switch, cable)")
            routes.append(["route", switch, node, following[0], str(following[1])])
    return routes
