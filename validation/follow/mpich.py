"""What an installed MPICH 5.0 (device ch4:ucx) sends between nodes."""
import os
import re
import subprocess

from validation.follow import probe


def is_launcher(program):
    """Whether it is hydra's mpiexec."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError:
        return False
    return "HYDRA" in done.stdout


class Mpich(probe.OpenMpi):
    """`ppn`: how many ranks, one after the other, have one node; 1: every message is between nodes. `make_believe`: ranks of one host are
    taken for ranks of several nodes. `environment`: of the library. `launch` and `place` as Open MPI's."""
    make_believe = True
    runs = r"MPICH|MVAPICH"

    def __init__(self, mpiexec, mpicc, ppn=1, environment=None, launch=None, place=None):
        self.mpirun, self.mpicc, self.start, self.place, self.ppn = mpiexec, mpicc, launch, place, ppn
        text = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
        found = re.search(r"HYDRA[\s\S]*?Version: +(\d+\.\d+)\.(\d+)", text)
        if not found:
            raise probe.ProbeError(f"{mpiexec} is not MPICH's")
        self.series, self.version = found.group(1), f"{found.group(1)}.{found.group(2)}"
        # Many ranks share a core: who waits lets others go on. On a node MPICH would go through shared memory alone after
        # its first calls, which are what the baseline stands for.
        self.environment = dict(os.environ, MPIR_CVAR_POLLS_BEFORE_YIELD="1", MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD="1000000",
                                **(environment or {}))

    def sources(self):
        return [*super().sources(), os.path.join(probe.HERE, "sent_by_mpich.c"), "-ldl"]

    def launch(self, ranks):
        return self.start or [self.mpirun, "-n", str(ranks)]

    def command(self, ranks, _rules):
        if not self.make_believe:
            return self.launch(ranks)
        ranks = len(self.hosts) if self.start else ranks
        if ranks % self.ppn:
            raise probe.ProbeError(f"expected a multiple of {self.ppn} ranks, found {ranks}")
        self.environment |= {"MPIR_CVAR_CLIQUES_BY_BLOCK": "1", "MPIR_CVAR_NUM_CLIQUES": str(ranks // self.ppn)}
        return self.launch(ranks)

    def between_nodes(self, matrix):
        """What of these messages can be seen."""
        return {(a, b): sent for (a, b), sent in matrix.items() if a // self.ppn != b // self.ppn}
