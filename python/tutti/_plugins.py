"""Plug-ins: algorithms of one's own in shared objects."""
from __future__ import annotations

import os
from typing import Union

from . import _core

VARIABLE = "TUTTI_PLUGINS"


def load_plugin(file: Union[str, "os.PathLike[str]"]) -> list[str]:
    """Loads a shared object with algorithms of one's own in C++ (docs/plugins.md): this module and the programs that it starts then have them
    like any other. Returns the files of all that are loaded, absolute.

    >>> tutti.load_plugin("./libstar.so")
    >>> tutti.verify("star", collective="bcast", ranks="1-64")
    >>> tutti.simulate("bcast", machine="example-cluster", algorithm=["star", "binomial"], nodes=9, bytes="64K")

    Only before anything else looks at algorithms (simulate, verify, algorithms, tables …): best after `import tutti`, which itself loads what
    the variable TUTTI_PLUGINS names, with colons between. A file that is loaded already is not loaded again. It is code that runs with your
    rights, and stays loaded. Raises InputError where it is no plug-in, was made with the headers of another version, or has an algorithm
    whose name is taken.
    """
    _core.load_plugin(os.fspath(file))
    loaded = _core.plugins()
    os.environ[VARIABLE] = ":".join(loaded)  # for the programs
    return loaded


def plugins() -> list[str]:
    """The files of the plug-ins that are loaded, absolute, in that order."""
    return _core.plugins()


def load_those_of_environment() -> None:
    for file in os.environ.get(VARIABLE, "").split(":"):
        if file:
            load_plugin(file)
