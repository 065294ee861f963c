"""tutti plan: the command line."""
import argparse
import hashlib
import json
import os
import shlex
import statistics
import subprocess
import sys

from validation import ValidationError, batch, json_file, table
from validation.command import Parser, counted, numbers, status_of, write_beside
from validation.mpi import arms, script
from validation.mpi.open_mpi import OpenMpi
from validation.mpi.rules import read_rules
from validation.plan import cost, rounds, usage


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="tutti plan", description="Which measurements of which cells are worth node-hours: where choices are close, where the model is "
        "uncertain, where jobs run. Writes a round of them as scripts for sbatch; called again once these have run, it learns from them, says "
        "what the choices are still expected to lose, and plans the next round.",
        epilog="Example: tutti plan --budget 20nh --machine example-cluster --nodes 2-16 --ppn 1,8 --osu-sizes 8:1M --usage jobs.csv -o campaign")
    top.add_argument("table", nargs="?", help="a table that tutti tune --for open-mpi-… wrote (default: one is tuned for --machine)")
    top.add_argument("--budget", required=True, metavar="NODE-HOURS", help="of all rounds together: 20nh")
    top.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where rounds go, and decided.json, the table after them")
    top.add_argument("--usage", metavar="FILE", help="where jobs run: sacct -a --parsable2 -o JobID,NNodes,NTasks,ElapsedRaw (default: all layouts of the "
                     "table weigh the same)")
    top.add_argument("--rounds", type=int, default=4, help="among which the budget is shared out (default 4)")
    top.add_argument("--read", action="store_true", help="only learn from the rounds that have run; plan none")
    top.add_argument("--json", action="store_true", help="for machines")
    tuned = top.add_argument_group("without a table")
    tuned.add_argument("--machine", help="tune for this machine first: a name (tutti machines) or file")
    tuned.add_argument("--nodes", help="numbers of nodes: 2-16 (default: those of --usage)")
    tuned.add_argument("--ppn", help="numbers of ranks per node: 1,8 (default: those of --usage)")
    tuned.add_argument("--osu-sizes", help="sizes as OSU's benchmarks print them (default 8:1M)")
    cells = top.add_argument_group("which cells")
    cells.add_argument("--collectives", type=lambda text: set(text.split(",")), help="only these (default: all of the table)")
    cells.add_argument("--ranks", type=numbers, help="only these numbers of ranks: 3,5,8 or 2-16")
    cells.add_argument("--bytes", type=numbers, help="only these sizes: 16K,1M")
    runs = top.add_argument_group("the scripts, as in tutti validate --mpi --batch")
    runs.add_argument("--series", choices=["4.1", "5.0"], default="4.1", help="of the Open MPI (default 4.1); of 5.0 with coll/han off")
    runs.add_argument("--mpirun", default="mpirun", help="the launcher")
    runs.add_argument("--bench", help="tutti-mpi-bench where the jobs run (default: the one beside tutti)")
    runs.add_argument("--repetitions", type=int, default=5, help="of each measurement (default 5)")
    runs.add_argument("--nap", type=int, default=0, metavar="MICROSECONDS", help="waiting ranks sleep so long at a time")
    runs.add_argument("--account")
    runs.add_argument("--partition")
    return top


def tutti(*words: str) -> None:
    done = subprocess.run([os.environ["TUTTI_PROGRAM"], *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise ValidationError(done.stderr.strip().split("\n")[-1].removeprefix("tutti: "))


def table_of(arguments: argparse.Namespace, used: dict | None) -> str:
    """The one given, or one that is tuned once for all rounds."""
    if bool(arguments.table) == bool(arguments.machine):
        raise ValidationError("expected one of TABLE and --machine")
    if arguments.table:
        for name in ("nodes", "ppn", "osu_sizes"):
            if (given := getattr(arguments, name)) is not None:
                raise ValidationError(f"--{name.replace('_', '-')} {given}: expected together with --machine, for {arguments.table} is tuned already: "
                                      "--ranks and --bytes say which of its cells")
        return arguments.table
    nodes, ppn = (given or ",".join(map(str, sorted({layout[at] for layout in used}))) if used or given else None
                  for at, given in enumerate((arguments.nodes, arguments.ppn)))
    if not nodes or not ppn:
        raise ValidationError("--machine: expected --nodes and --ppn beside it, or --usage, whose jobs have both")
    path = os.path.join(arguments.output, "table.json")
    words = ["tune", "--machine", arguments.machine, "--nodes", nodes, "--ppn", ppn, "--osu-sizes", arguments.osu_sizes or "8:1M",
             "--for", f"open-mpi-{arguments.series}"]
    words += ["--collectives", ",".join(sorted(arguments.collectives))] if arguments.collectives else []
    asked = os.path.join(arguments.output, "tuned.json")
    if os.path.exists(path) and os.path.exists(asked):
        if json_file.parse(json_file.read_text(asked, "how the table was tuned"), asked).get("words") != words:
            raise ValidationError(f"{path}: was tuned otherwise than is asked for now: expected the same options, or another folder")
        return path
    print("tuning a table first: " + " ".join(words), file=sys.stderr)
    try:
        tutti(*words, "--state", os.path.join(arguments.output, "sweep"), "-o", path)
    except ValidationError as error:
        if arguments.nodes and arguments.ppn:
            raise
        raise ValidationError(f"{error}; --usage {arguments.usage} has jobs of that size: --nodes and --ppn say for which the table is to be") from error
    write_beside(asked, json.dumps({"words": words}) + "\n")
    return path


class Campaign:
    def __init__(self, arguments: argparse.Namespace):
        try:
            from validation.plan import table_beliefs  # numpy takes half a second, which no refusal should wait for
        except ImportError as error:
            raise ValidationError(f"{error}: expected numpy (Debian: python3-numpy)") from error
        self.arguments, self.budget = arguments, cost.node_hours(arguments.budget)
        os.makedirs(arguments.output, exist_ok=True)
        jobs = usage.read_usage(arguments.usage) if arguments.usage else usage.Usage({}, 0, True)
        if not jobs.says_steps:
            print(f"warning: {arguments.usage}: no column JobID, by which sacct's steps .batch and .extern would be left out: they count as programs of "
                  "one rank per node", file=sys.stderr)
        used, self.left_out_of_usage = jobs.node_seconds, jobs.left_out
        self.path = table_of(arguments, used)
        self.table = table.read_table(self.path)
        table.warn_of_other_library(self.table, self.path, arguments.series)
        with open(self.path, "rb") as file:
            self.checksum = hashlib.sha256(file.read()).hexdigest()
        self.done = rounds.read_rounds(arguments.output, self.checksum, arguments.series)
        cells = table.chosen(self.table, {"collective": arguments.collectives, "ranks": arguments.ranks, "bytes": arguments.bytes})
        rules_file = os.path.join(arguments.output, arms.RULES)
        tutti("export", self.path, "--to", {"4.1": "open-mpi-classic", "5.0": "open-mpi-classic-5.0"}[arguments.series], "-o", rules_file)
        self.rules = json_file.read_text(rules_file, "a rules file")
        self.library = OpenMpi(arguments.series)
        self.known = table_beliefs.beliefs_of(self.library, self.table, table_beliefs.trust_by_cell(self.path), read_rules(rules_file), cells)
        self.weight = self.weights(used)
        self.warn_of_other_weights()
        self.measured: dict = {}
        self.unfinished: list[str] = []
        for one in self.done:
            times, unfinished = rounds.measured_in(one)
            self.unfinished += unfinished
            for cell, found in times.items():
                for name, values in found.items():
                    self.measured.setdefault(cell, {}).setdefault(name, []).extend(values)
        self.before = self.regret()
        self.taken = table_beliefs.observe(self.known.beliefs, self.measured)
        self.after = self.regret()

    def warn_of_other_weights(self) -> None:
        """Regrets are compared from round to round, and cells without weight are not measured."""
        for one in self.done:
            if one.with_usage is not None and one.with_usage != bool(self.arguments.usage):
                now, then = ("weigh by --usage", "without it") if self.arguments.usage else ("all weigh the same", "with --usage")
                print(f"warning: {os.path.join(one.path, 'plan.json')} was planned {then}: layouts {now} here, so that expected regrets are not "
                      "of the same jobs", file=sys.stderr)
                return

    def weights(self, used: dict | None) -> dict:
        """Of each cell; all together 1."""
        cells = [cell for belief in self.known.beliefs for cell in belief.cells]
        layouts = sorted({(cell.nodes, cell.ppn) for cell in cells})
        of = usage.weights_of(used, layouts) if used else dict.fromkeys(layouts, 1 / len(layouts))
        count = {layout: sum((cell.nodes, cell.ppn) == layout for cell in cells) for layout in layouts}
        return {cell: of[cell.nodes, cell.ppn] / count[cell.nodes, cell.ppn] for cell in cells}

    def regret(self) -> float:
        """The expected time of the choices over the best's, less 1, in the weighted mean."""
        return sum(float(value) * self.weight[cell] for belief in self.known.beliefs for cell, value in zip(belief.cells, belief.regrets()))

    def next_round(self) -> tuple[rounds.Round, float] | None:
        """And the regret that is expected after it. None: no measurement is worth what is left."""
        import numpy
        from validation.plan.choose import choose
        beliefs = self.known.beliefs
        weights = [numpy.array([self.weight[cell] for cell in belief.cells]) for belief in beliefs]
        left = self.budget - sum(one.node_hours for one in self.done)

        def on_bill(chosen: tuple[int, int]) -> tuple:
            time = beliefs[chosen[0]].times[chosen[1]]
            return time.cell, time.choice, time.predicted_us, self.table.predicted_us[time.cell][self.known.choices[time.cell]]

        # Where a round's share does not even start a job, this one has all that is left.
        for budget in (left / max(1, self.arguments.rounds - len(self.done)), left):
            bill = cost.Bill(self.arguments.repetitions)
            chosen = choose(beliefs, weights, lambda one: bill.price(*on_bill(one)), budget, lambda one: bill.add(*on_bill(one)))
            if chosen:
                break
        else:
            return None
        for which, number in chosen:  # the table's choice is timed beside each
            belief, cell = beliefs[which], beliefs[which].times[number].cell
            choice = belief.place[cell, self.known.choices[cell]]
            if not belief.known[choice]:
                belief.expect(choice)
        expected, found = self.regret(), {}
        for which, number in chosen:
            time = beliefs[which].times[number]
            found.setdefault(time.cell, []).append(time.choice)
        number = len(self.done) + 1
        return rounds.Round(number, os.path.join(self.arguments.output, f"round-{number}"), bill.node_hours,
                            {cell: sorted(names) for cell, names in found.items()}), expected

    def write(self, one: rounds.Round) -> list[str]:
        arguments = self.arguments
        run = script.Run(batch.mpi_bench(arguments.bench), batch.from_anywhere(arguments.mpirun), arguments.repetitions, 0, 1, 1.3, arguments.nap,
                         batch.Batch(arguments.account, arguments.partition, None))
        return rounds.write_round(one, self.library, self.known.choices, self.rules, run, self.table.predicted_us,
                                  {"table": self.checksum, "series": arguments.series, "expected_regret": self.after, "with_usage": bool(arguments.usage)})

    def write_decided(self) -> str | None:
        from validation.plan.decided import decided_table
        if not self.taken:
            return None
        medians = {cell: {name: statistics.median(values) for name, values in found.items()} for cell, found in self.measured.items()}
        path = os.path.join(self.arguments.output, "decided.json")
        write_beside(path, decided_table(self.path, self.known.beliefs, medians))
        return path


def say(campaign: Campaign, decided: str | None, planned: tuple | None, scripts: list[str]) -> None:
    times = sum(len(belief.times) for belief in campaign.known.beliefs)
    if campaign.arguments.json:
        print(json.dumps({
            "table": campaign.path, "cells": len(campaign.weight), "left_to_library": campaign.known.left_out, "times": times,
            "measured": campaign.taken, "expected_regret_unmeasured": campaign.before, "expected_regret": campaign.after,
            "unfinished": campaign.unfinished, "decided": decided, "usage_without_tasks": campaign.left_out_of_usage,
            "round": planned and {"number": planned[0].number, "node_hours": planned[0].node_hours, "cells": len(planned[0].arms),
                                  "measurements": sum(map(len, planned[0].arms.values())), "expected_regret": planned[1], "scripts": scripts}},
            indent=1))
        return
    print(f"{counted(len(campaign.weight), 'cell')} with {counted(times, 'time')} that could be measured; {campaign.known.left_out} more are left to the library")
    if campaign.left_out_of_usage:
        print(f"{campaign.arguments.usage}: {counted(campaign.left_out_of_usage, 'line')} of whole jobs, their scripts (.batch) and what holds them (.extern), which are no "
              "programs, do not count")
    print(f"expected regret of the choices, nothing measured: {campaign.before:.2%}")
    if campaign.done:
        spent = sum(one.node_hours for one in campaign.done)
        print(f"after {counted(len(campaign.done), 'round')} ({counted(campaign.taken, 'time')}, {spent:.3g} of {campaign.budget:.3g} node-hours planned): {campaign.after:.2%}")
    if decided:
        print(f"{decided}: the table with choices by what is believed now")
    if planned:
        one, expected = planned
        print(f"round {one.number}: {counted(sum(map(len, one.arms.values())), 'measurement')} in {counted(len(one.arms), 'cell')}, {one.node_hours:.3g} node-hours; "
              f"expected regret after it: {expected:.2%}")
        for path in scripts:
            print(f"sbatch {shlex.quote(path)}")
        folder, series = os.path.dirname(scripts[0]), campaign.arguments.series
        words = ["tutti", "validate", campaign.path, "--mpi", *(["--series", series] if series != "4.1" else []),
                 "--plan", os.path.join(folder, "plan.json"), "-o", folder, "--read"]
        print(f"# once they have run: the same command again; verdicts of one folder: {shlex.join(words)}")
    elif not campaign.arguments.read:
        print("no measurement that promises anything fits into what is left of the budget")


def run(arguments: argparse.Namespace) -> int:
    for name, least in (("rounds", 1), ("repetitions", 1), ("nap", 0)):
        if getattr(arguments, name) < least:
            raise ValidationError(f"--{name} {getattr(arguments, name)}: expected {least} or more")
    for name in ("account", "partition"):
        if getattr(arguments, name) and not batch.is_word(getattr(arguments, name)):
            raise ValidationError(f"--{name} {getattr(arguments, name)!r}: expected what sbatch takes, without blanks")
    cost.node_hours(arguments.budget)
    arguments.output = os.path.abspath(arguments.output)  # scripts change their folder
    campaign = Campaign(arguments)
    if campaign.unfinished and not arguments.read:
        raise ValidationError(f"{campaign.unfinished[0]}: expected that it has run to its end ({len(campaign.unfinished)} of the scripts have not): "
                              "run it, or call this with --read")
    decided = campaign.write_decided()
    planned = None if arguments.read else campaign.next_round()
    say(campaign, decided, planned, campaign.write(planned[0]) if planned else [])
    return 0


def main() -> int:
    arguments = parser().parse_args()
    return status_of("tutti plan", lambda: run(arguments))


if __name__ == "__main__":
    sys.exit(main())
