"""Starts a program that uses the runtime: one rank on each of a lab's first hosts."""
import ctypes
import os
import signal
import sys
import time

from lab import LabError, host, state

PR_SET_PDEATHSIG = 1
# Within this time the others have to notice that a rank has ended.
GRACE_SECONDS = 60


def become(lab: str, rank: int, ranks: int, meeting: str, command: list[str]) -> None:
    """In the child: never returns."""
    status = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.environ.update({"TUTTI_RANK": str(rank), "TUTTI_SIZE": str(ranks), "TUTTI_MEETING": meeting})
        host.run(lab, f"h{rank}", command)
    except LabError as error:
        print(f"tutti lab: rank {rank}: {error}", file=sys.stderr)
        status = 2
    finally:
        os._exit(status)


def wait_for_all(processes: dict[int, int]) -> int:
    """`processes`: ranks by process. The first exit status that is not 0, else 0."""
    result, deadline = 0, None
    while processes:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process == 0:
            if deadline and time.monotonic() > deadline:
                end_all(processes)
                deadline = None
            time.sleep(0.005)
            continue
        rank, code = processes.pop(process), os.waitstatus_to_exitcode(status)
        if code == 0:
            continue
        what = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        print(f"tutti lab: rank {rank} on h{rank} {what}", file=sys.stderr)
        result = result or (128 - code if code < 0 else code)
        deadline = deadline or time.monotonic() + GRACE_SECONDS
    return result


def end_all(processes: dict[int, int]) -> None:
    for process in processes:
        os.kill(process, signal.SIGKILL)


def run(lab: str, ranks: int, command: list[str]) -> int:
    hosts = len(state.record(lab)["hosts"])
    if not 1 <= ranks <= hosts:
        raise LabError(f"--ranks {ranks}: expected 1 to {hosts}, the lab's hosts")
    meeting = os.path.join(state.folder(lab), f"meeting-{os.getpid()}")
    processes: dict[int, int] = {}
    try:
        for rank in range(ranks):
            process = os.fork()
            if process == 0:
                become(lab, rank, ranks, meeting, command)
            processes[process] = rank
        return wait_for_all(processes)
    finally:  # also where a signal ends this
        end_all(processes)
        for process in processes:
            os.waitpid(process, 0)
        if os.path.exists(meeting):
            os.remove(meeting)
