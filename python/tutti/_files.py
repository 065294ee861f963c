"""Files that the module writes."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Union


def write(path: Any, content: Union[str, bytes]) -> None:
    """Beside it, then renamed: nobody sees a part."""
    path = os.fspath(path)
    descriptor, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".part", dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.umask(mask := os.umask(0))
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        os.remove(beside)
        raise
