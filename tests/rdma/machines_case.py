"""What the tests on machines share."""
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernel
import rig

BUILD = os.environ.get("TUTTI_BUILD", "build")


class MachinesCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.share = temporary.name

    def take(self, program):
        """Brings a program of the build to where the machines find it."""
        shutil.copy(os.path.join(BUILD, "tests", program), self.share)
        return f"/tmp/share/{program}"

    def run_machines(self, machines, command, seconds=400, **options):
        try:
            return rig.run(machines, self.share, command, seconds, **options)
        except kernel.Unavailable as error:
            self.skipTest(f"no test machines here: {error}")

    def output(self, machine):
        return rig.text(self.share, "output", machine)

    def expect_well(self, statuses):
        for machine, status in enumerate(statuses):
            self.assertEqual(status, 0, f"machine {machine}:\n{self.output(machine)}\n"
                                        f"console:\n{rig.text(self.share, 'console', machine)[-1000:]}")


def ranks_of(machine, machines, ranks):
    """First rank and number of ranks of a machine: block placement, the first machines get what is over."""
    each, over = divmod(ranks, machines)
    return machine * each + min(machine, over), each + (machine < over)


def collectives(program, transports, machines, counts):
    """A shell line that runs every algorithm on those numbers of ranks, one after another."""
    lines = ["status=0"]
    for number, ranks in enumerate(counts):
        for machine in range(machines):
            first, count = ranks_of(machine, machines, ranks)
            if count > 0:
                lines.append(f"[ $RIG_MACHINE != {machine} ] || {program} {transports} {ranks} {first} {count} "
                             f"{rig.address(0)} {7000 + number} || status=1")
    return "\n".join([*lines, "exit $status"])
