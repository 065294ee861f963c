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
    return pandas.DataFrame(kept, columns=None if kept else list(columns))


def records(rows: Any) -> list[dict[str, Any]]:
    """The rows of what `frame` made."""
    return rows.to_dict("records") if hasattr(rows, "to_dict") else [dict(row) for row in rows]
