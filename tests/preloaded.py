"""Scripts that draw, run in children that have matplotlib from their parent: it takes longer to load than most pictures to draw."""
import json
import os
import runpy
import subprocess
import sys
import tempfile
import traceback

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.backends.backend_svg  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
except ImportError:  # the script finds one where it is
    matplotlib = None


COMPILED = tempfile.TemporaryDirectory(prefix="tutti-compiled-")  # what the scripts import of their own, by the first of them


def status_of(program, arguments):
    """As the interpreter ends, had it been given the script."""
    sys.argv[:] = [program, *map(str, arguments)]
    sys.path[0] = os.path.dirname(program)
    sys.pycache_prefix, sys.dont_write_bytecode = COMPILED.name, False
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
        return 1
    return 0


def run(program, *arguments):
    """What subprocess.run says of it, its output as text."""
    if matplotlib is None:
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as err:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                sys.stdout, sys.stderr = open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")
                status = status_of(program, arguments)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess([program, *arguments], status, out.read(), err.read())


def run_elsewhere(*commands):
    """As run does, all of them in one other interpreter, which hashes otherwise."""
    done = subprocess.run([sys.executable, "-B", os.path.abspath(__file__)], input=json.dumps(commands), capture_output=True, text=True,
                          env={**os.environ, "PYTHONHASHSEED": "random"}, check=True)
    return [subprocess.CompletedProcess(*each) for each in json.loads(done.stdout)]


if __name__ == "__main__":
    results = [run(*command) for command in json.load(sys.stdin)]
    print(json.dumps([(each.args, each.returncode, each.stdout, each.stderr) for each in results]))
