"""The machine model of a lab: what its cables really let through."""
import re

from lab import LabError

# A full frame: 14 bytes of Ethernet, 20 of IP, 32 of TCP with time stamps, and the rest is the user's.
FRAME_BYTES = 1514
PAYLOAD_BYTES = FRAME_BYTES - 14 - 20 - 20
HOP_SECONDS = 5e-6
EAGER_BYTES = (1 << 20) + 4096  # as the lab sets up Open MPI: 1 MiB and its header
# No rate of a message on a host is above it, however little its time grows with its size.
CORE = {"bandwidth_bytes_per_second": 2e9, "latency_seconds": 0, "source": "a guess: what one core copies", "guess": True}
UNITS = {"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


def parse_rate(text: str) -> float:
    """"40mbit", as tc writes it, in bits per second."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(bit|kbit|mbit|gbit)", text.lower())
    rate = float(found.group(1)) * UNITS[found.group(2)] if found else 0
    if not 1e5 <= rate <= 1e10:
        raise LabError(f"--rate {text}: expected a rate from 100kbit to 10gbit, such as 40mbit")
    return rate


def parse_counts(option: str, text: str, what: str) -> list[int]:
    """"4x4", as many counts as `what` ("LEAVESxHOSTS") names."""
    counts = [int(word) if word.isdigit() else 0 for word in text.split("x")]
    if len(counts) != what.count("x") + 1 or min(counts) < 1:
        raise LabError(f"{option} {text}: expected {what}, each from 1 on")
    return counts


def channel(rate_bits_per_second: float) -> dict:
    """A cable. A full token bucket lets a lone frame pass at once: frames wait only for frames before them."""
    return {"bandwidth_bytes_per_second": round(rate_bits_per_second / 8 * PAYLOAD_BYTES / FRAME_BYTES, 1),
            "latency_seconds": HOP_SECONDS,
            "source": f"token bucket of {rate_bits_per_second / 1e6:g} Mbit/s, {PAYLOAD_BYTES} of {FRAME_BYTES} bytes of "
                      "a frame are the user's; a namespace hands a lone frame on in some microseconds",
            "guess": ["latency_seconds"]}


def fat_tree(text: str, taper: int, rate: float) -> dict:
    leaves, hosts = parse_counts("--fat-tree", text, "LEAVESxHOSTS")
    if taper < 1 or hosts % taper:
        raise LabError(f"--taper {taper}: expected a divisor of the {hosts} hosts of a leaf")
    return {"fat_tree": {"nodes_per_leaf": hosts,
                         "layers": [{"children": leaves, "parents": hosts // taper, **channel(rate)}],
                         "routing": "d-mod-k", "source": "as the lab was asked for"}}


def dragonfly(text: str, rate: float) -> dict:
    groups, routers, hosts = parse_counts("--dragonfly", text, "GROUPSxROUTERSxHOSTS")
    return {"dragonfly": {"groups": groups, "chassis_per_group": 1, "routers_per_chassis": routers,
                          "nodes_per_router": hosts, "global_cables": 1, "local": channel(rate),
                          "global": channel(rate), "routing": "minimal", "source": "as the lab was asked for"}}


def switch(text: str, rate: float) -> dict:
    hosts, = parse_counts("--switch", text, "HOSTS")
    return {"fat_tree": {"nodes_per_leaf": hosts, "layers": [], "routing": "d-mod-k", "source": "as the lab was asked for"}}


def on_host() -> dict:
    """Messages between ranks of one host: Open MPI sends them by TCP there, too, which no cable holds back."""
    return {"send_overhead_seconds": 10e-6, "receive_overhead_seconds": 10e-6, "gap_seconds": 0, "eager_limit_bytes": EAGER_BYTES,
            "rendezvous_seconds": 50e-6, "segments": [{"latency_seconds": 20e-6, "bandwidth_bytes_per_second": 1e9}],
            "source": "a guess: a kernel's TCP to itself; little beside the network", "guess": True}


def machine(name: str, network: dict, rate: float, ppn: int = 1) -> dict:
    """By models/machine.schema.json, for `ppn` ranks on each host. What only a measurement can tell is marked as a guess."""
    bandwidth = channel(rate)["bandwidth_bytes_per_second"]
    guess = "a guess until calibrated: the way through a kernel's TCP and back"
    return {
        "name": f"lab-{name}",
        "description": "An emulated cluster: network namespaces as hosts and switches, rate-limited links between them. "
                       "Switches queue without limit and never drop.",
        "network": network,
        "node": {"sockets": 1, "domains_per_socket": 1, "caches_per_domain": 1, "cores_per_cache": ppn,
                 **({"core": CORE} if ppn > 1 else {}), "nics": [{"domain": 0, **channel(rate)}],
                 "source": f"a host of the lab runs {'one rank' if ppn == 1 else f'{ppn} ranks'}"},
        "transport": {**({"cache": on_host()} if ppn > 1 else {}), "network": {
            "send_overhead_seconds": 20e-6, "receive_overhead_seconds": 20e-6, "gap_seconds": 0,
            "eager_limit_bytes": EAGER_BYTES, "rendezvous_seconds": 100e-6,
            "segments": [{"latency_seconds": 50e-6, "bandwidth_bytes_per_second": bandwidth}],
            "source": f"{guess}; the eager limit is what the lab sets for Open MPI",
            "guess": ["send_overhead_seconds", "receive_overhead_seconds", "gap_seconds", "rendezvous_seconds"]}},
        "compute": {
            "reduce": {"overhead_seconds": 1e-6, "seconds_per_byte": 1e-9,
                       "source": "a guess: little beside the network", "guess": True},
            "copy": {"overhead_seconds": 1e-6, "seconds_per_byte": 0.5e-9,
                     "source": "a guess: little beside the network", "guess": True}}}
