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


def bring(program, share):
    """Where the machines have it that find the share in theirs: in memory, from before the command on."""
    programs = os.path.join(share, "programs")
    os.makedirs(programs, exist_ok=True)
    shutil.copy(program, programs)
    return f"/tmp/programs/{os.path.basename(program)}"


class MachinesCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.share = temporary.name

    def take(self, program):
        """Brings a program of the build to where the machines find it."""
        return bring(os.path.join(BUILD, "tests", program), self.share)

    def take_source(self, script):
        """Brings a script of the tests of the runtime."""
        return bring(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", script), self.share)

    def run_machines(self, machines, command, seconds=400, **options):
        try:
            return rig.run(machines, self.share, command, seconds, **options)
        except kernel.Unavailable as error:
            self.skipTest(f"no test machines here: {error}")

    def output(self, machine):
        return rig.text(self.share, "output", machine)

    def expect_well(self, statuses):
        if any(statuses) or None in statuses:
            self.fail("".join(f"\nmachine {machine}, status {status}:\n{self.output(machine)}\n"
                              f"console:\n{rig.text(self.share, 'console', machine)[-1000:]}"
                              for machine, status in enumerate(statuses)))


def ranks_of(machine, machines, ranks):
    """First rank and number of ranks of a machine: block placement, the first machines get what is over."""
    each, over = divmod(ranks, machines)
    return machine * each + min(machine, over), each + (machine < over)


def collectives(program, transports, machines, counts):
    """A shell line that runs every algorithm on those numbers of ranks, one after another."""
    lines = ["status=0"]
    for number, ranks in enumerate(counts):
        # Machines without a rank in the one before would wait for this one's ranks too early, and give up.
        begun = f"/tmp/share/begun.{number}"
        lines.append(f"if [ $RIG_MACHINE = 0 ]; then touch {begun}; else until [ -e {begun} ]; do sleep 0.1; done; fi")
        for machine in range(machines):
            first, count = ranks_of(machine, machines, ranks)
            if count > 0:
                lines.append(f"[ $RIG_MACHINE != {machine} ] || {program} {transports} {ranks} {first} {count} "
                             f"{rig.address(0)} {7000 + number} || status=1")
    return "\n".join([*lines, "exit $status"])
