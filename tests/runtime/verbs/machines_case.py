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


class SharedMachines(MachinesCase):
    """Tests in machines that are booted once: booting takes them most of their time. `scripts()` says by each test's name what runs in all
    machines for it, one after another in that order; with a machine's number before it, in that one alone, where it waits for no other."""
    MACHINES, CARDS, SECONDS = 1, 1, 1500

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.share = temporary.name
        lines = []
        for name, script in cls.scripts().items():
            alone, script = script if isinstance(script, tuple) else (None, script)
            run = [f"(\n{script}\n) > /tmp/share/{name}.$RIG_MACHINE 2>&1", f"echo $? > /tmp/share/{name}-status.$RIG_MACHINE"]
            if alone is not None:
                lines += [f"if [ $RIG_MACHINE = {alone} ]; then", *run, "fi"]
                continue
            # Ranks would wait too early, and give up, for those of a machine that is still at the test before.
            begun = f"/tmp/share/begun.{name}"
            # Emulated, a start of `sleep` takes nearly a tenth of a second.
            lines += [f"if [ $RIG_MACHINE = 0 ]; then touch {begun}; else until [ -e {begun} ]; do sleep 0.5; done; fi", *run]
        try:
            rig.run(cls.MACHINES, cls.share, "\n".join(lines), cls.SECONDS, cards=cls.CARDS, while_running=cls.while_running)
        except kernel.Unavailable as error:
            raise unittest.SkipTest(f"no test machines here: {error}") from error

    @classmethod
    def scripts(cls):
        raise NotImplementedError

    @classmethod
    def while_running(cls, processes):
        """Called once the machines are started."""

    def setUp(self):
        self.name = self._testMethodName.removeprefix("test_")

    @classmethod
    def take(cls, program):
        return bring(os.path.join(BUILD, "tests", program), cls.share)

    @classmethod
    def take_source(cls, script):
        return bring(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", script), cls.share)

    def output(self, machine):
        return rig.text(self.share, self.name, machine)

    def expect_well_alone(self, machine):
        status = self.statuses()[machine]
        self.assertEqual(status, 0, f"{self.output(machine)}\nconsole:\n{rig.text(self.share, 'console', machine)[-1000:]}")

    def statuses(self):
        return [int(text) if text else None
                for text in (rig.text(self.share, self.name + "-status", machine) for machine in range(self.MACHINES))]

    def expect_all_well(self):
        self.expect_well(self.statuses())


def ranks_of(machine, machines, ranks):
    """First rank and number of ranks of a machine: block placement, the first machines get what is over."""
    each, over = divmod(ranks, machines)
    return machine * each + min(machine, over), each + (machine < over)


def collectives(program, transports, machines, counts, port=7000):
    """A shell line that runs every algorithm on those numbers of ranks, one after another."""
    lines = ["status=0"]
    for number, ranks in enumerate(counts):
        # Machines without a rank in the one before would wait for this one's ranks too early, and give up.
        begun = f"/tmp/share/begun.{port + number}"
        lines.append(f"if [ $RIG_MACHINE = 0 ]; then touch {begun}; else until [ -e {begun} ]; do sleep 0.1; done; fi")
        for machine in range(machines):
            first, count = ranks_of(machine, machines, ranks)
            if count > 0:
                lines.append(f"[ $RIG_MACHINE != {machine} ] || {program} {transports} {ranks} {first} {count} "
                             f"{rig.address(0)} {port + number} || status=1")
    return "\n".join([*lines, "exit $status"])
