"""Where labs are recorded while they are up: a folder each, gone with the next start of the machine as namespaces are."""
import json
import os
import re
import shutil

from lab import LabError
from validation.command import write_beside

ROOT = "/run/tutti-lab"
NAMESPACES = "/run/netns"


def check_name(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9]{1,16}", name):
        raise LabError(f"--name {name}: expected 1 to 16 lower-case letters and digits")
    return name


def namespace(lab: str, place: str) -> str:
    """The name by which ip netns knows a host or switch of a lab."""
    return f"tutti-{lab}-{place}"


def namespaces_of(lab: str) -> list[str]:
    """The namespaces that exist, recorded or not."""
    if not os.path.isdir(NAMESPACES):
        return []
    return sorted(name for name in os.listdir(NAMESPACES) if name.startswith(namespace(lab, "")))


def folder(lab: str) -> str:
    return os.path.join(ROOT, lab)


def labs() -> list[str]:
    return sorted(os.listdir(ROOT)) if os.path.isdir(ROOT) else []


def create(lab: str) -> str:
    """Makes the lab's folder; the name is taken from then on."""
    os.makedirs(ROOT, exist_ok=True)
    try:
        os.mkdir(folder(lab))
    except FileExistsError as error:
        raise LabError(f"the lab {lab} is up already: expected another --name, or tutti lab down --name {lab}") from error
    return folder(lab)


def write(lab: str, name: str, text: str) -> None:
    """Whole or not at all: others ask for a lab's state while it is being made."""
    write_beside(os.path.join(folder(lab), name), text)


def record_if_made(lab: str) -> dict | None:
    """None: it is being made, or there is none."""
    try:
        with open(os.path.join(folder(lab), "lab.json"), encoding="utf-8") as file:
            return json.load(file)
    except ValueError as error:
        raise LabError(f"{file.name}:1: expected the JSON that tutti lab up wrote ({error})") from error
    except (FileNotFoundError, NotADirectoryError):
        return None


def no_lab(lab: str) -> LabError:
    known = ", ".join(labs())
    return LabError(f"there is no lab {lab}: expected " + (f"one of {known}" if known else "tutti lab up first"))


def record(lab: str) -> dict:
    found = record_if_made(lab)
    if found is None:
        raise no_lab(lab)
    return found


def remove(lab: str) -> None:
    shutil.rmtree(folder(lab), ignore_errors=True)
