"""The algorithms of Open MPI in our names, and how each is forced."""
import json
import os
import subprocess

from validation import ValidationError

VARIABLES = {"segment": "coll_tuned_{}_algorithm_segmentsize", "fanout": "coll_tuned_{}_algorithm_chain_fanout"}


class OpenMpi:
    """`series`: "4.1" or "5.0"."""

    def __init__(self, series: str):
        done = subprocess.run([os.environ["TUTTI_PROGRAM"], "list", "--json"], capture_output=True, text=True)
        if done.returncode:
            raise ValidationError(done.stderr.strip())
        self.algorithms = {(one["collective"], one["name"]): one for one in json.loads(done.stdout)
                           if series in one["open_mpi"]}
        self.id_of = {key: one["open_mpi"][series] for key, one in self.algorithms.items()}

    def settings(self, collective: str, choice: str) -> dict[str, int] | None:
        """The control variables that force the choice; None where a rules file cannot say it: the library lacks it, or
        its parameters are others than a fan-out and a segment."""
        name, *words = choice.split(":")
        algorithm = self.algorithms.get((collective, name))
        if not algorithm:
            return None
        given = {key: int(value) for key, value in (word.split("=") for word in words)}
        settings = {f"coll_tuned_{collective}_algorithm": self.id_of[collective, name]}
        for parameter in algorithm["parameters"]:
            value = given.get(parameter["name"], parameter["default"])
            if parameter["name"] in VARIABLES:
                settings[VARIABLES[parameter["name"]].format(collective)] = value
            elif value != parameter["default"]:
                return None
        return settings

    def choice(self, collective: str, identity: int, fanout: int, segment: int) -> str:
        """What a rule of a rules file means."""
        for (of, name), algorithm in self.algorithms.items():
            if of == collective and self.id_of[of, name] == identity:
                given = {"fanout": max(fanout, 1), "segment": segment}
                return ":".join([name] + [f"{parameter['name']}={given[parameter['name']]}"
                                          for parameter in algorithm["parameters"] if parameter["name"] in given and
                                          given[parameter["name"]] != parameter["default"]])
        raise ValidationError(f"{collective}: the rules name algorithm {identity}, which this Open MPI lacks")
