#!/usr/bin/env python3
"""Faults planted in the sources of the algorithms, one at a time: the proof must refute each.

Every loop cut short, and as many other small changes as asked for, drawn with a seed. A mutant is compiled alone, linked
with what the build has made of the others, and proven as `tutti verify` proves by default, on fewer numbers of ranks. One
that is proven must be in equivalents.txt, with the reason why it does what the original does, or what else refutes it; those
that are there are proven on four ranks at most. Exit status 0, or 1 and the survivors. With --log a run goes on where
another was stopped: what survived is tried again, what was refuted is not, unless its file has changed. With --since only
what was written after the last whole run is tried.
"""

import argparse
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

import sites

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
COMPILE = ["g++", "-std=c++20", "-w", "-fPIC"]


def sources():
    """Of algorithms and what they share, by their path from the root."""
    found = sorted(glob.glob(os.path.join(ROOT, "algos", "*", "*.[ch]pp")))
    texts = {}
    for path in found:
        with open(path, encoding="utf-8") as file:
            texts[os.path.relpath(path, ROOT)] = file.read()
    return texts


def equivalents():
    """(file, before, after) -> reason."""
    listed = {}
    with open(os.path.join(HERE, "equivalents.txt"), encoding="utf-8") as file:
        for entry in re.split(r"\n\s*\n", re.sub(r"^#.*\n", "", file.read(), flags=re.M).strip()):
            if not entry:
                continue
            match = re.fullmatch(r"(\S+)\n- (.*)\n\+ (.*)\n= (.+)", entry, re.S)
            if not match or not match.group(4).strip():
                sys.exit(f"equivalents.txt: expected FILE, - before, + after, = reason:\n{entry}")
            listed[match.group(1), match.group(2), match.group(3)] = match.group(4)
    return listed


def build_one_by_one(build):
    """A folder with an object for each source."""
    subprocess.run([os.path.join(ROOT, "scripts", "one_by_one"), build], check=True, stdout=sys.stderr)
    folder = os.path.join(build, "one_by_one")
    subprocess.run(["cmake", "--build", folder, "-j", str(os.cpu_count()), "--target", "proof_prover"], check=True, stdout=sys.stderr)
    return folder


class Program:
    """What a mutant is linked with, and what uses what."""

    def __init__(self, build, texts, work):
        self.texts, self.work = texts, work
        self.objects = {}
        for path in glob.glob(os.path.join(build, "algos", "CMakeFiles", "tutti_algos.dir", "**", "*.o"), recursive=True):
            source = os.path.join("algos", path.split("tutti_algos.dir/")[1].removesuffix(".o"))
            if os.path.exists(os.path.join(ROOT, source)):  # a folder that was built in before has more
                self.objects[source] = path
        self.rest = glob.glob(os.path.join(build, "tests", "CMakeFiles", "proof_prover.dir", "**", "*.o"), recursive=True)
        self.rest += [os.path.join(build, *library) for library in (("sim", "proof", "libtutti_proof.a"), ("base", "libtutti_base.a"))]
        self.rest += ["-pthread"]
        self.users = self.read_users()
        header = os.path.join(work, "common.hpp")
        with open(header, "w", encoding="utf-8") as file:
            file.write('#include "algos/registry.hpp"\n#include <algorithm>\n#include <vector>\n')
        subprocess.run([*COMPILE, "-O0", "-I", ROOT, "-x", "c++-header", header, "-o", header + ".gch"], check=True)
        self.header = header

    def read_users(self):
        """Source -> the sources whose objects call it, directly."""
        defined, wanted = {}, {}
        for source, path in self.objects.items():
            for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
                kind, name = line[17:].split(" ", 1)
                if kind == "T":
                    defined[name] = source
                elif kind == "U":
                    wanted.setdefault(name, []).append(source)
        users = {}
        for name, source in defined.items():
            users.setdefault(source, set()).update(wanted.get(name, []))
        return users

    def algorithms(self, files):
        return sorted({f"{collective}/{name}" for file in files for collective, name in
                       re.findall(r'^TUTTI_ALGORITHM\((\w+), "(\w+)"', self.texts.get(file, ""), re.M)})

    def including(self, header):
        """The sources, not headers, that include it, directly or not."""
        found, new = set(), {header}
        while new:
            found |= new
            new = {f for f, text in self.texts.items() if f not in found and any(f'"{h}"' in text for h in new)}
        return {f for f in found if f.endswith(".cpp")}

    def reached(self, files):
        """Those files and all that call them."""
        found, new = set(), set(files)
        while new:
            found |= new
            new = {u for f in new for u in self.users.get(f, ())} - found
        return found

    def compile(self, source, include, output, level="-O0"):
        with_header = ["-include", self.header] if level == "-O0" else []
        return subprocess.run([*COMPILE, level, *with_header, "-I", include, "-I", ROOT, "-c", source, "-o", output],
                              capture_output=True, timeout=300).returncode == 0


class Trial:
    """One mutant, in a folder of its own."""

    def __init__(self, program, mutant, folder, is_listed):
        self.program, self.mutant, self.folder, self.is_listed = program, mutant, folder, is_listed
        self.compiled = [mutant.file] if mutant.file.endswith(".cpp") else sorted(program.including(mutant.file))

    def write(self, text):
        path = os.path.join(self.folder, self.mutant.file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def compile_all(self, level):
        objects = {}
        for number, source in enumerate(self.compiled):
            path = os.path.join(self.folder if source == self.mutant.file else ROOT, source)
            objects[source] = os.path.join(self.folder, f"{number}{level}.o")
            if not self.program.compile(path, self.folder, objects[source], level):
                return None
        return objects

    def run(self):
        """What became of it: "does not compile", "refuted: …", "the same code" or "survived"."""
        original = self.program.texts[self.mutant.file]
        self.write(self.mutant.text(original))
        objects = self.compile_all("-O0")
        if objects is None:
            return "does not compile"
        executable = os.path.join(self.folder, "prover")
        linked = [objects.get(source, path) for source, path in self.program.objects.items()]
        subprocess.run(["g++", "-o", executable, *linked, *self.program.rest], check=True, capture_output=True)
        own = self.program.algorithms(self.compiled)
        others = [a for a in self.program.algorithms(self.program.reached(self.compiled)) if a not in own]
        for algorithms in (own, others):
            if not algorithms:
                continue
            how = ["--briefly"] if self.is_listed else []
            done = subprocess.run([executable, *how, *algorithms], capture_output=True, text=True, errors="replace", timeout=3600)
            if done.returncode == 1:
                return "refuted: " + done.stdout.strip()
            if done.returncode != 0:
                return f"refuted: the program itself ends with {done.returncode}"
        return "the same code" if self.is_same_code(original) else "survived"

    def is_same_code(self, original):
        """Whether the optimiser makes the same of both."""
        objects = self.compile_all("-O2")
        made = {source: read(path) for source, path in objects.items()} if objects else {}
        self.write(original)
        objects = self.compile_all("-O2")
        return bool(made) and made == {source: read(path) for source, path in objects.items()}


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Log:
    """What became of mutants in earlier runs, a line each, by the text that their file had."""

    def __init__(self, path, texts):
        self.path, self.texts, self.known = path, texts, {}
        if not path or not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as file:
            for line in file:
                key, result = json.loads(line)
                self.known[key] = result

    def key(self, mutant):
        return hashlib.sha256((mutant.file + "\n" + mutant.text(self.texts[mutant.file])).encode()).hexdigest()

    def get(self, mutant):
        result = self.known.get(self.key(mutant))
        return None if result == "survived" else result

    def add(self, mutant, result):
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps([self.key(mutant), result]) + "\n")


def try_all(program, mutants, listed, jobs, work, log):
    """Mutant -> what became of it."""
    results, lock = {m: log.get(m) for m in mutants if log.get(m)}, threading.Lock()

    def one(numbered):
        number, mutant = numbered
        folder = os.path.join(work, str(number))
        os.makedirs(folder)
        result = Trial(program, mutant, folder, (mutant.file, mutant.before, mutant.after) in listed).run()
        subprocess.run(["rm", "-rf", folder], check=True)
        with lock:
            results[mutant] = result
            log.add(mutant, result)
            after = mutant.after if result == "survived" else mutant.after[:100]
            print(f"{len(results)}/{len(mutants)} {mutant.file}: {after} -- {result[:150]}", file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, enumerate(m for m in mutants if m not in results)))
    return results


def chosen(texts, options):
    """The mutants to try, in the order in which to try them: a sample of all, wherever somebody stops it. A change of one
    file leaves what is drawn of the others as it is."""
    def drawn(mutants, number):
        by_hash = sorted(mutants, key=lambda m: hashlib.sha256(f"{options.seed} {m}".encode()).digest())
        return by_hash if number < 0 else by_hash[:number]

    wanted = [f for f in texts if options.file in f]
    loops = drawn([m for f in wanted for m in sites.loops(f, texts[f])], options.loops)
    small = drawn([m for f in wanted for m in sites.small(f, texts[f])], options.random)
    old = {f: text_at(options.since, f) for f in wanted} if options.since else {}
    return [m for m in drawn(loops + small, -1) if m.before not in old.get(m.file, "")]


def text_at(revision, file):
    """With single blanks, as the mutants' lines have them; empty where it was not there yet."""
    there = subprocess.run(["git", "-C", ROOT, "ls-tree", "--name-only", revision, file], check=True, capture_output=True, text=True).stdout
    if not there:
        return ""
    text = subprocess.run(["git", "-C", ROOT, "show", f"{revision}:{file}"], check=True, capture_output=True, text=True).stdout
    return " ".join(text.split())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--random", type=int, default=400, help="as many small changes")
    parser.add_argument("--loops", type=int, default=-1, help="as many loops cut short; default: all")
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--log", help="of earlier runs, to go on from and to write to")
    parser.add_argument("--file", default="", help="only files whose path has this in it")
    parser.add_argument("--since", help="only in lines that a revision of the repository did not have yet")
    options = parser.parse_args()

    texts = sources()
    listed = equivalents()
    possible = {(m.file, m.before, m.after) for f, t in texts.items() for m in sites.loops(f, t) + sites.small(f, t)}
    stale = [entry for entry in listed if entry not in possible]
    for file, before, after in stale:
        print(f"no longer possible, though in equivalents.txt: {file}\n- {before}\n+ {after}")
    with tempfile.TemporaryDirectory() as work:
        program = Program(build_one_by_one(os.path.abspath(options.build)), texts, work)
        results = try_all(program, chosen(texts, options), listed, options.jobs, work, Log(options.log, texts))
    counts = {}
    survivors = 0
    for mutant, result in results.items():
        is_listed = (mutant.file, mutant.before, mutant.after) in listed
        kind = "listed as equivalent" if result == "survived" and is_listed else result.split(":")[0]
        counts[kind] = counts.get(kind, 0) + 1
        if result.startswith("refuted") and is_listed:
            print(f"listed as equivalent, but {result}\n{mutant.file}\n- {mutant.before}\n+ {mutant.after}\n")
            survivors += 1
        if kind == "survived":
            print(f"{mutant.file}\n- {mutant.before}\n+ {mutant.after}\n")
            survivors += 1
    print(f"{len(results)} mutants: " + ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    return 1 if survivors or stale else 0


if __name__ == "__main__":
    sys.exit(main())
