"""What a lab is made of, from the links and routes of a machine: namespaces, cables, addresses, forwarding tables."""
import collections
import dataclasses
import json
import os
import subprocess

from lab import LabError

MOST_HOSTS = 1024


@dataclasses.dataclass(frozen=True)
class Port:
    """One end of a cable: a device in a namespace, and the rate at which it sends."""
    namespace: str  # without the lab's name: "h3", "s0"
    device: str
    mac: str
    bits_per_second: float


@dataclasses.dataclass(frozen=True)
class Route:
    """Packets for `destination` leave `namespace` by `device` to the neighbour there. None: all destinations."""
    namespace: str
    device: str
    destination: str | None


@dataclasses.dataclass
class Layout:
    hosts: list[str]
    switches: list[str]
    cables: list[tuple[Port, Port]]
    routes: list[Route]

    def namespaces(self) -> list[str]:
        return self.hosts + self.switches


def address(host: int) -> str:
    return f"10.{100 + host // 250}.{host % 250 + 1}.1"


def short_name(end: str) -> str:
    """"node/3" -> "h3", "switch/0" -> "s0"."""
    kind, number = end.split("/")
    return {"node": "h", "switch": "s"}[kind] + number


def read_network(machine_file: str) -> dict:
    """The links and routes as the simulator has them (tutti machine FILE --routes)."""
    done = subprocess.run([os.environ["TUTTI_PROGRAM"], "machine", machine_file, "--routes"], capture_output=True, text=True)
    if done.returncode:
        raise LabError(done.stderr.strip().removeprefix("tutti: "))
    return json.loads(done.stdout)


def make_cables(links: list[dict], payload_share: float) -> tuple[list[tuple[Port, Port]], dict[int, str]]:
    """Cables, and the device by which each link leaves its namespace. The k-th link from a to b and the k-th from b to a
    are one cable."""
    waiting: dict[tuple[str, str], list[int]] = collections.defaultdict(list)
    cables, device_of = [], {}
    count: dict[str, int] = collections.Counter()

    def port(link: int) -> Port:
        namespace = short_name(links[link]["from"])
        device = "eth0" if namespace.startswith("h") else f"p{count[namespace]}"
        count[namespace] += 1
        device_of[link] = device
        number = 2 * len(cables) + (namespace > short_name(links[link]["to"]))
        mac = "02:" + ":".join(f"{number:010x}"[i:i + 2] for i in range(0, 10, 2))
        return Port(namespace, device, mac, links[link]["bandwidth_bytes_per_second"] * 8 / payload_share)

    for number, link in enumerate(links):
        if link["from"] == link["to"]:
            raise LabError(f"{link['name']}: expected a machine whose nodes are one core and one network adapter each")
        back = waiting[link["to"], link["from"]]
        if back:
            cables.append((port(back.pop(0)), port(number)))
        else:
            waiting[link["from"], link["to"]].append(number)
    one_way = [links[i]["name"] for rest in waiting.values() for i in rest]
    if one_way:
        raise LabError(f"{one_way[0]}: expected a route in the other direction too")
    return cables, device_of


def make_routes(network: dict, device_of: dict[int, str]) -> list[Route]:
    """A namespace forwards by destination alone, so all routes to a host must agree wherever they meet."""
    routes = {(f"h{host}", None): "eth0" for host in range(network["nodes"])}
    for route in network["routes"]:
        destination = address(route["to"])
        for link in route["links"]:
            namespace = short_name(network["links"][link]["from"])
            if namespace.startswith("h"):
                continue
            device = routes.setdefault((namespace, destination), device_of[link])
            if device != device_of[link]:
                raise LabError(f"switch {namespace[1:]}: expected one way to host {route['to']}, but routes from different "
                               "hosts leave it by different cables")
    return [Route(namespace, device, destination) for (namespace, destination), device in routes.items()]


def make_layout(network: dict, payload_share: float) -> Layout:
    """`payload_share`: of a frame's bytes, those that the machine's bandwidths count."""
    if not 2 <= network["nodes"] <= MOST_HOSTS:
        raise LabError(f"expected 2 to {MOST_HOSTS} hosts, the machine has {network['nodes']} nodes")
    cables, device_of = make_cables(network["links"], payload_share)
    switches = sorted({port.namespace for cable in cables for port in cable if port.namespace.startswith("s")},
                      key=lambda name: int(name[1:]))
    return Layout([f"h{host}" for host in range(network["nodes"])], switches, cables, make_routes(network, device_of))
