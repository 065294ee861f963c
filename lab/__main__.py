"""tutti lab VERB: the command line of the lab."""
import argparse
import json
import os
import signal
import sys

from lab import LabError, host, layout, shapes, state
from validation.command import Parser, status_of, write_output

MOST_RANKS = 64  # on a host
PERMITTED = "namespaces (CAP_SYS_ADMIN): expected to run as root on a Linux that permits them"


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="tutti lab", description="An emulated cluster: network namespaces as hosts and "
                                  "switches, rate-limited links between them, and the model that a simulator needs of it.",
                                  epilog="Example: tutti lab up --fat-tree 4x4 --taper 2 --rate 40mbit -o lab.json && "
                                  "tutti lab run -- mpirun -np 16 hostname; tutti lab down")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")

    def add(verb: str, help_text: str, example: str, default: str | None = "lab") -> argparse.ArgumentParser:
        one = verbs.add_parser(verb, help=help_text, description=help_text, epilog=f"Example: tutti lab {example}")
        one.add_argument("--name", default=default, help=f"which lab, where there are several (default: {default or 'all'})")
        return one

    up = add("up", "Build a lab and write its machine model", "up --fat-tree 4x4 --taper 2 --rate 40mbit -o lab.json")
    kind = up.add_mutually_exclusive_group(required=True)
    kind.add_argument("--fat-tree", metavar="LEAVESxHOSTS", help="two levels; routes by destination modulo spines")
    kind.add_argument("--dragonfly", metavar="GROUPSxROUTERSxHOSTS", help="one cable between two groups; minimal routes")
    kind.add_argument("--switch", metavar="HOSTS", help="all hosts on one switch")
    kind.add_argument("--machine", metavar="FILE", help="the network of a machine file, one core and one adapter a node, "
                      "at the bandwidths that it says")
    up.add_argument("--taper", type=int, default=1, help="fat tree: hosts of a leaf per up-link (default 1)")
    up.add_argument("--ranks-per-host", type=int, default=1, metavar="K", help="so many cores a host in the model, and slots for "
                    "mpirun (default 1)")
    up.add_argument("--rate", default="20mbit", help="of every cable, each direction (default 20mbit)")
    up.add_argument("-o", "--output", metavar="MACHINE.json", help="where to write the machine model as well")
    run = add("run", "Run a command in a host; mpirun of Open MPI, or mpiexec of MPICH, finds all the lab's hosts by itself", "run -- mpirun -np 16 PROGRAM")
    where = run.add_mutually_exclusive_group()
    where.add_argument("--host", default="h0", help="the host (default h0)")
    where.add_argument("--ranks", type=int, help="in each of the first so many hosts: the ranks of a program that uses the "
                       "runtime, such as tutti bench")
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    status = add("status", "Which labs are up", "status", None)
    status.add_argument("--json", action="store_true", help="for machines")
    add("down", "Remove a lab and end what runs in it", "down")
    agent = add("agent", "What mpirun calls in place of ssh", "agent h3 hostname")
    agent.add_argument("host")
    agent.add_argument("command", nargs=argparse.REMAINDER)
    return top


def network_of(arguments: argparse.Namespace, rate: float) -> dict:
    if arguments.taper != 1 and not arguments.fat_tree:
        raise LabError(f"--taper {arguments.taper}: expected together with --fat-tree")
    if arguments.fat_tree:
        return shapes.fat_tree(arguments.fat_tree, arguments.taper, rate)
    if arguments.dragonfly:
        return shapes.dragonfly(arguments.dragonfly, rate)
    return shapes.switch(arguments.switch, rate)


def machine_text(arguments: argparse.Namespace) -> str:
    if arguments.machine:
        try:
            with open(arguments.machine, encoding="utf-8") as file:
                return file.read()
        except OSError as error:
            raise LabError(f"{arguments.machine}: {error.strerror}: expected a machine file") from error
    rate = shapes.parse_rate(arguments.rate)
    return json.dumps(shapes.machine(arguments.name, network_of(arguments, rate), rate, arguments.ranks_per_host), indent=2) + "\n"


def expect_apart(output: str, machine: str) -> None:
    if os.path.exists(output) and os.path.exists(machine) and os.path.samefile(output, machine):
        raise LabError(f"{output}: is the same file as {machine}, expected another file to write")


def write_machine(path: str, text: str) -> None:
    try:
        write_output(path, text)
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}: expected a place to write to") from error


def up(arguments: argparse.Namespace) -> None:
    from lab import build  # pyroute2 takes its time to load: not for every command that runs in a host
    lab = arguments.name
    if not 1 <= arguments.ranks_per_host <= MOST_RANKS or (arguments.machine and arguments.ranks_per_host != 1):
        raise LabError(f"--ranks-per-host {arguments.ranks_per_host}: expected 1 to {MOST_RANKS}, without --machine")
    if arguments.output and arguments.machine:
        expect_apart(arguments.output, arguments.machine)
    text = machine_text(arguments)
    folder = state.create(lab)
    try:
        state.write(lab, "machine.json", text)
        plan = layout.make_layout(layout.read_network(arguments.machine or os.path.join(folder, "machine.json")),
                                  shapes.PAYLOAD_BYTES / shapes.FRAME_BYTES)
        addresses = {name: layout.address(number) for number, name in enumerate(plan.hosts)}
        state.write(lab, "hosts", "127.0.0.1 localhost\n" + "".join(f"{a} {name}\n" for name, a in addresses.items()))
        state.write(lab, "hostfile", "".join(f"{name} slots={arguments.ranks_per_host}\n" for name in plan.hosts))
        state.write(lab, "hydra-hostfile", "".join(f"{name}:{arguments.ranks_per_host}\n" for name in plan.hosts))
        state.write(lab, "agent", host.agent_text(lab, sys.executable))
        os.chmod(os.path.join(folder, "agent"), 0o755)
        build.build(lab, plan)
        if arguments.output:
            write_machine(arguments.output, text)
        state.write(lab, "lab.json", json.dumps({"hosts": plan.hosts, "switches": plan.switches, "addresses": addresses,
                                                 "cables": len(plan.cables)}))
    except BaseException:
        build.take_down(lab)
        raise
    print(f"lab {lab}: {len(plan.hosts)} hosts, {len(plan.switches)} switches, {len(plan.cables)} cables; machine model in "
          f"{arguments.output or os.path.join(folder, 'machine.json')}")


def status(arguments: argparse.Namespace) -> None:
    labs = {name: state.record_if_made(name) for name in state.labs() if arguments.name in (None, name)}
    if arguments.name and not labs:
        raise state.no_lab(arguments.name)
    if arguments.json:
        print(json.dumps(labs))
        return
    for name, record in labs.items():
        if record is None:
            print(f"lab {name}: is being made; if nobody does, tutti lab down --name {name} removes what there is of it")
            continue
        print(f"lab {name}: {len(record['hosts'])} hosts ({record['hosts'][0]} to {record['hosts'][-1]}), "
              f"{len(record['switches'])} switches, {record['cables']} cables")
    if not labs:
        print("no lab is up")


def down(arguments: argparse.Namespace) -> None:
    from lab import build
    if arguments.name not in state.labs() and not state.namespaces_of(arguments.name):
        raise LabError(f"there is no lab {arguments.name}")
    build.take_down(arguments.name)


def run(arguments: argparse.Namespace) -> int | None:
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        raise LabError("expected a command, such as tutti lab run -- hostname")
    if arguments.ranks is not None:
        from lab import ranks
        return ranks.run(arguments.name, arguments.ranks, command)
    host.run(arguments.name, arguments.host, command)


def agent(arguments: argparse.Namespace) -> None:
    """As ssh does: what follows the host's name is text for a shell."""
    host.run(arguments.name, arguments.host, ["/bin/sh", "-c", " ".join(arguments.command)])


def call(arguments: argparse.Namespace) -> int:
    try:
        if arguments.name is not None:
            state.check_name(arguments.name)
        verbs = {"up": up, "run": run, "status": status, "down": down, "agent": agent}
        return verbs[arguments.verb](arguments) or 0
    except LabError as error:
        print(f"tutti lab: {error}", file=sys.stderr)
        return 2
    except PermissionError as error:
        print(f"tutti lab: {error}: {PERMITTED}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"tutti lab: {error} (Debian: python3-pyroute2; make deps installs it)", file=sys.stderr)
        return 2


def main() -> int:
    arguments = parser().parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # whatever was begun is undone
        signal.signal(number, lambda *_: sys.exit(130))
    return status_of("tutti lab", lambda: call(arguments))


if __name__ == "__main__":
    sys.exit(main())
