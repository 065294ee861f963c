"""Files that the module writes."""
from __future__ import annotations

import os
import stat
import tempfile
from typing import Any, Callable, Union


def is_stream(path: Any) -> bool:
    """A pipe or a device, which is written to and not replaced by a file."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def permissions(path: str) -> int:
    """Those of a file that is written over, or of any new one, also where a link lies: what that leads to says nothing of this file."""
    if os.path.isfile(path) and not os.path.islink(path):
        return stat.S_IMODE(os.stat(path).st_mode) & 0o777
    os.umask(mask := os.umask(0))
    return 0o666 & ~mask


def write(path: Any, content: Union[str, bytes], check: Callable[[str], None] = lambda beside: None) -> None:
    """Beside what `path` leads to, then renamed: nobody sees a part. `check` is given what is there before it is renamed, and may raise."""
    path = os.fspath(path)
    data = content.encode() if isinstance(content, str) else content
    if is_stream(path):
        with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as file:
            file.write(data)
        return
    path = os.path.realpath(path)
    try:
        descriptor, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".part", dir=os.path.dirname(path))
    except OSError as error:  # which names a file that nobody asked for
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        check(beside)
        os.chmod(beside, permissions(path))
        os.replace(beside, path)
    except BaseException:
        os.remove(beside)
        raise
