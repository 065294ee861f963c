#!/usr/bin/env python3
"""Every algorithm over verbs on 2, 3, 5, 8 and 12 ranks, in one machine and on four."""
import unittest

from machines_case import MachinesCase, collectives

COUNTS = [2, 3, 5, 8, 12]


class TestAllCounts(MachinesCase):
    def test_InOneMachine(self):
        program = self.take("rdma_collectives")
        self.expect_well(self.run_machines(1, collectives(program, "verbs", 1, COUNTS), 3000, megabytes=1024))

    def test_OnFourMachines(self):
        program = self.take("rdma_collectives")
        self.expect_well(self.run_machines(4, collectives(program, "shm,verbs", 4, COUNTS), 3000, megabytes=512))


if __name__ == "__main__":
    unittest.main()
