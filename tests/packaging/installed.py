"""What the tests of the installed package share."""
import os
import re
import shlex
import subprocess

BUILD = os.environ["TUTTI_BUILD"]
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def run(*command, folder=None, **environment):
    """Its standard output; whatever does not end well fails the test."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def of_cache(name):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as cache:
        found = re.search(rf"^{name}:\w+=(.*)$", cache.read(), re.MULTILINE)
    return found.group(1) if found else ""
