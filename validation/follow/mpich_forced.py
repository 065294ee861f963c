"""Where an algorithm of ours stands for one of MPICH's that sends other messages, MPICH itself is asked: what it sends under the file must be
what it sends where its variables force the algorithm that the file names."""
import copy
import json
import re
import subprocess

from validation.follow import probe


def variable_of(tutti, collective, choice):
    """What forces the choice; None: nothing does, or its parameters would be the library's."""
    done = subprocess.run([tutti, "list", collective, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise probe.ProbeError(f"tutti list: {done.stderr.strip()}")
    theirs = next((each["mpich"] for each in json.loads(done.stdout) if each["name"] == choice and not each["parameters"]), None)
    found = re.fullmatch(r"MPIR_[A-Z][a-z_]*_intra_(\w+)", theirs or "")
    return found and (f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM", found.group(1))


def with_variable(mpi, name, value):
    """The same library without files, and without the compositions that come before the variable."""
    forced = copy.copy(mpi)
    forced.environment = {key: each for key, each in mpi.environment.items() if not key.endswith("_TUNING_JSON_FILE")}
    forced.environment |= {"MPIR_CVAR_DEVICE_COLLECTIVES": "none", name: value}
    return forced


def settle(tutti, mpi, doubtful):
    """Of [(call, choice, why our messages do not tell, what was sent)] yields (call, followed; None: it cannot be told, text)."""
    by_choice = {}
    for call, choice, reason, sent in doubtful:
        by_choice.setdefault((call.collective, choice), []).append((call, reason, sent))
    for (collective, choice), cases in by_choice.items():
        variable = variable_of(tutti, collective, choice)
        if not variable:
            yield from ((call, None, f"cannot be told from {choice}: {reason}") for call, reason, _ in cases)
            continue
        outcomes = with_variable(mpi, *variable).run([(call, {}) for call, _, _ in cases])
        for (call, _, sent), outcome in zip(cases, outcomes, strict=True):
            if outcome.matrix == sent:
                yield call, True, f"{choice}: what MPICH sends where {variable[1]} is forced"
            else:
                yield call, False, (f"NOT FOLLOWED: the file says {choice}, which is {probe.matrix_text(outcome.matrix)[:300]} where it is "
                                    f"forced, the messages are {probe.matrix_text(sent)[:300]}")
