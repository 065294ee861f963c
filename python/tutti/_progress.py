"""How far a long call is."""
from __future__ import annotations

import contextlib
import importlib.util
from typing import Any, Callable, Iterator, Optional, Union

Progress = Union[None, bool, Callable[[int, int], Any]]


@contextlib.contextmanager
def shown(progress: Progress, what: str, unit: str) -> Iterator[Optional[Callable[[int, int], Any]]]:
    """What to call with (done, total): `progress` itself; or tqdm's bar where tqdm is installed, after a second: True: always,
    None: on a terminal or in a notebook; or nothing."""
    if callable(progress):
        yield progress
        return
    if progress is False or importlib.util.find_spec("tqdm") is None:
        yield None
        return
    from tqdm.auto import tqdm
    with tqdm(desc=what, unit=f" {unit}", leave=False, delay=0 if progress else 1, disable=False if progress else None) as bar:
        def update(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)
        yield update
