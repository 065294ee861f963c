"""tutti follow FILE --mpi CMD: the command line."""
import argparse
import contextlib
import json
import os
import shlex
import shutil
import sys

from validation import ValidationError, table
from validation.command import Parser, counted, numbers, status_of
from validation.follow import classic, intel, layouts, mpich, mpich_file, probe
from validation.follow.library import REDUCTIONS, Library, make_call
from validation.mpi.rules import BLOCKS, RulesError, looked_up_bytes, read_rules

CLASSIC, BOTH = "open-mpi-classic", "open-mpi"
LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prterun", "mpirun.openmpi", "mpiexec.openmpi", "mpiexec.hydra", "mpirun.mpich", "mpiexec.mpich")


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="tutti follow", description="What a real Open MPI, MPICH or Intel MPI did under a tuning file. Makes each collective of the file on both "
        "sides of every size at which the file changes its mind, counts messages (Open MPI's pml_monitoring; MPICH's to UCX, between "
        "nodes; Intel MPI's over TCP), and compares what went from rank to rank with what the algorithm that the file names sends. A line for each call: "
        "component and algorithm. Exit status 1 where the library did something else.",
        epilog="Example: tutti follow five.rules --mpi 'mpirun --hostfile hosts --map-by ppr:2:node'")
    top.add_argument("file", help="a classic rules file of Open MPI 4.1 or 5.0, what tutti export --to open-mpi wrote, a selection file of "
                     "MPICH 5.0, or lines for Intel MPI")
    top.add_argument("--mpi", required=True, metavar="CMD", help="the beginning of the command that starts the ranks, as in "
                     "'mpirun -np 8 --hostfile hosts'; the current folder must be seen by all hosts")
    top.add_argument("--mpicc", help="that library's compiler for C (default: the one beside its mpirun)")
    top.add_argument("--for", dest="form", choices=[CLASSIC, BOTH, mpich_file.FLAT, mpich_file.COMPOSED, intel.FORM], help="the form of the file: rules "
                     "of coll/tuned alone, with coll/han off, or with coll/han's beside it (default: the latter where FILE.han is there); "
                     "with MPICH its device's compositions off, or their file beside it (default: the latter where FILE.ch4 is there)")
    top.add_argument("--ppn", type=int, metavar="K", help="MPICH on one host: so many ranks are taken for a node each (default 1)")
    top.add_argument("--table", metavar="TABLE.json", help="make the calls of its cells, too, of those numbers of ranks (with "
                     "coll/han, of that layout)")
    top.add_argument("--ranks", type=numbers, help="of communicators: the first 3,5 or 2-8 of the ranks (default: those that were "
                     "started; only these with coll/han)")
    top.add_argument("--collectives", help="only these: bcast,allreduce")
    top.add_argument("--largest", type=numbers, default={4 << 20}, metavar="BYTES", help="no thresholds above (default 4M)")
    top.add_argument("--json", action="store_true", help="all calls as JSON on stdout")
    return top


def launcher(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """The library's mpirun, and the command that it is in."""
    try:
        launch = shlex.split(arguments.mpi)
    except ValueError as error:
        raise ValidationError(f"--mpi: {error}: expected a command such as 'mpirun -np 8'") from error
    named = [word for word in launch if os.path.basename(word) in LAUNCHERS]
    if not named:
        raise ValidationError(f"--mpi: expected a command with an mpirun of Open MPI, MPICH or Intel MPI, found '{arguments.mpi}'")
    mpirun = shutil.which(named[0])
    if not mpirun or not shutil.which(launch[0]):
        raise ValidationError(f"--mpi: {named[0] if shutil.which(launch[0]) else launch[0]}: expected a program")
    return mpirun, launch


def compiler(arguments: argparse.Namespace, mpirun: str, names: list[str]) -> str | None:
    beside = (shutil.which(os.path.join(os.path.dirname(mpirun), name)) for name in names)
    return arguments.mpicc or next(filter(None, beside), None)


def open_mpi(arguments: argparse.Namespace, mpirun: str, launch: list[str]) -> probe.OpenMpi:
    if not probe.is_of_open_mpi(mpirun, "--version"):
        raise ValidationError(f"--mpi: expected an mpirun of Open MPI, MPICH or Intel MPI, whose name '{mpirun} --version' does not say")
    mpicc = compiler(arguments, mpirun, ["mpicc.openmpi", "mpicc"])
    if not mpicc or not probe.is_of_open_mpi(mpicc, "--showme:version"):
        raise ValidationError(f"--mpicc: expected Open MPI's, {f'found {mpicc}' if mpicc else f'there is none beside {mpirun}'}")
    kind = layouts.BothComponents if arguments.form == BOTH else probe.OpenMpi
    mpi = kind(mpirun, mpicc, launch, os.getcwd())
    if arguments.form == BOTH and mpi.series != "5.0":
        raise ValidationError(f"{arguments.file}: expected Open MPI 5.0, whose coll/han the file is for, found {mpi.version}")
    return mpi


def communicators(arguments: argparse.Namespace, started: int) -> list[int]:
    ranks = sorted(arguments.ranks or {started})
    if ranks[0] < 2 or ranks[-1] > started:
        raise ValidationError(f"--ranks: expected 2 to {started}, which is how many --mpi starts")
    if arguments.form == BOTH and ranks != [started]:
        raise ValidationError(f"--ranks: expected {started} alone: coll/han asks how all ranks are spread over hosts")
    return ranks


def calls_of_cells(arguments: argparse.Namespace, collectives: list[str], ranks: list[int], hosts: list[str]) -> list[probe.Call]:
    calls = []
    for cell in table.read_table(arguments.table).predicted_us:
        is_there = cell.ranks in ranks and (arguments.form == CLASSIC or cell.nodes == len(set(hosts)))
        each = (4 if cell.collective in REDUCTIONS else 1) * (cell.ranks if cell.collective in BLOCKS else 1)
        if cell.collective in collectives and is_there and (cell.bytes >= each or cell.collective == "barrier"):
            calls.append(make_call(cell.collective, cell.ranks, cell.bytes // each))
    if not calls:
        raise ValidationError(f"{arguments.table}: expected cells of what the file has, on {ranks[-1]} ranks on {len(set(hosts))} hosts")
    return calls


def chosen(arguments: argparse.Namespace, has) -> list[str]:
    """Of the collectives that the file has."""
    collectives = arguments.collectives.split(",") if arguments.collectives else sorted(has)
    if unknown := [name for name in collectives if name not in has]:
        raise RulesError(f"{arguments.file}: expected rules for {unknown[0]}, found {', '.join(sorted(has))}")
    return collectives


def with_open_mpi(arguments: argparse.Namespace, mpi: probe.OpenMpi, tutti: str):
    """What is to be said of the library, and (call, followed, text) of each call."""
    rules = read_rules(arguments.file)
    collectives = chosen(arguments, rules)
    library = Library(tutti, mpi.series)
    ranks = communicators(arguments, len(mpi.hosts))
    calls = [call for name in collectives for number in ranks
             for call in classic.calls_around_thresholds(rules, name, number, max(arguments.largest))]
    if arguments.table:
        calls = sorted({*calls, *calls_of_cells(arguments, collectives, ranks, mpi.hosts)})
    return (f"Open MPI {mpi.version}", "messages as pml_monitoring counts them",
            layouts.follow(tutti, library, rules, calls, mpi, arguments.file) if arguments.form == BOTH else
            classic.follow(library, rules, calls, mpi, arguments.file))


def with_mpich(arguments: argparse.Namespace, mpi: mpich.Mpich, tutti: str):
    sizes = mpich_file.sizes_in(arguments.file)
    sizes = {name: sizes[name] for name in chosen(arguments, sizes)}
    mpich_file.place(mpi, arguments.ppn)
    ranks = communicators(arguments, len(mpi.hosts))
    if mpi.ppn > 1 and ranks != [len(mpi.hosts)]:
        raise ValidationError(f"--ranks: expected {len(mpi.hosts)} alone where nodes have several ranks")
    calls = mpich_file.calls_for(arguments, sizes, ranks)
    seen = f"taken for nodes of {mpi.ppn}" if mpi.make_believe else f"{mpi.ppn} on each"
    return f"MPICH {mpi.version}", f"{seen}, messages between nodes as UCX is given them", mpich_file.follow(
        tutti, calls, mpi, arguments.form, arguments.file)


def with_intel(arguments: argparse.Namespace, mpi: intel.IntelMpi, tutti: str):
    if arguments.table or arguments.ranks or arguments.ppn:
        raise ValidationError("--table, --ranks, --ppn: expected none of these with Intel MPI, whose lines are for the whole job")
    return (f"Intel MPI {mpi.version}", "messages as its sockets are given them", intel.follow(
        tutti, mpi, arguments.file, lambda has: chosen(arguments, has), max(arguments.largest)))


def run(arguments: argparse.Namespace) -> int:
    mpirun, launch = launcher(arguments)
    tutti = os.environ["TUTTI_PROGRAM"]
    if intel.is_launcher(mpirun):
        arguments.form = arguments.form or intel.FORM
        mpicc = compiler(arguments, mpirun, ["mpicc"])
        if not mpicc:
            raise ValidationError(f"--mpicc: expected Intel MPI's or MPICH's, there is none beside {mpirun}")
        mpi, follow = intel.IntelMpi(mpirun, mpicc, launch, os.getcwd()), with_intel
    elif mpich.is_launcher(mpirun):
        arguments.form = arguments.form or (mpich_file.COMPOSED if os.path.exists(arguments.file + ".ch4") else mpich_file.FLAT)
        mpicc = compiler(arguments, mpirun, ["mpicc.mpich", "mpicc"])
        if not mpicc:
            raise ValidationError(f"--mpicc: expected MPICH's, there is none beside {mpirun}")
        mpi, follow = mpich.Mpich(mpirun, mpicc, environment=mpich_file.environment_of(arguments.form, arguments.file), launch=launch,
                                  place=os.getcwd()), with_mpich
    else:
        arguments.form = arguments.form or (BOTH if os.path.exists(arguments.file + ".han") else CLASSIC)
        mpi, follow = open_mpi(arguments, mpirun, launch), with_open_mpi
    owner, forms = {with_open_mpi: ("Open MPI", (CLASSIC, BOTH)), with_mpich: ("MPICH", (mpich_file.FLAT, mpich_file.COMPOSED)),
                    with_intel: ("Intel MPI", (intel.FORM,))}[follow]
    if arguments.form not in forms:
        raise ValidationError(f"--for: expected a form of {owner}, whose mpirun --mpi names")
    with contextlib.closing(mpi):
        library, how, found = follow(arguments, mpi, tutti)
        hosts = len(set(mpi.hosts))
        if not arguments.json:
            print(f"{library}, {len(mpi.hosts)} ranks on {hosts} host{'s' * (hosts > 1)}, {how}; {arguments.file} as {arguments.form}", flush=True)
        verdicts = []
        for call, followed, text in found:
            verdicts.append({"collective": call.collective, "ranks": call.ranks, "bytes": looked_up_bytes(call),
                             "followed": followed, "what": text})
            if not arguments.json:
                print(f"{call.collective:<21}{call.ranks:>3} ranks {looked_up_bytes(call):>9} B  {text}")
        missed = sum(verdict["followed"] is False for verdict in verdicts)
        untold = sum(verdict["followed"] is None for verdict in verdicts)
        if arguments.json:
            print(json.dumps({"library": library, "form": arguments.form, "hosts": mpi.hosts,
                              "not_followed": missed, "calls": verdicts}, indent=1))
        else:
            print(f"{counted(len(verdicts), 'call')}, {missed} of them not as the file says" + f", {untold} of which it cannot be told" * (untold > 0))
        return 1 if missed else 0


if __name__ == "__main__":
    words = parser().parse_args()
    sys.exit(status_of("tutti follow", lambda: run(words)))
