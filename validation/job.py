"""A job that does not outlive who started it."""
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable

ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT
GRACE_SECONDS = 10.0


def end(job: subprocess.Popen) -> None:
    """Asks all of its group, and insists where some are left after a while: a launcher has ranks elsewhere to end, though the shell that began it
    may be gone at once."""
    until = time.monotonic() + GRACE_SECONDS
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGTERM)
        while time.monotonic() < until:
            job.poll()
            os.killpg(job.pid, 0)  # raises where nobody is left
            time.sleep(0.02)
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
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # until there is a job to end

    def begin() -> None:
        os.setpgrp()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    try:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=begin, **options) as job:
            try:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                output, _ = job.communicate()
            except BaseException:
                set_handlers(signal.SIG_IGN)
                end(job)
                raise
        return subprocess.CompletedProcess(command, job.returncode, output)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
