"""An algorithm that calls itself without end is an error, not the interpreter's end."""
import subprocess
import sys
import unittest

import module

module.enter()
import tutti  # noqa: E402


class Recursion(unittest.TestCase):
    def test_WithoutEndIsRefused(self):
        @tutti.algorithm("bcast", name="again")
        def again(comm, call):
            yield comm.call(again, call)

        for _ in range(2):
            with self.assertRaisesRegex(RecursionError, "calls itself too deeply"):
                tutti.simulate("bcast", machine="example-cluster", algorithm=again, nodes=4, bytes=64)
        self.assertIn("calls itself too deeply", tutti.verify(again, ranks="1-3")[0].refuted.message)

    def test_IsRefusedOnAStackWithoutLimitToo(self):
        script = ("import tutti\n@tutti.algorithm('bcast')\ndef again(comm, call): yield comm.call(again, call)\n"
                  "try: tutti.simulate('bcast', machine='example-cluster', algorithm=again, nodes=4, bytes=64)\n"
                  "except RecursionError as error: print(error)\n")
        done = subprocess.run(["sh", "-c", 'ulimit -s unlimited; ulimit -v 6000000; exec "$@"', "sh", sys.executable, "-c", script],
                              capture_output=True, text=True, timeout=100)
        if "ulimit" in done.stderr:
            self.skipTest("the stack's limit cannot be lifted here")
        self.assertEqual((done.returncode, done.stdout), (0, "an algorithm calls itself too deeply\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
