#!/usr/bin/env python3
"""The verbs transport on test machines."""
import os
import re
import time
import unittest

from machines_case import MachinesCase, SharedMachines, collectives
import rig


class TestVerbs(MachinesCase):
    def test_EveryAlgorithmIsRightInOneMachine(self):
        program = self.take("rdma_collectives")
        self.expect_well(self.run_machines(1, collectives(program, "verbs", 1, [3])))
        self.assertIn("verbs to the next", self.output(0))

    def test_NoByteIsLostWhereOnePacketInTwentyIs(self):
        program = self.take("rdma_exchange")
        command = (f"tc qdisc add dev eth0 root netem loss 5% && {program} verbs 2 $RIG_MACHINE 1 {rig.address(0)} 7000 && "
                   "tc -s qdisc show dev eth0")
        self.expect_well(self.run_machines(2, command))
        for machine in (0, 1):
            self.assertIn(" 0 wrong", self.output(machine))
            self.assertRegex(self.output(machine), r"dropped [1-9]")

    def test_AMachineThatDoesNotSayAtOnceWhereItIsIsAskedAgain(self):
        program = self.take("rdma_exchange")
        # The second and the third do not tell their hardware addresses until one has asked the other's in vain.
        command = f"""
            given_up() {{ echo $((0x$(awk 'NR == 2 {{ print $7 }}' /proc/net/stat/arp_cache))); }}
            silence() {{ echo $1 > /proc/sys/net/ipv4/conf/all/arp_ignore; }}
            watch() {{
                until [ -e /tmp/share/enough ]; do [ $(given_up) = 0 ] || touch /tmp/share/enough; sleep 0.2; done
                sleep 4; silence 0
            }}
            [ $RIG_MACHINE = 0 ] || {{ silence 8; watch & }}
            {program} verbs 3 $RIG_MACHINE 1 {rig.address(0)} 7000
            status=$?; echo given up $(given_up); exit $status"""
        self.expect_well(self.run_machines(3, command))
        for machine in (1, 2):
            self.assertIn(" 0 wrong", self.output(machine))
        self.assertRegex(self.output(1) + self.output(2), r"given up [1-9]")

    def test_AMulticastIsSentOnceAndLosesNothingWhereOnePacketInTwentyIsLost(self):
        program = self.take("rdma_multicast")
        command = ("tc qdisc add dev eth0 root netem loss 5%\n" + collectives(program, "shm,verbs", 4, [6]).replace(
            "exit $status", "tc -s qdisc show dev eth0; exit $status"))
        self.expect_well(self.run_machines(4, command))
        for machine in range(4):
            self.assertRegex(self.output(machine), r"dropped [1-9]")
        # Sent once for all, and what was lost again; headers, and reports of others' messages, beside it.
        sent = float(re.search(r"([\d.]+) bytes sent per byte", self.output(0)).group(1))
        self.assertGreater(sent, 1)
        self.assertLess(sent, 1.6)
        self.assertNotIn("unnamed: multicast", self.output(0))

    def test_AWaitForARankThatLivesAndNeverCallsEndsAtItsLimit(self):
        program = self.take("rdma_silent")
        self.expect_well(self.run_machines(1, f"{program} 127.0.0.1 7000"))


ONE_RAIL = "TUTTI_VERBS_DEVICES=rxe0"


class TestTwoMachines(SharedMachines):
    MACHINES = CARDS = 2
    SETTINGS = ["TUTTI_VERBS_GID_INDEX=1", "TUTTI_VERBS_GID_INDEX=500", "TUTTI_VERBS_GID_INDEX=one", "TUTTI_VERBS_DEVICES=rxe0:1",
                "TUTTI_VERBS_DEVICES=rxe7", "TUTTI_VERBS_DEVICES=rxe0:2", "TUTTI_VERBS_DEVICES=none"]
    KILLS = int(os.environ.get("TUTTI_KILLS", "2"))
    SECONDS = 1500 + 40 * KILLS

    @classmethod
    def scripts(cls):
        alone = cls.scripts_alone()
        last = alone.popitem()
        return {**alone, **cls.scripts_across(), last[0]: last[1]}

    @classmethod
    def scripts_alone(cls):
        """Within one machine; in the first what takes longest, since the other waits for it and not the other way round."""
        exchange, multicast, mortal = (cls.take(program) for program in ("rdma_exchange", "rdma_multicast", "rdma_mortal"))
        tutti, killed_mortal, killed = cls.take("../tutti"), cls.take("killed_mortal"), cls.take_source("killed/killed.py")
        settings = [f"export {ONE_RAIL}"] + [f"echo '== {setting}'; {setting} {exchange} verbs 2 0 2 127.0.0.1 {7100 + number}"
                                             for number, setting in enumerate(cls.SETTINGS)]
        run = f"{multicast} verbs 2 0 2 127.0.0.1"
        # The port may be the third, chosen by another name; may have no address of IPv4; there may be no connection manager.
        groups = ["ip link add lone1 type dummy", "ip address add 10.0.2.1/24 dev lone1", "ip link set lone1 up",
                  "ip route add 224.0.0.0/4 dev lone1 metric 1", "rdma link add rxe2 type rxe netdev lone1",
                  "echo '== named'", f"TUTTI_VERBS_DEVICES=rxe2 TUTTI_VERBS_GID_INDEX=0 TUTTI_MULTICAST=1 {run} 7400 &",
                  "while kill -0 $! 2>/dev/null; do",
                  "grep -A9 lone1 /proc/net/igmp | grep -E '^\\s+[0-9A-F]{6}EF' && break; sleep 0.1; done", "wait $!",
                  "echo '== unwanted'", f"TUTTI_MULTICAST=0 {run} 7403",
                  "echo '== unaddressed'", "ip address flush dev eth0 scope global", f"{run} 7401",
                  "echo '== unmanaged'", "rm /dev/infiniband/rdma_cm", f"{run} 7402", "true"]
        return {
            # Its jobs are told nothing of devices: there is one.
            "ARankThatIsKilledAtAnyTimeIsNamedByAll":
                (0, f"rdma link delete rxe1\npython3 -B {killed} --tutti {tutti} --mortal {killed_mortal} --transports verbs "
                    f"--kills {cls.KILLS} --most-ranks 4 --patience 300\nstatus=$?\nrdma link add rxe1 type rxe netdev eth1\nexit $status"),
            "TheAddressAndTheDeviceAreThoseThatAreAskedFor": (1, "\n".join([*settings, "true"])),
            "ARankThatIsKilledIsNamedByAllThoughFewHaveAConnectionToIt":
                (1, f"export {ONE_RAIL}\nfor rank in 0 1 2 3; do {mortal} verbs 4 $rank 1 127.0.0.1 7200 > /tmp/share/said.$rank & done\nwait"),
            # The last: it takes away what the others need.
            "AMulticastGroupIsJoinedFromThePortsIPv4AddressAndElseTheReasonIsSaid": (0, "\n".join(groups))}

    @classmethod
    def scripts_across(cls):
        exchange, every, one_sided, multicast = (
            cls.take(program) for program in ("rdma_exchange", "rdma_collectives", "rdma_one_sided", "rdma_multicast"))
        # All rails there are; the second alone; and a machine with two beside one with one.
        rails = ["count() { echo sent $(cat /sys/class/net/eth[01]/statistics/tx_bytes); }", "status=0", "count", "more=",
                 "[ $RIG_MACHINE = 1 ] || more=,rxe1"]
        for number, chosen in enumerate(["", "TUTTI_VERBS_DEVICES=rxe1", "TUTTI_VERBS_DEVICES=rxe0$more"]):
            rails += [f"{chosen} {exchange} verbs 2 $RIG_MACHINE 1 {rig.address(0)} {7100 + number} "
                      f"{'long' if chosen else ''} || status=1", "count"]
        one_rail = f"export {ONE_RAIL}\n"
        return {
            # Of 2501 elements, some eager and some not; of none, one and 7001, on more ranks and machines: checks/all_counts.py.
            "EveryAlgorithmIsRightAcrossMachinesWithSharedMemoryWithinThem":
                one_rail + collectives("TUTTI_ELEMENTS=2501 " + every, "shm,verbs", 2, [3]),
            "GetAndPutMoveEveryElementWithinMachinesAndAcross": one_rail + collectives(one_sided, "shm,verbs", 2, [3], 7200),
            "LongMessagesGoOverAllRailsAndOneIsEnough": "\n".join([*rails, "exit $status"]),
            "AMulticastLosesNothingWhereOnePacketInTwentyIsLost":
                f"{one_rail}tc qdisc add dev eth0 root netem loss 5%\n" + collectives(multicast, "shm,verbs", 2, [3], 7250).replace(
                    "exit $status", "tc -s qdisc show dev eth0; tc qdisc del dev eth0 root; exit $status"),
            "AMachineThatDiesIsNamedByTheOthers": f"{one_rail}{exchange} verbs 2 $RIG_MACHINE 1 {rig.address(0)} 7300 linger"}

    @classmethod
    def while_running(cls, processes):
        """Kills the second machine once the last test's ranks are idle."""
        end = time.monotonic() + cls.SECONDS
        while time.monotonic() < end and all(process.poll() is None for process in processes):
            if all(" wrong" in rig.text(cls.share, "AMachineThatDiesIsNamedByTheOthers", machine) for machine in (0, 1)):
                break
            time.sleep(0.2)
        processes[1].kill()

    def said(self, machine):
        return dict(part.split("\n", 1) for part in self.output(machine).split("== ")[1:])

    def test_TheAddressAndTheDeviceAreThoseThatAreAskedFor(self):
        self.expect_well_alone(1)
        said = self.said(1)
        for setting, text in [("TUTTI_VERBS_GID_INDEX=1", " 0 wrong"), ("TUTTI_VERBS_DEVICES=rxe0:1", " 0 wrong"),
                              ("TUTTI_VERBS_GID_INDEX=500", "no GID at index 500"),
                              ("TUTTI_VERBS_GID_INDEX=one", "TUTTI_VERBS_GID_INDEX"),
                              ("TUTTI_VERBS_DEVICES=rxe7", "no device 'rxe7'; there are: rxe0 rxe1"),
                              ("TUTTI_VERBS_DEVICES=rxe0:2", "no such port"),
                              ("TUTTI_VERBS_DEVICES=none", "no transport verbs here")]:
            self.assertEqual(said[setting].count(text), 2, f"{setting}: {said[setting]}")

    def test_ARankThatIsKilledIsNamedByAllThoughFewHaveAConnectionToIt(self):
        self.expect_well_alone(1)
        for survivor in (0, 2, 3):
            self.assertIn(f"rank {survivor}: rank 1 is lost: ", rig.text(self.share, "said", survivor))

    def test_ARankThatIsKilledAtAnyTimeIsNamedByAll(self):
        self.expect_well_alone(0)
        print(self.output(0), end="")

    def test_AMulticastGroupIsJoinedFromThePortsIPv4AddressAndElseTheReasonIsSaid(self):
        self.expect_well_alone(0)
        said = self.said(0)
        self.assertIn("2 ranks: all right", said["named"])
        self.assertIn("unnamed: multicast\n", said["named"])
        self.assertRegex(said["named"], r"[0-9A-F]{6}EF", "the interface is in no group of the organisation")
        self.assertIn("rank 0: TUTTI_MULTICAST=0", said["unwanted"])
        self.assertIn("rank 0: verbs device rxe0:1: a multicast group is joined from an IPv4 address, and its port has none",
                      said["unaddressed"])
        self.assertIn("rank 0: verbs device rxe0:1: no connection manager (is", said["unmanaged"])

    def test_EveryAlgorithmIsRightAcrossMachinesWithSharedMemoryWithinThem(self):
        self.expect_all_well()
        self.assertIn("shm to the next", self.output(0))
        self.assertIn("verbs to the next", self.output(1))

    def test_GetAndPutMoveEveryElementWithinMachinesAndAcross(self):
        self.expect_all_well()
        self.assertIn("verbs to the next", self.output(1))

    def test_LongMessagesGoOverAllRailsAndOneIsEnough(self):
        self.expect_all_well()
        for machine in (0, 1):
            self.assertEqual(self.output(machine).count(" 0 wrong"), 3)
            totals = [[int(n) for n in line.split()[1:]] for line in self.output(machine).splitlines()
                      if line.startswith("sent ")]
            first, second = zip(*[[after - before for before, after in zip(*pair)] for pair in zip(totals, totals[1:])])
            # Of the 2.5 MiB of the longest message, the second of three pieces.
            mebibyte = 1 << 20
            self.assertGreater(first[0], 2 * mebibyte)
            self.assertGreater(second[0], mebibyte)
            self.assertLess(first[1], mebibyte // 4, "the first rail was not asked for")
            # Of the 1.5 MiB of the others' longest, of which the second rail would get a third.
            self.assertGreater(second[1], 1.5 * mebibyte)
            self.assertGreater(first[2], 1.5 * mebibyte)
            self.assertLess(second[2], mebibyte // 4, "the peer has no second rail")

    def test_AMulticastLosesNothingWhereOnePacketInTwentyIsLost(self):
        self.expect_all_well()
        for machine in (0, 1):
            self.assertRegex(self.output(machine), r"dropped [1-9]")
        self.assertIn("3 ranks: all right", self.output(0))

    def test_AMachineThatDiesIsNamedByTheOthers(self):
        self.assertEqual(self.statuses(), [3, None], self.output(0))
        self.assertIn("rank 0: peer failed: rank 1: it cannot be reached", self.output(0))


if __name__ == "__main__":
    unittest.main()
