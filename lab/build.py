"""Makes a layout real with netlink, and takes it down again."""
import contextlib
import os
import signal

from pyroute2 import IPRoute, netns

from lab import backlog, state
from lab.layout import Layout, Port, address
from lab.shapes import FRAME_BYTES

# A queue holds all that all hosts can have in flight towards one of them, so that nothing is dropped.
BUFFER_BYTES = 8 << 20
QUEUE_BYTES_PER_HOST = BUFFER_BYTES
# A frame and a half: tokens that a full bucket cannot hold are lost to the rate, and the kernel's clock may be late by half a frame.
BUCKET_BYTES = FRAME_BYTES * 3 // 2
SYSCTLS = {
    "ipv4/ip_forward": "1",
    "ipv6/conf/all/disable_ipv6": "1",
    "ipv6/conf/default/disable_ipv6": "1",
    # No slow start after an idle period, and no pacing by an estimate of the rate (as BBR does).
    "ipv4/tcp_slow_start_after_idle": "0",
    "ipv4/tcp_congestion_control": "reno",
    # Nothing is lost, but a megabyte waits in a queue for longer than TCP's timers expect, and processors reorder frames: no
    # tail-loss probes, no early retransmission, no segment refused for its old time stamp.
    "ipv4/tcp_early_retrans": "0",
    "ipv4/tcp_recovery": "0",
    "ipv4/tcp_reordering": "300",
    "ipv4/tcp_max_reordering": "4000",
    "ipv4/tcp_timestamps": "0",
    # A host's connections share its cable frame by frame, as an adapter's queue pairs do.
    "ipv4/tcp_limit_output_bytes": str(2 * FRAME_BYTES),
    # Windows hold a whole message, so that no sender waits for acknowledgements.
    "ipv4/tcp_rmem": f"4096 {BUFFER_BYTES} {BUFFER_BYTES}",
    "ipv4/tcp_wmem": f"4096 {BUFFER_BYTES} {BUFFER_BYTES}",
}
INITIAL_WINDOW_FRAMES = 4000
LEAST_TIMEOUT_MILLISECONDS = 20_000
RTAX_RTO_MIN = 13  # linux/rtnetlink.h


INTERRUPTS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


@contextlib.contextmanager
def uninterrupted():
    """Blocks interrupts until the end of the block, in child processes, too."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Namespaces:
    """Netlink sockets into the namespaces of a lab; the process itself stays where it is."""

    def __init__(self, lab: str):
        self.lab = lab
        self.sockets: dict[str, IPRoute] = {}

    def __enter__(self) -> "Namespaces":
        return self

    def __exit__(self, *_) -> None:
        for socket in self.sockets.values():
            socket.close()

    def create(self, place: str) -> None:
        name = state.namespace(self.lab, place)
        with uninterrupted():  # whoever takes the lab down kills all that is in a namespace of it: this process is not, then
            netns.create(name)
            netns.pushns(name)  # a netlink socket stays in the namespace in which it was opened
            try:
                self.sockets[place] = IPRoute()
                for key, value in SYSCTLS.items():
                    with contextlib.suppress(FileNotFoundError):  # of IPv6, where the kernel has none
                        with open(f"/proc/sys/net/{key}", "w", encoding="ascii") as file:
                            file.write(value)
            finally:
                netns.popns()
        self.sockets[place].link("set", index=self.index(place, "lo"), state="up")

    def index(self, place: str, device: str) -> int:
        return self.sockets[place].link_lookup(ifname=device)[0]


def lay_cable(namespaces: Namespaces, ends: tuple[Port, Port], hosts: int) -> None:
    here, there = ends
    namespaces.sockets[here.namespace].link(
        "add", kind="veth", ifname=here.device, address=here.mac,
        peer={"ifname": there.device, "address": there.mac,
              "net_ns_fd": state.namespace(namespaces.lab, there.namespace)})
    for port in ends:
        socket, index = namespaces.sockets[port.namespace], namespaces.index(port.namespace, port.device)
        socket.link("set", index=index, state="up", mtu=FRAME_BYTES - 14, gso_max_segs=1)
        socket.tc("add", "tbf", index, root=True, rate=f"{round(port.bits_per_second)}bit", burst=BUCKET_BYTES,
                  limit=hosts * QUEUE_BYTES_PER_HOST)


def neighbour_address(place: str) -> str:
    """Switches need none of their own to forward; this is only the name of the other end of a cable."""
    return "169.254.1.1" if place.startswith("h") else "169.254.1.2"


def set_routes(namespaces: Namespaces, layout: Layout) -> None:
    """With static neighbour entries, so that no ARP request goes over the cables."""
    other_end = {(port.namespace, port.device): other for cable in layout.cables
                 for port, other in (cable, reversed(cable))}
    for number, host in enumerate(layout.hosts):
        namespaces.sockets[host].addr("add", index=namespaces.index(host, "eth0"), address=address(number), prefixlen=32)
    index_of = {}
    for (place, device), other in other_end.items():
        index = index_of[place, device] = namespaces.index(place, device)
        namespaces.sockets[place].neigh("add", dst=neighbour_address(other.namespace), lladdr=other.mac, ifindex=index,
                                        state=128)  # permanent
    for route in layout.routes:
        fields = {"oif": index_of[route.namespace, route.device], "flags": 4,  # onlink
                  "gateway": neighbour_address(other_end[route.namespace, route.device].namespace),
                  "dst": f"{route.destination}/32" if route.destination else "default"}
        if route.destination is None:
            fields["metrics"] = {"initcwnd": INITIAL_WINDOW_FRAMES, "rto_min": LEAST_TIMEOUT_MILLISECONDS,
                                 "lock": 1 << RTAX_RTO_MIN}  # not locked, it is not heeded
        namespaces.sockets[route.namespace].route("add", **fields)


def namespace_behind(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


def processes_in(namespaces: list[str]) -> list[int]:
    """Of these namespaces alone: others come and go with other labs meanwhile, which pyroute2's ns_pids() does not survive."""
    wanted, found = set(), []
    for name in namespaces:
        with contextlib.suppress(FileNotFoundError):
            wanted.add(namespace_behind(os.path.join(state.NAMESPACES, name)))
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):  # it has ended, or is not ours
            if namespace_behind(f"/proc/{pid}/ns/net") in wanted:
                found.append(int(pid))
    return found


def take_down(lab: str) -> None:
    """Ends what runs in the lab and removes all of it, also what a killed `up` left."""
    with uninterrupted():
        names = state.namespaces_of(lab)
        for pid in processes_in(names):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # another `down` of this lab was faster
                netns.remove(name)
        state.remove(lab)
        backlog.restore_limit()


def build(lab: str, layout: Layout) -> None:
    backlog.raise_limit()
    with Namespaces(lab) as namespaces:
        for place in layout.namespaces():
            namespaces.create(place)
        for cable in layout.cables:
            lay_cable(namespaces, cable, len(layout.hosts))
        set_routes(namespaces, layout)
