"""Hosts of a lab, with networks of their own, under Open MPI 5.0. Needs root."""
import os
import shlex
import subprocess

from validation.follow import probe


class LabHosts:
    """`nodes` hosts on one switch with `ppn` ranks each; `launch` is the beginning of a command that starts them."""

    def __init__(self, tutti, mpirun, nodes, ppn):
        self.tutti, self.name = tutti, f"follow{os.getpid()}"
        self.lab("up", "--switch", str(nodes), "--rate", "400mbit")
        self.launch = [tutti, "lab", "run", "--name", self.name, "--", mpirun, "-np", str(nodes * ppn), "--map-by",
                       f"ppr:{ppn}:node:oversubscribe"]

    def lab(self, verb, *arguments):
        done = subprocess.run([self.tutti, "lab", verb, "--name", self.name, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise probe.ProbeError(done.stderr.strip())

    def text(self):
        return shlex.join(self.launch)

    def close(self):
        self.lab("down")
