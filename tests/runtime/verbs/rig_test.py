#!/usr/bin/env python3
"""Test machines: real verbs between virtual machines."""
import unittest

from machines_case import MachinesCase
import rig


class TestMachines(MachinesCase):
    def test_TwoMachinesExchangeVerbsMessagesAndReportTheirOwnStatus(self):
        # The client may be up first: it asks until the server listens.
        command = f"""
pingpong="ibv_rc_pingpong -d rxe0 -g 1 -e -n 50 -s 65536 -p 18515"
if [ $RIG_MACHINE = 0 ]; then $pingpong; exit; fi
for try in $(seq 60); do if $pingpong {rig.address(0)} 2>/dev/null; then exit 3; fi; sleep 0.5; done"""
        self.assertEqual(self.run_machines(2, command), [0, 3],
                         [self.output(machine) + rig.text(self.share, "console", machine)[-1000:] for machine in (0, 1)])
        for machine in (0, 1):
            self.assertIn("6553600 bytes in", self.output(machine))

    def test_TheNetworkLastsUntilTheLastMachineIsDone(self):
        command = (f"[ $RIG_MACHINE != 1 ] || (until [ -e /tmp/share/status.0 ]; do sleep 0.1; done; sleep 2; "
                   f"busybox ping -c 1 -w 20 {rig.address(2)})\n"
                   "[ $RIG_MACHINE != 2 ] || until [ -e /tmp/share/status.1 ]; do sleep 0.1; done")
        self.assertEqual(self.run_machines(3, command), [0, 0, 0], self.output(1))

    def test_AMachineThatIsKilledGivesNoStatusAndTheOthersGoOn(self):
        command = "sleep 1; if [ $RIG_MACHINE = 1 ]; then sleep 1000; fi"
        statuses = self.run_machines(2, command, while_running=lambda processes: processes[1].kill())
        self.assertEqual(statuses, [0, None])


if __name__ == "__main__":
    unittest.main()
