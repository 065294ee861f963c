"""A job that does not outlive who started it."""
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable

ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
GRACE_SECONDS = 10.0


def end(job: subprocess.Popen) -> None:
    """Asks all of its group, then insists."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(GRACE_SECONDS)
        os.killpg(job.pid, signal.SIGKILL)


def leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def set_handlers(handler: Callable | signal.Handlers) -> dict:
    """Of those that nohup and the like have not set to be ignored; returns those before."""
    return {number: signal.signal(number, handler) for number in ENDING if signal.getsignal(number) != signal.SIG_IGN}


def run_job(command: list[str], **options) -> subprocess.CompletedProcess:
    """As subprocess.run, without an input and in a group of its own, which is ended where this process is told to end: a launcher and
    its ranks would go on and take the nodes from whatever comes next."""
    before = set_handlers(leave)
    try:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=os.setpgrp, **options) as job:
            try:
                output, _ = job.communicate()
            except BaseException:
                set_handlers(signal.SIG_IGN)
                end(job)
                raise
        return subprocess.CompletedProcess(command, job.returncode, output)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
