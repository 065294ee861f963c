from collections.abc import Mapping, Sequence

__version__: str

class InputError(ValueError):
    """Bad input: one line that says file, line and what was expected."""


class Machine:
    """A machine that is loaded: tutti.machine(NAME or FILE)."""

    def __init__(self, *args) -> None: ...

    def __repr__(self) -> str: ...

    @property
    def name(self) -> str:
        """The machine's name."""

    @property
    def description(self) -> str:
        """One line on what it is."""

    @property
    def origin(self) -> str:
        """The name or file that was asked for."""

    @property
    def _identity(self) -> str: ...

    @property
    def _is_made(self) -> bool: ...

    @property
    def text(self) -> str:
        """Its JSON."""

    @property
    def nodes(self) -> int:
        """How many nodes it has."""

    @property
    def cores_per_node(self) -> int:
        """How many cores a node has."""

    @property
    def links(self) -> int:
        """How many directed links its network has."""

    @property
    def contention(self) -> str:
        """
        'shared' or 'none': whether the fabric's links divide their bandwidth among flows.
        """

    @property
    def fitted(self) -> str:
        """
        What its figures were fitted to, a line each; empty: nothing that was measured.
        """

    @property
    def warnings(self) -> list[str]:
        """Figures of the file that change no predicted time."""

    def _figures(self) -> list: ...

    def message_seconds(self, from_core: int, to_core: int, bytes: int) -> float:
        """
        Seconds that one message takes on the idle machine, its receiver waiting.
        """

def load_machine(name_or_path: str) -> Machine: ...

def parse_machine(text: str, origin: str) -> Machine: ...

def machine_names() -> list[str]: ...

class View:
    """Elements of one of a call's buffers: a name, no data."""

    @property
    def elements(self) -> int:
        """How many elements it names."""

    @property
    def is_contiguous(self) -> bool:
        """
        Whether it names one run of elements, as slice, every and excluding need it.
        """

    def slice(self, offset: int, count: int) -> View:
        """count elements from offset on."""

    def run(self, i: int) -> View:
        """The i-th run."""

    def every(self, offset: int, count: int, step: int) -> View:
        """
        count elements at offset, again every step elements, the last run clipped.
        """

    def excluding(self, offset: int, count: int) -> View:
        """All but count elements from offset on."""

    def __len__(self) -> int:
        """Elements."""

    def __eq__(self, arg: object, /) -> bool: ...

    def __repr__(self) -> str: ...

class Call:
    """One collective call as one rank sees it; sizes in elements."""

    @property
    def input(self) -> View:
        """
        What this rank reads; where it means nothing (a scatter away from the root), empty. Of a bcast the same as output.
        """

    @property
    def output(self) -> View:
        """
        What this rank writes; where it means nothing (a reduce away from the root), empty.
        """

    @property
    def root(self) -> int:
        """The root of a rooted collective."""

    @property
    def in_place(self) -> bool:
        """Whether input names the same elements as output."""

    @property
    def commutative(self) -> bool:
        """Whether operands may be combined in any order."""

    @property
    def element_bytes(self) -> int:
        """Bytes of an element."""

    def block(self, i: int, n: int = 1) -> View:
        """
        Block i of the buffer that is divided among ranks, or n blocks from i on.
        """

    def with_buffers(self, input: View, output: View, root: int = 0) -> Call:
        """The same call of other elements, for an inner call."""

    def parameter(self, name: str) -> int:
        """
        The value of a parameter that the algorithm declares; sizes (segment) in bytes.
        """

    def segment_elements(self, all: int) -> int:
        """
        Elements in a segment: the parameter segment in whole elements, at least one; 0 bytes: all.
        """

class Op:
    """A posted operation: yield it, or await it."""

    def __await__(self) -> object: ...

class Wait:
    def __await__(self) -> object: ...

class BlockingSend:
    def __await__(self) -> object: ...

class InnerCall:
    def __await__(self) -> object: ...

class Comm:
    """
    A rank's handle on its communicator. Operations post and return at once; nothing is ordered but by waiting.
    """

    @property
    def rank(self) -> int:
        """This rank's number, from 0."""

    @property
    def size(self) -> int:
        """How many ranks there are."""

    @property
    def is_member(self) -> bool:
        """Whether this rank belongs to it."""

    def send(self, to: int, what: View, lane: int = 0) -> Op:
        """Posts a send to a rank. Messages match in order per lane, 0 to 255."""

    def recv(self, source: int, into: View, lane: int = 0) -> Op:
        """Posts a receive from a rank."""

    def blocking_send(self, to: int, what: View, lane: int = 0) -> BlockingSend:
        """
        To yield, or to await: sends and waits for it, as MPI_Send does. Libraries may send so in another way.
        """

    def exchange(self, to: int, what: View, source: int, into: View, lane: int = 0) -> BlockingSend:
        """
        To yield, or to await: receives and sends, and waits for both, as MPI_Sendrecv does.
        """

    def make_requests(self, count: int) -> None:
        """
        Says that so many of the sends and receives that follow are persistent requests.
        """

    def recv_combine(self, source: int, to: View, own: View, incoming: str = 'right', lane: int = 0) -> Op:
        """
        Posts a receive that combines: to = own (op) message, or message (op) own where incoming is 'left'.
        """

    def copy(self, to: View, source: View) -> Op:
        """Posts a copy of as many elements; the views are identical or disjoint."""

    def combine(self, to: View, left: View, right: View) -> Op:
        """Posts to = left (op) right, element by element."""

    def scratch(self, elements: int) -> View:
        """Memory for so many elements, which lives as long as the call."""

    def wait(self, *args) -> Wait:
        """What to yield, or to await: all these operations."""

    def call(self, algorithm: object, call: Call, parameters: Mapping[str, int] = {}) -> InnerCall:
        """
        A call of another algorithm, 'bcast/binomial' or one in Python, on this communicator: yield it, or await it.
        """

    def group(self, level: str = 'node') -> Comm:
        """The ranks here that share this one's cache, numa domain, socket, node, leaf or group (of switches)."""

    def leaders(self, level: str = 'node') -> Comm:
        """
        The first rank of each of those; no member where is_member is false.
        """

    def peers(self, level: str = 'node') -> Comm:
        """Of each node the rank with this rank's number there."""

    def leader_of(self, rank: int, level: str = 'node') -> int:
        """The first rank on the node of a rank."""

    def rank_of(self, world_rank: int) -> int:
        """The number that one of all ranks has here; -1: none."""

def algorithms(collective: str = '') -> list: ...

def collectives() -> list[str]: ...

def split_choices(text: str) -> list[str]: ...

def baseline_names() -> list[str]: ...

def engine_names() -> list[str]: ...

class _Parameter:
    def __init__(self, name: str, default: int, minimum: int = 1, maximum: int | None = None, tried: Sequence[int] = []) -> None: ...

class _UserAlgorithm:
    def __init__(self, function: object, collective: str, name: str, rounds: str, messages: str, bytes: str, ports: str, requirement: str, requirement_text: str, parameters: Sequence[_Parameter], commutative: bool, by_node: bool) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def collective(self) -> str: ...

class _UserChoice:
    def __init__(self, algorithm: _UserAlgorithm, parameters: Mapping[str, int]) -> None: ...

    @property
    def text(self) -> str: ...

class _SimulatedCall:
    def row(self) -> dict: ...

    @property
    def time_us(self) -> float: ...

    @property
    def seconds_per_rank(self) -> list[float]: ...

    @property
    def bytes_per_level(self) -> dict[str, float]: ...

    @property
    def fault(self) -> str: ...

    def events(self) -> list: ...

    def critical_path(self) -> list: ...

    def bounds(self) -> list: ...

    def chrome_trace(self) -> str: ...

def simulate(*, machine: Machine, collective: str, algorithms: Sequence[str], own: Sequence[_UserChoice], nodes: str, ppn: str, ranks: str, placement: str, bytes: str, osu_sizes: str, engine: str, mode: str, op: str, root: int, element: int | None, in_place: bool, record: bool, check: bool, seed: int, jobs: int, counts: str, count_of_each: Sequence[int], neighbors: str, edges: Sequence[tuple[int, int]], progress: object | None) -> tuple: ...

def verify(*, collective: str, algorithms: Sequence[str], own: Sequence[_UserAlgorithm], ranks: str, root: int | None, count: int | None, element: int | None, limit: float | None, jobs: int, progress: object | None) -> tuple: ...

class _Table:
    @property
    def machine(self) -> str: ...

    @property
    def engine(self) -> str: ...

    @property
    def mode(self) -> str: ...

    @property
    def placement(self) -> str: ...

    @property
    def library(self) -> str: ...

    def rules(self) -> list: ...

    def cells(self) -> list: ...

    def look_up(self, collective: str, nodes: int, ppn: int, bytes: int) -> object: ...

    def to_json(self) -> str: ...

def read_table(arg: str, /) -> _Table: ...

def parse_table(text: str, origin: str) -> _Table: ...

def load_plugin(path: str) -> None: ...

def plugins() -> list[str]: ...
