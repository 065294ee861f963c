"""Rows, as a frame where pandas is."""
from __future__ import annotations

import importlib.util
from typing import Any, Iterable, Mapping


def frame(rows: Iterable[Mapping[str, Any]], columns: Iterable[str] = ()) -> Any:
    """A pandas.DataFrame; a list of dictionaries where pandas is not installed. `columns`: of no rows."""
    kept = [dict(row) for row in rows]
    if importlib.util.find_spec("pandas") is None:
        return kept
    import pandas
    made = pandas.DataFrame(kept, columns=None if kept else list(columns))
    for name in made.columns:
        values = [row[name] for row in kept]
        if None in values and all(value is None or type(value) is int for value in values):
            made[name] = pandas.array(values, dtype="Int64")  # whole numbers stay whole beside what is open
    return made


def records(rows: Any) -> list[dict[str, Any]]:
    """The rows of what `frame` made."""
    return rows.to_dict("records") if hasattr(rows, "to_dict") else [dict(row) for row in rows]
