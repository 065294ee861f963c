"""A test that builds labs."""
import ctypes
import os
import random
import subprocess
import tempfile
import unittest

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
PYTHON = "/usr/bin/python3"


def why_not():
    """Why no lab can be here, or None. Tried in a child: nobody comes back from another namespace."""
    child = os.fork()
    if child == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        os._exit(ctypes.get_errno() if libc.unshare(0x40000000) else 0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        return f"network namespaces are not permitted here: {os.strerror(status)}"
    if os.geteuid() or not os.access("/run", os.W_OK):
        return "the lab needs root"
    if subprocess.run([PYTHON, "-c", "import pyroute2"], capture_output=True).returncode:
        return "python3-pyroute2 is not installed"
    return None


class LabCase(unittest.TestCase):
    def setUp(self):
        reason = why_not()
        if reason:
            self.skipTest(reason)
        folder = tempfile.TemporaryDirectory(prefix="tutti-lab-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def new_name(self):
        name = f"t{random.randrange(1 << 40):x}"
        self.addCleanup(subprocess.run, [TUTTI, "lab", "down", "--name", name], capture_output=True)
        return name

    def lab(self, verb, name, *arguments, status=0):
        done = subprocess.run([TUTTI, "lab", verb, "--name", name, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr
