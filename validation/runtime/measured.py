"""The table with what was measured in it: docs/formats.md, tables/table.schema.json."""
from validation.decided import decide, place_of, table_text
from validation.table import Cell
from validation.verdict import Verdict


def with_measurements(table: dict, verdicts: list[Verdict], times_us: dict[Cell, dict[str, float]], decided: bool) -> str:
    """`table`: as it was read; `times_us`: medians by algorithm, of those that were measured to the end. `decided`: the table's times and
    rules follow them."""
    regret = {verdict.plan.cell: verdict.regret.value for verdict in verdicts}
    for cell in table["cells"]:
        if measured := times_us.get(place_of(cell)):
            cell["measured_us"] = dict(sorted(measured.items()))
    if decided:
        decide(table, times_us)
        return table_text(table)
    for rule in table["rules"]:
        most = rule["to_bytes"]
        found = [value for cell, value in regret.items()
                 if (cell.collective, cell.nodes, cell.ppn) == (rule["collective"], rule["nodes"], rule["ppn"])
                 and rule["from_bytes"] <= cell.bytes and (most is None or cell.bytes <= most)]
        if found:
            rule["measured_regret"] = max(0.0, max(found) - 1)
    return table_text(table)
