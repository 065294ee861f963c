"""The session that the README shows is what the program prints."""
import os
import re
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(HERE, "..", "..", "README.md")


def session():
    """(command, what it printed) of the first console block after "A session:"."""
    with open(README, encoding="utf-8") as file:
        block = re.search(r"^A session:\n\n```console\n(.*?)^```", file.read(), re.M | re.S).group(1)
    turns = re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.M)[1:]
    return [turn.split("\n", 1) for turn in turns]


class Readme(unittest.TestCase):
    def test_TheSessionIsWhatTheProgramPrints(self):
        path = os.environ["TUTTI_BUILD"] + os.pathsep + os.environ["PATH"]
        self.assertGreaterEqual(len(session()), 3)
        for command, printed in session():
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env={**os.environ, "PATH": path}, check=True)
            self.assertEqual(done.stdout, printed, command)


if __name__ == "__main__":
    unittest.main()
