"""How MVAPICH2 2.3.7 finds what it runs, in calls after the sixteenth of a communicator (src/mpi/coll/*_osu.c), with what of ours
is that, or stands for it. Ranks are on nodes in order; types and buffers are plain; InfiniBand, CMA and its shared memory are on;
adapters that reduce or multicast are not."""

SKIPS_BELOW = 1025  # bytes of a call that go past the tables
SHARED = "on nodes MVAPICH2 goes through shared memory, for which messages between their ranks stand"
REMARKS = {
    "hier(": SHARED,
    "node=binomial": "within nodes MVAPICH2 picks among trees again, for which the binomial tree stands",
    "global=scatter_ring": "MVAPICH2 may hand pieces on within nodes while the ring turns",
    "non_overlapping": "MVAPICH2 picks its reduce again in it",
    "linear": SHARED,
}
FLAT = {"binomial": "binomial", "scatter_doubling_allgather": "scatter_recursive_doubling", "scatter_ring_allgather": "scatter_ring",
        "scatter_ring_allgather_shm": "scatter_ring"}
ON_NODES = ("few on nodes", "up to eight on nodes", "up to fifteen on nodes", "on nodes")
ONE_NODE = ("pairs on a node", "on a node")
SEGMENT = 8192


def not_ours(what):
    return {"not_ours": what}


class Tables:
    """Of the collectives, by ranks on a node; `lengths` are how many rows the library counts."""

    def __init__(self, rows, lengths, reduce_scatter):
        self.rows, self.lengths, self.reduce_scatter = rows, lengths, reduce_scatter

    def row(self, collective, kind, ranks):
        per_node = {"apart": 1, "uneven": 2, "pairs on a node": 2, "few on nodes": 2}.get(kind, 16)
        rows = self.rows[collective, per_node][:self.lengths[collective, per_node]]
        least, most = rows[0][0], rows[-1][0]
        if ranks > most:
            return rows[-1]
        return rows[max(0, ranks.bit_length() - least.bit_length())]

    @staticmethod
    def entry(entries, counted, size):
        """Which entry: by the powers of two that the size is above the first."""
        last = counted - 1
        if size > entries[last][0]:
            return last
        return max(0, size.bit_length() - entries[0][0].bit_length())

    def rank_limits(self, collective):
        limits = {rows[length - 1][0] + 1 for (name, per_node), length in self.lengths.items() if name == collective
                  for rows in [self.rows[name, per_node]]}
        return limits | ({row[0] + 1 for row in self.reduce_scatter} if collective == "reduce_scatter" else set())

    def size_limits(self, collective):
        limits = {entry[0] + 1 for (name, _), rows in self.rows.items() if name == collective
                  for row in rows for entry in row[3][-2:]}
        if collective == "reduce_scatter":
            limits |= {end + 1 for row in self.reduce_scatter for _, end, _ in row[1] if end > 0} | {131072}
        return limits


def short(function):
    for begin in ("MPIR_Bcast_", "MPIR_Allreduce_", "MPIR_Reduce_scatter_", "MPIR_Reduce_Scatter_", "MPIR_Reduce_", "MPIR_Allgather_",
                  "MPIR_Alltoall_", "MPIR_Scatter_MV2_", "MPIR_"):
        if function.startswith(begin):
            return function[len(begin):].removesuffix("_MV2")
    return function


def bcast(tables, kind, ranks, size, variant):
    _, numbers, marks, inter, intra = tables.row("bcast", kind, ranks)
    segment, between_radix, within_radix, counted, counted_within = numbers
    if size < SKIPS_BELOW and kind != "uneven":
        function, radix, within, marked = "Pipelined_Bcast_Zcpy", 8, "Shmem_Bcast", 1
        segment = SEGMENT
    else:
        at, at_within = tables.entry(inter, counted, size), tables.entry(intra, counted_within, size)
        function, radix, marked = short(inter[at][1]), inter[at][2] if len(inter[at]) > 2 else -1, marks[at]
        within = short(intra[at_within][1])
        radix = radix if radix > 0 else 2
        if within == "Knomial_Bcast_intra_node" and size < 128 * 1024:
            within = "Shmem_Bcast"
        if function == "Knomial_Bcast_inter_node_wrapper" and marked != 1:
            function = "binomial"
    if function == "Pipelined_Bcast_Zcpy":
        within = "Shmem_Bcast"
    on_node = "linear" if within == "Shmem_Bcast" else f"knomial:radix={within_radix}"
    if kind in ONE_NODE:
        return on_node
    cut = f"segment={segment}" if function.startswith("Pipelined") else ""
    tree = {"Pipelined_Bcast_Zcpy": radix, "Pipelined_Bcast": 2, "Knomial_Bcast_inter_node_wrapper": between_radix}.get(function)
    across = f"knomial:radix={tree}" if tree else FLAT[function]
    if kind == "apart":
        return across + (":" + cut if cut else "")
    return f"hier(node={on_node},global={across}{',' + cut if cut else ''})"


def allreduce(tables, kind, ranks, size, variant):
    commutes, even = variant.get("commutative", True), kind != "uneven"
    if even and commutes and 1 <= size <= 2048:
        return {"apart": "recursive_doubling", **dict.fromkeys(ONE_NODE, "linear")}.get(
            kind, "hier(node=linear,global=recursive_doubling,down=linear)")
    if even and size < SKIPS_BELOW:
        return "recursive_doubling"
    if even and size >= 2 << 20:
        if not commutes:
            return not_ours("a ring, or a reduce-scatter and an allgather, of operators that do not commute")
        return "ring"  # with many ranks a node as two calls, a reduce-scatter and an allgather, each of which takes a ring
    _, numbers, marks, inter, intra = tables.row("allreduce", kind, ranks)
    _, counted, counted_within = numbers
    at = tables.entry(inter, counted, size)
    function, within = short(inter[at][1]), short(intra[tables.entry(intra, counted_within, size)][1])
    if function.startswith("mcst"):
        function = "pt2pt_rd"
    across = {"pt2pt_rd": "recursive_doubling", "pt2pt_rs": "rabenseifner"}[function]
    if marks[at] == 1:
        if not commutes:
            return "recursive_doubling"
        if kind == "apart":
            return across
        if kind in ONE_NODE:
            return "linear" if within == "reduce_shmem" else not_ours("a reduce by a tree, and a broadcast through shared memory")
        on_node = "linear" if within == "reduce_shmem" else "binomial"
        return f"hier(node={on_node},global={across},down=linear)"
    if not commutes and across == "rabenseifner":
        return not_ours("a reduce-scatter and an allgather of operators that do not commute")
    return across


def reduce(tables, kind, ranks, size, variant):
    if not variant.get("commutative", True):
        return not_ours("a binomial tree that keeps the order of ranks")
    skips = size < SKIPS_BELOW and kind != "uneven"
    _, numbers, marks, inter, intra = tables.row("reduce", kind, ranks)
    between_radix, within_radix, counted, counted_within = numbers
    at = tables.entry(inter, counted, size)
    function, within = short(inter[at][1]), short(intra[tables.entry(intra, counted_within, size)][1])
    two_level = skips or marks[at] == 1
    by_halves = variant.get("built_in", True) and not variant.get("fewer_elements_than_power_of_two", False)
    across = {"inter_knomial_wrapper": f"knomial:radix={between_radix}", "binomial": "binomial",
              "redscat_gather": "rabenseifner"}[function]
    if not two_level:
        return across if by_halves or across != "rabenseifner" else "binomial"
    if kind in ONE_NODE:
        return "linear" if size <= 2048 else f"knomial:radix={within_radix}"
    if size <= 8192:
        return "knomial:radix=4" if kind == "apart" else "hier(node=linear,global=knomial:radix=4)"
    if kind == "apart":
        return across
    through_memory = within == "shmem" and size < 32768
    on_node = "linear" if through_memory else "binomial" if within == "binomial" else f"knomial:radix={within_radix}"
    return f"hier(node={on_node},global={across})"


def allgather(tables, kind, ranks, size, variant):
    _, numbers, _, inter, _ = tables.row("allgather", kind, ranks)
    function = short(inter[tables.entry(inter, numbers[0], size)][1])
    if function in ("Bruck", "Ring"):
        return function.lower()
    if not variant["power_of_two"]:
        return not_ours("recursive doubling that hands the rest on at its end")
    if function == "RD_Allgather_Comm" and kind in ON_NODES:
        return "permuted:order=cyclic:of=recursive_doubling"
    return "recursive_doubling"


def alltoall(tables, kind, ranks, size, variant):
    small = "total_bytes_below" in variant
    if size < SKIPS_BELOW and kind != "uneven":
        few = kind != "on nodes" and (kind != "on a node" or ranks < 16)
        return not_ours("an allgather of all blocks") if small and few and size < 32 else "bruck"
    _, numbers, _, inter, _ = tables.row("alltoall", kind, ranks)
    function = short(inter[tables.entry(inter, numbers[0], size)][1])
    if function == "RD":
        return not_ours("an allgather of all blocks") if small else "pairwise"
    if function == "Scatter_dest":
        return "scattered" if size < 65536 or kind in ONE_NODE else "scattered:window=4"
    return {"bruck": "bruck", "pairwise": "pairwise"}[function]


def scatter(tables, kind, ranks, size, variant):
    _, numbers, _, inter, intra = tables.row("scatter", kind, ranks)
    function = short(inter[tables.entry(inter, numbers[0], size)][1])
    within = short(intra[tables.entry(intra, numbers[1], size)][1])
    across = {"Direct": "linear", "Binomial": "binomial"}[function.removeprefix("two_level_")]
    if not function.startswith("two_level") or kind in ONE_NODE + ("apart",):
        return across
    if kind == "uneven":
        return not_ours("a scatter to nodes, and one on each")
    number = {"linear": 1, "binomial": 2, "Direct": 1, "Binomial": 2}
    return f"han:low={number[within]}:up={number[across]}"


def reduce_scatter(tables, kind, ranks, size, variant):
    if not variant.get("commutative", True):
        is_whole = variant.get("power_of_two") and variant.get("equal_blocks")
        return "noncommutative" if is_whole else "recursive_doubling"
    if size >= 131072:
        return "ring"
    rows = tables.reduce_scatter
    row = next((row for row in rows[:-1] if ranks <= row[0]), rows[-1])
    at = 0
    while at < row[2] - 1 and size > row[1][at][1] != -1:
        at += 1
    return {"Basic": "non_overlapping", "Rec_Halving": "recursive_halving", "Pair_Wise": "pairwise",
            "ring_2lvl": "ring"}[short(row[1][at][2])]


def barrier(tables, kind, ranks, size, variant):
    return {"apart": "recursive_doubling", **dict.fromkeys(ONE_NODE, "linear")}.get(
        kind, "hier(node=linear,global=recursive_doubling,down=linear)")


def gather(tables, kind, ranks, size, variant):
    return "binomial"  # where ranks are on nodes in order it leaves its tables aside


ANY = [{}]
NOT_IN_ORDER = [{"commutative": False}, {}]
PICKS = {  # the function, and the conditions on the call for which it says different things, the last for all that is left
    "allgather": (allgather, [{"power_of_two": True}, {"power_of_two": False}]),
    "allreduce": (allreduce, NOT_IN_ORDER),
    "alltoall": (alltoall, [{"total_bytes_below": 512}, {}]),
    "barrier": (barrier, ANY),
    "bcast": (bcast, ANY),
    "gather": (gather, ANY),
    "reduce": (reduce, [{"commutative": False}, {"built_in": False}, {"fewer_elements_than_power_of_two": True}, {}]),
    "reduce_scatter": (reduce_scatter, [{"commutative": False, "power_of_two": True, "equal_blocks": True}, *NOT_IN_ORDER]),
    "scatter": (scatter, ANY),
}
