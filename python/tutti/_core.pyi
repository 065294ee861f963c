from collections.abc import Mapping, Sequence

from tutti import InputError as InputError


class Machine:
    def __init__(self, *args) -> None: ...

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def origin(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def nodes(self) -> int: ...

    @property
    def cores_per_node(self) -> int: ...

    @property
    def links(self) -> int: ...

    @property
    def contention(self) -> str: ...

    @property
    def fitted(self) -> str: ...

    @property
    def warnings(self) -> list[str]: ...

    def message_seconds(self, from_core: int, to_core: int, bytes: int) -> float: ...

def load_machine(name_or_path: str) -> Machine: ...

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
        """The ranks that share this one's node, socket or numa domain."""

    def leaders(self, level: str = 'node') -> Comm:
        """
        The first rank of each node, socket or numa domain; no member where is_member is false.
        """

    def peers(self, level: str = 'node') -> Comm:
        """Of each node the rank with this rank's number there."""

    def leader_of(self, rank: int, level: str = 'node') -> int:
        """The first rank on the node of a rank."""

    def rank_of(self, world_rank: int) -> int:
        """The number that one of all ranks has here; -1: none."""

def algorithms(collective: str = '') -> list: ...

def collectives() -> list[str]: ...

def baseline_names() -> list[str]: ...

def engine_names() -> list[str]: ...

def simulate(*, machine: Machine, collective: str, algorithms: Sequence[str], own: Sequence[_UserChoice], nodes: str, ppn: str, ranks: str, placement: str, bytes: str, osu_sizes: str, engine: str, mode: str, op: str, root: int, element: int | None, in_place: bool, record: bool, check: bool, seed: int, jobs: int, progress: object | None) -> tuple: ...

def verify(*, collective: str, algorithms: Sequence[str], own: Sequence[_UserAlgorithm], ranks: str, root: int | None, count: int | None, limit: float | None, jobs: int, progress: object | None) -> list: ...

def read_table(arg: str, /) -> _Table: ...

def parse_table(text: str, origin: str) -> _Table: ...
