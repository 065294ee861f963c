"""What sbatch is told of a folder with any name."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, ROOT)
from validation.batch import Batch, directives, submit_text, to_folder  # noqa: E402

FOLDERS = {"/a b#c": "/a b#c", '/say "hello"': '/say "hello"', "/50%j": "/50%%j", "/it's": "/it's"}  # and as sbatch wants it


def word_of(line):
    """As sbatch (src/sbatch/opt.c) takes what follows #SBATCH: quotes of either kind, a backslash before any sign, '#' a comment."""
    found, quote, rest = "", "", iter(line)
    for sign in rest:
        if sign == "\\":
            found += next(rest)
        elif quote:
            quote, found = ("", found) if sign == quote else (quote, found + sign)
        elif sign in "\"'":
            quote = sign
        elif sign == "#" or sign.isspace():
            break
        else:
            found += sign
    assert not quote, line
    return found


class Batches(unittest.TestCase):
    def test_HaveTheirLogInTheFolderWhateverItsName(self):
        for folder, wanted in {**FOLDERS, "/back\\slash": "/back\\slash"}.items():
            for tasks, name in ((1, "run-%j.log"), (3, "run-%A_%a.log")):
                words = [word_of(line.removeprefix("#SBATCH ")) for line in directives(Batch(None, None, None), "validate", folder, 1, 4, 60, tasks)]
                self.assertIn(f"--output={wanted}/{name}", words)

    def test_ReadTheirResultsWithALogThereToo(self):
        with tempfile.TemporaryDirectory() as bin_folder:
            sbatch = os.path.join(bin_folder, "sbatch")
            with open(sbatch, "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\nprintf "%s\\n" "$@" >&2\necho 7\n')
            os.chmod(sbatch, 0o755)
            for folder, wanted in FOLDERS.items():
                done = subprocess.run(["sh", "-c", submit_text(folder, None, None)], capture_output=True, text=True, timeout=60,
                                      env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"--output={wanted}/read-%j.log\n{folder}/read.sh\n", done.stderr)

    def test_GoToTheirOwnFolderAndToNoneOfItsNameElsewhere(self):
        for name in ("study", "-study"):
            with tempfile.TemporaryDirectory() as parent:
                own, other = (os.path.join(parent, place, name) for place in ("here", "elsewhere"))
                for folder in (own, other):
                    os.makedirs(folder)
                    with open(os.path.join(folder, "jobs.txt"), "w", encoding="utf-8"):
                        pass
                with open(os.path.join(own, "run.sh"), "w", encoding="utf-8") as file:
                    file.write(f"set -eu\n{to_folder('jobs.txt', '/nowhere')}\npwd -P\n")
                done = subprocess.run(["bash", "--", f"{name}/run.sh"], cwd=os.path.dirname(own), capture_output=True, text=True, timeout=60,
                                      env={**os.environ, "CDPATH": os.path.dirname(other)})
                self.assertEqual((done.stdout, done.stderr), (os.path.realpath(own) + "\n", ""))


if __name__ == "__main__":
    unittest.main()
