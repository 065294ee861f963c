#!/usr/bin/env python3
"""Kills ranks of jobs under `tutti launch`, one of each job, at any time from its process' start on.

    killed.py --tutti build/tutti --mortal build/tests/killed_mortal --transports tcp --kills 500

All others must name it, and so must the launcher, with the signal; nobody hangs, and nothing is left: no process, no shared memory,
no file. Ends with 1, and what was said, where it is not so."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import uuid

LAUNCHERS = ("TUTTI_", "OMPI_", "PMI", "SLURM_", "RANK", "WORLD_SIZE", "MASTER_")
SHARED_MEMORY = "/dev/shm"


class Jobs:
    def __init__(self, tutti, mortal, transports, folder, patience=60):
        """Of what takes longer than `patience` seconds it is said that it hangs; nor does the launcher end anybody sooner."""
        self.tutti, self.mortal, self.folder, self.patience = tutti, mortal, folder, patience
        clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
        self.environment = {**clean, "TUTTI_TRANSPORTS": transports, "TMPDIR": folder, "TUTTI_MEETING_FOLDER": folder}

    def run(self, ranks, *arguments, **environment):
        with tempfile.TemporaryDirectory(dir=SHARED_MEMORY, prefix="killed-") as memory:
            marker = uuid.uuid4().hex
            job = subprocess.Popen([self.tutti, "launch", "-n", str(ranks), "--grace", str(self.patience), "--", self.mortal, *arguments], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**self.environment, "TUTTI_SHM_FOLDER": memory, "KILLED_JOB": marker, **environment})
            try:
                said, launcher_said = job.communicate(timeout=self.patience)
                hangs = False
            except subprocess.TimeoutExpired:
                job.kill()
                said, launcher_said = job.communicate()
                hangs = True
            left = [f"process {p}" for p in processes_with(f"KILLED_JOB={marker}")]
            left += [os.path.join(place, name) for place in (memory, self.folder) for name in os.listdir(place)]
            return job.returncode, said, launcher_said, hangs, left

    def seconds_of_setup(self, ranks):
        status, said, trouble, *_ = self.run(ranks, "setup")
        if status != 0:
            sys.exit(f"killed.py: no team can be made: {said}{trouble}")
        return max(map(int, said.split())) / 1e6

    def kill_one(self, chance, most_ranks):
        """What was wrong, and when it was killed."""
        ranks = chance.randint(2, most_ranks)
        victim = chance.randrange(ranks)
        setup = self.setup_seconds
        after = chance.choice([0, chance.uniform(0, setup), chance.uniform(setup, 2 * setup), 2 * setup + chance.uniform(0, 0.3)])
        begun = time.monotonic()
        status, said, launcher_said, hangs, left = self.run(
            ranks, MORTAL_RANK=str(victim), MORTAL_MICROSECONDS=str(int(after * 1e6)), MORTAL_SEED=str(chance.randrange(1 << 20)))
        took = time.monotonic() - begun
        wrong = []
        if hangs:
            wrong.append("hangs")
        if left:
            wrong.append("leaves " + ", ".join(left))
        if status != 137:
            wrong.append(f"status {status}")
        if not re.fullmatch(rf"tutti: rank {victim} \(process \d+\) was ended by signal 9 \(Killed\)\n", launcher_said):
            wrong.append("the launcher names another")
        lines = dict(re.findall(r"^rank (\d+)(?: of \d+)?: (.*)$", said, re.MULTILINE))
        for rank in range(ranks):
            if rank != victim and not lines.get(str(rank), "").startswith(f"rank {victim} is lost: "):
                wrong.append(f"rank {rank} names another, or nobody")
        phase = "while ranks set up" if "while the ranks set up" in said else "later"
        if wrong:
            wrong = [f"rank {victim} of {ranks} killed after {after:.6f} s: {'; '.join(wrong)}\n{said}{launcher_said}"]
        return wrong, phase, (took, f"rank {victim} of {ranks} after {after:.3f} s")

    def kill_many(self, kills, seed, most_ranks=6, say=lambda *_: None):
        """What was wrong, and how often it was when. `say(number, wrong)` is called after each."""
        chance = random.Random(seed)
        self.setup_seconds = self.seconds_of_setup(most_ranks)
        wrong, phases, longest = [], {}, (0, "")
        for number in range(1, kills + 1):
            more, phase, took = self.kill_one(chance, most_ranks)
            say(number, more)
            wrong += more
            phases[phase] = phases.get(phase, 0) + 1
            longest = max(longest, took)
        return wrong, ", ".join(f"{count} {phase}" for phase, count in sorted(phases.items())) + f"; {longest[0]:.1f} s at most ({longest[1]})"


def processes_with(variable):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if variable.encode() in file.read().split(b"\0"):
                    found.append(name)
        except OSError:  # it has ended, or is another's
            pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutti", required=True)
    parser.add_argument("--mortal", required=True)
    parser.add_argument("--transports", required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--most-ranks", type=int, default=6)
    parser.add_argument("--patience", type=int, default=60, help="seconds after which a job is taken to hang")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(os.path.abspath(arguments.tutti), os.path.abspath(arguments.mortal), arguments.transports, folder,
                    arguments.patience)
        wrong, phases = jobs.kill_many(
            arguments.kills, arguments.seed, arguments.most_ranks,
            lambda number, more: print("\n".join([f"kill {number}:", *(more or ["all right"])]), flush=True))
    print(f"{arguments.transports}: {arguments.kills} kills, {phases}: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
