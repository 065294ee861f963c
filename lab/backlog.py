"""How many frames may wait for a processor: a limit of the whole machine, which a lab at work exceeds."""
import contextlib
import fcntl
import os
import sys

from lab import state

SETTING = "/proc/sys/net/core/netdev_max_backlog"
FORMER = state.ROOT + ".backlog"  # what it was before the first lab
FRAMES = 100_000


@contextlib.contextmanager
def former_value():
    """The file of the former value, empty at first; one process at a time."""
    os.makedirs(os.path.dirname(FORMER), exist_ok=True)
    with open(FORMER, "a+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        yield file


def raise_limit() -> None:
    """Frames over the limit are dropped, and a connection waits for seconds before it sends anything again."""
    try:
        with former_value() as file, open(SETTING, "r+", encoding="ascii") as setting:
            now = int(setting.read())
            if now >= FRAMES:
                return
            if not file.read():
                file.write(str(now))
                file.flush()
            setting.seek(0)
            setting.write(str(FRAMES))
    except OSError as error:
        print(f"tutti lab: {SETTING}: {error.strerror}: at full load the lab may lose frames, and with each some seconds",
              file=sys.stderr)


def restore_limit() -> None:
    """Call once the last lab is gone."""
    if state.labs() or not os.path.exists(FORMER):
        return
    with former_value() as file:
        if former := file.read():
            with open(SETTING, "w", encoding="ascii") as setting:
                setting.write(former)
        os.unlink(FORMER)
