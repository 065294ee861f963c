"""The lab is built, carries flows as the simulator says, keeps to itself, and leaves nothing behind."""
import json
import os
import signal
import stat
import subprocess
import time
import unittest

from lab_case import PYTHON, TUTTI, LabCase

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.dirname(HERE))
FLOW_BYTES = 1 << 20


def machine_network():
    """The machine's own links, addresses and routes."""
    return [subprocess.run(["ip", "-o", *what], capture_output=True, text=True, check=True).stdout
            for what in (["link"], ["addr"], ["route", "show", "table", "all"])]


def left_overs(name):
    found = [entry for entry in os.listdir("/run/netns") if entry.startswith(f"tutti-{name}-")] if os.path.isdir(
        "/run/netns") else []
    return found + ([name] if os.path.exists(f"/run/tutti-lab/{name}") else [])


class Lab(LabCase):
    def flows(self, name, pairs):
        """The seconds that the slowest of flows between (from, to) takes, all begun at once."""
        receivers = [self.flow(name, to, "receive", str(5000 + number)) for number, (_, to) in enumerate(pairs)]
        senders = [self.flow(name, source, "send", to, str(5000 + number), str(FLOW_BYTES))
                   for number, (source, to) in enumerate(pairs)]
        start = time.monotonic() + 0.2
        for sender in senders:
            sender.stdin.write(f"{start}\n")
            sender.stdin.flush()
        ends = [float(receiver.stdout.readline()) for receiver in receivers]
        for process in senders + receivers:
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
        return max(ends) - start

    def flow(self, name, host, *arguments):
        process = subprocess.Popen([TUTTI, "lab", "run", "--name", name, "--host", host, "--", PYTHON, f"{HERE}/flow.py",
                                    *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def simulated(self, machine, nodes):
        """What the simulator says of as many flows as there are pairs of nodes: the first step of an allgather by
        recursive doubling, in which each exchanges one block with its neighbour."""
        placement = os.path.join(self.folder, f"{len(nodes)}.csv")
        with open(placement, "w", encoding="utf-8") as file:
            file.write("rank,node,group,leaf\n" + "".join(f"{rank},n{node},g,l{node // 2}\n" for rank, node in enumerate(nodes)))
        trace = os.path.join(self.folder, "trace.json")
        subprocess.run([TUTTI, "simulate", "allgather", "--algorithm", "recursive_doubling", "--machine", machine,
                        "--ranks", str(len(nodes)), "--placement", placement, "--bytes", str(FLOW_BYTES * len(nodes)),
                        "--trace", trace], check=True, capture_output=True)
        with open(trace, encoding="utf-8") as file:
            received = [event for event in json.load(file)["traceEvents"] if event["name"].startswith("from ")]
        first = [event for event in received if event["args"]["bytes"] == FLOW_BYTES]
        self.assertEqual(len(first), len(nodes))
        return max(event["dur"] for event in first) / 1e6

    def test_TwoFlowsOverOneTaperedLinkTakeTwiceAsLongAsOneAndTheSimulatorAgrees(self):
        name, machine = self.new_name(), os.path.join(self.folder, "machine.json")
        self.lab("up", name, "--fat-tree", "2x2", "--taper", "2", "--rate", "20mbit", "-o", machine)
        one = min(self.flows(name, [("h0", "h2")]) for _ in range(2))
        two = min(self.flows(name, [("h0", "h2"), ("h1", "h3")]) for _ in range(2))
        self.assertAlmostEqual(two / one, 2, delta=0.3)
        simulated_one, simulated_two = self.simulated(machine, [0, 2]), self.simulated(machine, [0, 2, 1, 3])
        self.assertAlmostEqual(simulated_two / simulated_one, 2, delta=0.3)
        self.assertAlmostEqual(one / simulated_one, 1, delta=0.15)
        self.assertAlmostEqual(two / simulated_two, 1, delta=0.15)

    def test_OfTwoLabsSideBySideNothingIsInTheMachinesOwnNetworkAndNothingStays(self):
        before, names = machine_network(), [self.new_name(), self.new_name()]
        for name in names:
            self.lab("up", name, "--fat-tree", "2x2", "--taper", "1", "--rate", "20mbit")
        self.assertEqual(machine_network(), before)
        for name in names:
            self.assertEqual(self.lab("run", name, "--host", "h3", "--", "hostname"), "h3\n")
        self.assertIn("is up already", self.lab("up", names[0], "--switch", "2", status=2))
        self.lab("down", names[0])
        self.assertEqual(left_overs(names[0]), [])
        self.assertEqual(self.lab("run", names[1], "--host", "h1", "--", "hostname"), "h1\n")
        sleeper = subprocess.Popen([TUTTI, "lab", "run", "--name", names[1], "--", "sleep", "100"])
        time.sleep(0.5)
        self.lab("down", names[1])
        self.assertEqual(sleeper.wait(10), -signal.SIGKILL)
        self.assertEqual(left_overs(names[1]), [])

    def test_StatusIsOfTheLabThatIsNamedAndMarksOneThatIsBeingMade(self):
        made, half, none = self.new_name(), self.new_name(), self.new_name()
        self.lab("up", made, "--switch", "2")
        os.makedirs(f"/run/tutti-lab/{half}")
        self.assertEqual(self.lab("status", made), f"lab {made}: 2 hosts (h0 to h1), 1 switches, 2 cables\n")
        self.assertEqual(list(json.loads(self.lab("status", made, "--json"))), [made])
        self.assertIn(f"lab {half}: is being made; ", self.lab("status", half))
        self.assertEqual(json.loads(self.lab("status", half, "--json")), {half: None})
        self.assertIn(f"there is no lab {none}: expected one of ", self.lab("status", none, status=2))
        done = subprocess.run([TUTTI, "lab", "status"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"lab {made}: 2 hosts", done.stdout)
        self.assertIn(f"lab {half}: is being made", done.stdout)

    def test_ALabThatFailsOrIsInterruptedLeavesNothing(self):
        name = self.new_name()
        self.assertIn("place to write", self.lab(
            "up", name, "--switch", "2", "-o", os.path.join(self.folder, "no", "machine.json"), status=2))
        self.assertEqual(left_overs(name), [])
        for number in (signal.SIGINT, signal.SIGTERM):
            building = subprocess.Popen([TUTTI, "lab", "up", "--name", name, "--fat-tree", "8x8"],
                                        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 30
            while len(left_overs(name)) < 20 and building.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            building.send_signal(number)
            self.assertEqual(building.wait(60), 130)
            self.assertEqual(left_overs(name), [])

    def test_AnInterruptWhileTheBuilderIsInAHostsNamespaceEndsItAsAnyOther(self):
        name = self.new_name()
        program = f"""if True:
            import os, runpy, signal, sys
            sys.path.insert(0, {SOURCES!r})
            from pyroute2 import netns
            push = netns.pushns
            def interrupted_push(namespace):
                push(namespace)
                os.kill(os.getpid(), signal.SIGTERM)
            netns.pushns = interrupted_push
            sys.argv = ["lab", "up", "--name", {name!r}, "--switch", "2"]
            runpy.run_module("lab", run_name="__main__", alter_sys=True)"""
        self.assertEqual(subprocess.run([PYTHON, "-B", "-c", program], env={**os.environ, "TUTTI_PROGRAM": TUTTI},
                                        timeout=60).returncode, 130)
        self.assertEqual(left_overs(name), [])

    def test_ALabIsTakenDownWhileNamespacesOfAnotherVanish(self):
        name, other = self.new_name(), self.new_name()
        self.lab("up", name, "--switch", "2")
        vanish = f"""if True:
            import os, sys
            sys.path.insert(0, {SOURCES!r})
            from lab import build
            listed = os.listdir
            def with_one_gone(folder):
                return [*listed(folder), "tutti-{other}-h0"] if folder.endswith("/run/netns") else listed(folder)
            os.listdir = with_one_gone
            build.take_down({name!r})"""
        subprocess.run([PYTHON, "-B", "-c", vanish], check=True, timeout=60)
        self.assertEqual(left_overs(name), [])

    def test_TheOutputMayBeALinkOrAPipeWhichStay(self):
        name, target, link, pipe = self.new_name(), *(os.path.join(self.folder, one) for one in ("machine.json", "link", "pipe"))
        os.symlink(target, link)
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        for output in (link, pipe):
            self.lab("up", name, "--switch", "2", "-o", output)
            self.lab("down", name)
        with open(target, encoding="utf-8") as file:
            machine = file.read()
        self.assertTrue(os.path.islink(link) and stat.S_ISFIFO(os.stat(pipe).st_mode))
        self.assertEqual(os.read(reader, len(machine) + 1).decode(), machine)
        os.close(reader)

    def test_TheMachineThatALabIsMadeOfIsNotWrittenOver(self):
        name, machine = self.new_name(), os.path.join(self.folder, "machine.json")
        self.lab("up", name, "--switch", "2", "-o", machine)
        self.lab("down", name)
        with open(machine, encoding="utf-8") as file:
            before = file.read()
        link = os.path.join(self.folder, "link.json")
        os.symlink(machine, link)
        for output in (machine, link):
            self.assertIn(f"{output}: is the same file as {machine}, expected another file to write",
                          self.lab("up", name, "--machine", machine, "-o", output, status=2))
            self.assertEqual(left_overs(name), [])
        with open(machine, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)

    def test_ConnectionsBeginWithAWholeMessageUnderWayAndNeverTakeAQueueForALoss(self):
        name = self.new_name()
        self.lab("up", name, "--switch", "2")
        route = self.lab("run", name, "--host", "h1", "--", "ip", "route")
        self.assertIn("initcwnd 4000", route)
        self.assertIn("rto_min lock 20s", route)
        for setting in ("tcp_early_retrans", "tcp_recovery", "tcp_slow_start_after_idle", "tcp_timestamps"):
            self.assertEqual(self.lab("run", name, "--host", "h1", "--", "cat", f"/proc/sys/net/ipv4/{setting}"), "0\n")

    def test_SeveralRanksOnAHostAreInTheModelAndInTheSlotsOfBothMpis(self):
        name, machine = self.new_name(), os.path.join(self.folder, "machine.json")
        self.lab("up", name, "--switch", "2", "--ranks-per-host", "3", "-o", machine)
        with open(machine, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["node"]["cores_per_cache"], 3)
        done = subprocess.run([TUTTI, "simulate", "bcast", "--machine", machine, "--algorithm", "binomial", "--nodes", "2", "--ppn", "3",
                               "--bytes", "1K"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        slots = self.lab("run", name, "--", "sh", "-c", "cat $OMPI_MCA_orte_default_hostfile")
        self.assertEqual(slots, "h0 slots=3\nh1 slots=3\n")
        self.assertEqual(self.lab("run", name, "--", "sh", "-c", "cat $HYDRA_HOST_FILE"), "h0:3\nh1:3\n")
        for wrong in ("0", "65"):
            self.assertIn(f"--ranks-per-host {wrong}: expected 1 to 64",
                          self.lab("up", self.new_name(), "--switch", "2", "--ranks-per-host", wrong, status=2))

    def test_ADragonflyCarriesFlowsBetweenAllItsGroups(self):
        name = self.new_name()
        self.lab("up", name, "--dragonfly", "3x2x1", "--rate", "100mbit")
        for to in range(1, 6):
            self.assertLess(self.flows(name, [("h0", f"h{to}")]), 5)


if __name__ == "__main__":
    unittest.main()
