#!/usr/bin/env python3
"""The verbs transport on test machines."""
import time
import unittest

from machines_case import MachinesCase, collectives
import rig


class TestVerbs(MachinesCase):
    def test_EveryAlgorithmIsRightInOneMachine(self):
        program = self.take("rdma_collectives")
        self.expect_well(self.run_machines(1, collectives(program, "verbs", 1, [3])))
        self.assertIn("verbs to the next", self.output(0))

    def test_EveryAlgorithmIsRightAcrossMachinesWithSharedMemoryWithinThem(self):
        program = self.take("rdma_collectives")
        self.expect_well(self.run_machines(2, collectives(program, "shm,verbs", 2, [3])))
        self.assertIn("shm to the next", self.output(0))
        self.assertIn("verbs to the next", self.output(1))

    def test_GetAndPutMoveEveryElementWithinMachinesAndAcross(self):
        program = self.take("rdma_one_sided")
        self.expect_well(self.run_machines(2, collectives(program, "shm,verbs", 2, [3])))
        self.assertIn("verbs to the next", self.output(1))

    def test_NoByteIsLostWhereOnePacketInTwentyIs(self):
        program = self.take("rdma_exchange")
        command = (f"tc qdisc add dev eth0 root netem loss 5% && {program} verbs 2 $RIG_MACHINE 1 {rig.address(0)} 7000 && "
                   "tc -s qdisc show dev eth0")
        self.expect_well(self.run_machines(2, command))
        for machine in (0, 1):
            self.assertIn(" 0 wrong", self.output(machine))
            self.assertRegex(self.output(machine), r"dropped [1-9]")

    def test_AMachineThatDiesIsNamedByTheOthers(self):
        program = self.take("rdma_exchange")

        def kill_when_idle(processes):
            end = time.monotonic() + 150
            while time.monotonic() < end and not all(" wrong" in self.output(machine) for machine in (0, 1)):
                time.sleep(0.1)
            processes[1].kill()

        command = f"{program} verbs 2 $RIG_MACHINE 1 {rig.address(0)} 7000 linger"
        statuses = self.run_machines(2, command, while_running=kill_when_idle)
        self.assertEqual(statuses, [3, None], self.output(0))
        self.assertIn("rank 0: peer failed: rank 1: it cannot be reached", self.output(0))


if __name__ == "__main__":
    unittest.main()
