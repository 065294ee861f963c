"""mvapich2_tables.py SOURCE [--baseline FILE] [--excerpt FILE]: what MVAPICH2 2.3.7 picks by itself where it takes the tables
of Stampede's nodes, from a folder with its source's src/mpi/coll. Writes selection/baselines/mvapich2-2.3.json and
tests/selection/baselines/mvapich2_tables.txt, the tables themselves, against which a test holds the former."""
import argparse
import json
import os
import re

from mvapich2_picks import PICKS, REMARKS, Tables, short

NAME = "INTEL_XEON_E5_2680_16_MLX_CX_FDR"
PER_NODE = (1, 2, 16)  # the tables that these nodes have, by ranks on each
COLLECTIVES = ("bcast", "allreduce", "reduce", "allgather", "alltoall", "scatter")
LARGEST = 1 << 17  # ranks up to which rows are looked for
KINDS = (  # where ranks are, and the conditions that say so after those before
    ("uneven", {"equal_nodes": False}),
    ("apart", {"hierarchical": False, "one_node": False}),
    ("pairs on a node", {"one_node": True, "ranks_per_node_below": 3}),
    ("on a node", {"one_node": True}),
    ("few on nodes", {"ranks_per_node_below": 3}),
    ("up to eight on nodes", {"ranks_per_node_below": 9}),
    ("up to fifteen on nodes", {"ranks_per_node_below": 16}),
    ("on nodes", {}))


def read_table(source, collective, per_node):
    """Rows of a header: (ranks, factors, two-level marks, sizes and functions between nodes, and those on nodes)."""
    path = os.path.join(source, "src/mpi/coll/tuning", collective, f"gen2_cma_{NAME}_{per_node}ppn.h")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S).replace("\\\n", " ")
    text = text[text.index("{"):].replace("&", "")
    text = re.sub(r"[A-Za-z_][A-Za-z_0-9]*", lambda word: f'"{word.group()}"', text).replace("{", "[").replace("}", "]")
    rows, _ = json.JSONDecoder().raw_decode(re.sub(r",\s*\]", "]", text))
    return [row_of(row) for row in rows]


def row_of(row):
    ranks, numbers, lists = row[0], [], []
    for part in row[1:]:
        (lists if isinstance(part, list) else numbers).append(part)
    marks = lists.pop(0) if isinstance(lists[0][0], int) else []
    sizes = [entries for entries in lists if isinstance(entries[0], list)]
    return ranks, numbers, marks, sizes[0], sizes[1] if len(sizes) > 1 else []


def size_rules(pick, sizes):
    """Steps of one algorithm each."""
    steps = []
    for at, size in enumerate(sizes):
        said = pick(size)
        if steps and steps[-1][1] == said:
            steps[-1][0] = sizes[at + 1] if at + 1 < len(sizes) else None
        else:
            steps.append([sizes[at + 1] if at + 1 < len(sizes) else None, said])
    return steps


def rule_of(conditions, steps):
    rule = dict(conditions)
    if len(steps) == 1:
        rule["use"] = steps[0][1]
    else:
        rule["by_bytes"] = steps
    remarks = sorted({REMARKS[word] for _, said in steps if isinstance(said, str) for word in REMARKS if word in said})
    if remarks:
        rule["remark"] = "; ".join(remarks)
    return rule


def rank_rules(conditions, pick, ranks, sizes):
    """Rules for numbers of ranks that ascend, of which those that say the same are one."""
    rules, last = [], None
    for at, number in enumerate(ranks):
        steps = size_rules(lambda size, number=number: pick(number, size), sizes)
        limit = {"ranks_below": ranks[at + 1]} if at + 1 < len(ranks) else {}
        if last == steps:
            rules.pop()
        rules.append(rule_of({**limit, **conditions}, steps))
        last = steps
    return rules


def collective_rules(tables, collective):
    """By where ranks are; ranks on a node that say what more of them say have no rules of their own."""
    pick, variants = PICKS[collective]
    ranks = sorted({1} | {1 << i for i in range(1, LARGEST.bit_length())} | tables.rank_limits(collective))
    sizes = sorted({0} | {1 << i for i in range(27)} | {1025, 2049, 8193, 32769} | tables.size_limits(collective))
    def rules_of(kind, where):
        rules = []
        for variant in variants:
            if kind == "uneven" and "total_bytes_below" in variant:
                variant = {"total_bytes_below": 513}
            rules += rank_rules({**variant, **where}, lambda number, size, v=variant: pick(tables, kind, number, size, v), ranks, sizes)
        return rules

    def but_for(where, key):
        return {name: value for name, value in where.items() if name != key}

    rules = []
    for (kind, where), (next_kind, next_where) in zip(KINDS, KINDS[1:] + ((None, None),)):
        per_node = but_for(where, "ranks_per_node_below")
        if next_kind and per_node == but_for(next_where, "ranks_per_node_below") and \
                rules_of(kind, per_node) == rules_of(next_kind, per_node):
            continue
        rules += rules_of(kind, where)
    return rules


def text_of(baseline):
    """A rule a line."""
    lines = json.dumps({key: value for key, value in baseline.items() if key != "collectives"}, indent=1)[:-2] + ",\n"
    parts = []
    for collective, said in sorted(baseline["collectives"].items()):
        rules = ",\n    ".join(json.dumps(rule) for rule in said["rules"])
        parts.append(f'  "{collective}": {{\n   "bytes_of": "{said["bytes_of"]}",\n   "rules": [\n    {rules}\n   ]\n  }}')
    return lines + ' "collectives": {\n' + ",\n".join(parts) + "\n }\n}\n"


def excerpt_of(tables):
    """Of the rows that count, in few words."""
    lines = ["# collective, ranks a node, ranks, factors, then size=function/two-level/radix of all sizes, | and those on nodes"]
    for (collective, per_node), rows in tables.rows.items():
        for ranks, numbers, marks, inter, intra in rows[:tables.lengths[collective, per_node]]:
            between = " ".join(f"{entry[0]}={short(entry[1])}/{marks[i] if i < len(marks) else 0}/{entry[2] if len(entry) > 2 else -1}"
                               for i, entry in enumerate(inter))
            on = " ".join(f"{entry[0]}={short(entry[1])}" for entry in intra)
            lines.append(f"{collective} {per_node} {ranks} {','.join(map(str, numbers))} {between} | {on}".rstrip())
    return "\n".join(lines) + "\n"


def read_reduce_scatter(source):
    """Rows of what stands in the source for all that it does not know: (ranks, ranges with their functions, how many count)."""
    with open(os.path.join(source, "src/mpi/coll/red_scat_tuning.c"), encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("#endif /* !CHANNEL_PSM */"):]
    text = text[text.index("mv2_size_red_scat_tuning_table = 7"):]
    rows = re.findall(r"\{\s*(\d+),\s*(\d+),\s*\{((?:\s*\{[^{}]*\},?)+)\s*\},?\s*\}", text)[:7]
    return [(int(ranks), [(int(begin), int(end), function) for begin, end, function in
                          re.findall(r"\{(-?\d+), (-?\d+), &(\w+)\}", ranges)], int(counted)) for ranks, counted, ranges in rows]


def read_lengths(source, collective):
    """How many rows of each table the library counts where it does not know the processor: the last branch of its source."""
    with open(os.path.join(source, f"src/mpi/coll/{collective}_tuning.c"), encoding="utf-8") as file:
        text = file.read()
    text = re.split(r"#elif defined ?\((?:CHANNEL_PSM|CHANNEL_NEMESIS_IB)\)|#else /\* !CHANNEL_PSM \*/", text[text.index("int MV2_set_"):])[0]
    text = text[text.rindex("MV2_IS_ARCH_HCA_TYPE"):]
    text = text[re.search(r"\belse\b", text).end():]
    lengths = {}
    for at, per_node in enumerate(PER_NODE):
        assert re.search(rf"ppn_conf\[{at}\] = {per_node};", text), (collective, per_node)
        lengths[collective, per_node] = int(re.search(rf"if \(g_smp_use_cma\) \{{\s*mv2_size_\w+\[{at}\] = (\d+);", text).group(1))
    return lengths


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("--baseline", help="where selection/baselines/mvapich2-2.3.json is written")
    parser.add_argument("--excerpt", help="where the tables are written")
    arguments = parser.parse_args()
    rows, lengths = {}, {}
    for collective in COLLECTIVES:
        lengths.update(read_lengths(arguments.source, collective))
        for per_node in PER_NODE:
            rows[collective, per_node] = read_table(arguments.source, collective, per_node)
    tables = Tables(rows, lengths, read_reduce_scatter(arguments.source))
    baseline = {
        "name": "mvapich2-2.3",
        "description": "Default selection of MVAPICH2 2.3 with InfiniBand on processors and adapters that it does not know, for "
                       "which it takes the tables of Stampede's nodes; in calls after the sixteenth of a communicator, the first "
                       "of which are flat",
        "source": "src/mpi/coll/*_osu.c, src/mpi/coll/*_tuning.c, src/mpi/coll/tuning/*/gen2_cma_" + NAME + "_*ppn.h of MVAPICH2 "
                  "2.3.7 (checks/mvapich2_tables.py)",
        "component": "OSU", "same_as": "mpich",
        "collectives": {collective: {"bytes_of": "block" if collective in ("allgather", "alltoall", "gather", "scatter") else "total",
                                     "rules": collective_rules(tables, collective)} for collective in PICKS}}
    for path, text in ((arguments.baseline, text_of(baseline)), (arguments.excerpt, excerpt_of(tables))):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


if __name__ == "__main__":
    main()
