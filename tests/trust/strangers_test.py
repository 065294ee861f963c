"""A job that meets at an address goes on among strangers, whatever they say."""
import os
import signal
import socket
import struct
import subprocess
import time
import unittest

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
LAUNCHERS = ("TUTTI_", "OMPI_", "PMI", "SLURM_", "RANK", "WORLD_SIZE", "MASTER_")
ONCE = b"tuttiB1\0" + struct.pack("<iiQ", 1, 3, 0)  # "I am rank 1 of 3", as it was believed once
GREETINGS = (b"", b"GET / HTTP/1.0\r\n\r\n", ONCE, ONCE + b"y" + struct.pack("<Q", 512 << 30), bytes(4096),
             b"tuttiB1\0" + struct.pack("<iiQ", 7, 5, 0))


def environment_of(process):
    with open(f"/proc/{process}/environ", "rb") as file:
        return dict(pair.split(b"=", 1) for pair in file.read().split(b"\0") if b"=" in pair)


def ranks_of(process):
    """Among what it has started, and what that has."""
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as file:
            children = [int(word) for word in file.read().split()]
        return [child for child in children if b"TUTTI_RANK" in environment_of(child)] or sum(map(ranks_of, children), [])
    except FileNotFoundError:  # it has ended meanwhile
        return []


class Launched(unittest.TestCase):
    def setUp(self):
        """Ranks that begin to meet only after a second, so that strangers are there first."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
        self.job = subprocess.Popen([TUTTI, "launch", "-n", "3", "--", "sh", "-c", 'sleep 1; exec "$@"', "sh", TUTTI, "bench", "barrier",
                                     "--seconds", "0.01"], env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    start_new_session=True)
        self.addCleanup(self.end)
        self.addCleanup(self.job.communicate)
        place = b""
        for _ in range(2000):
            ranks = ranks_of(self.job.pid)
            place = environment_of(ranks[-1]).get(b"TUTTI_MEETING", b"") if len(ranks) == 3 else b""
            if place:
                break
            time.sleep(0.005)
        self.ranks = ranks
        self.assertRegex(place, rb"^127\.0\.0\.1:\d+$")
        self.port = int(place.rsplit(b":", 1)[1])

    def end(self):
        if self.job.poll() is None:
            os.killpg(self.job.pid, signal.SIGKILL)

    def test_EndsWellAmongStrangersThatSayAnythingOrNothing(self):
        strangers = []
        try:
            for number in range(60):
                stranger = socket.create_connection(("127.0.0.1", self.port), timeout=5)
                stranger.sendall(GREETINGS[number % len(GREETINGS)])
                strangers.append(stranger)
            out, err = self.job.communicate(timeout=60)
            self.assertEqual(self.job.returncode, 0, out + err)
            self.assertIn("3 ranks", out)
        finally:
            for stranger in strangers:
                stranger.close()

    def test_HasASecretThatItsCommandLinesDoNotTell(self):
        secrets = {environment_of(rank)[b"TUTTI_SECRET"] for rank in self.ranks}
        self.assertEqual(len(secrets), 1)
        secret = secrets.pop()
        self.assertRegex(secret, rb"^[0-9a-f]{32}$")
        for process in (self.job.pid, *self.ranks):
            with open(f"/proc/{process}/cmdline", "rb") as file:
                self.assertNotIn(secret, file.read())
            self.assertFalse(os.stat(f"/proc/{process}/environ").st_mode & 0o077)  # other users do not see it


if __name__ == "__main__":
    unittest.main()
