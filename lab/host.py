"""Runs a command in a host: its network, its own name, and the names of all hosts."""
import ctypes
import os
import socket

from lab import LabError, state
from lab.shapes import EAGER_BYTES

CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWUTS = 0x40000000, 0x00020000, 0x04000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18

# Isolated, Python seeks modules in no folder that others may write to; this package's own is given.
RUN_LAB = 'import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module("lab", run_name="__main__", alter_sys=True)'

libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments) -> None:
    if getattr(libc, name)(*arguments) != 0:
        raise LabError(f"{name}: {os.strerror(ctypes.get_errno())}")


def enter(lab: str, host: str) -> None:
    """Moves this process into the host."""
    hosts = state.record(lab)["hosts"]
    if host not in hosts:
        raise LabError(f"there is no host {host}: expected {hosts[0]} to {hosts[-1]}")
    handle = os.open(os.path.join(state.NAMESPACES, state.namespace(lab, host)), os.O_RDONLY)
    call("setns", handle, CLONE_NEWNET)
    os.close(handle)
    call("unshare", CLONE_NEWNS | CLONE_NEWUTS)
    socket.sethostname(host)
    # What is mounted from here on stays in this process's own view.
    call("mount", b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None)
    call("mount", os.path.join(state.folder(lab), "hosts").encode(), b"/etc/hosts", None, ctypes.c_ulong(MS_BIND), None)


def open_mpi_settings(lab: str) -> dict[str, str]:
    """What lets a plain mpirun start its processes on the lab's hosts, one in each slot, and use its network alone."""
    agent = os.path.join(state.folder(lab), "agent")
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_plm_rsh_agent": agent, "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
            "OMPI_MCA_orte_default_hostfile": os.path.join(state.folder(lab), "hostfile"),
            # The same for the launcher of Open MPI 5, PRRTE.
            "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PRTE_MCA_plm_ssh_agent": agent, "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
            "PRTE_MCA_prte_default_hostfile": os.path.join(state.folder(lab), "hostfile"),
            "PRTE_MCA_prte_if_include": "eth0", "PRTE_MCA_hwloc_default_binding_policy": "none",
            "OMPI_MCA_oob_tcp_if_include": "eth0", "OMPI_MCA_btl_tcp_if_include": "eth0",
            "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "^ucx,cm",
            # All messages are eager: a clearance would queue behind the data of the other direction in the pair's one connection,
            # and the directions of an exchange would take turns.
            **{f"OMPI_MCA_btl_tcp_{size}": str(EAGER_BYTES) for size in ("eager_limit", "rndv_eager_limit", "max_send_size")},
            # More ranks than cores: waiting ranks yield, and poll their connections cheaply.
            "OMPI_MCA_opal_event_include": "epoll", "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}


def mpich_settings(lab: str) -> dict[str, str]:
    """The same for the launcher of MPICH, hydra, and for UCX, which would find a shorter way between hosts of one machine."""
    folder = state.folder(lab)
    return {"HYDRA_LAUNCHER": "rsh", "HYDRA_LAUNCHER_EXEC": os.path.join(folder, "agent"),  # of ssh it would ask for options
            "HYDRA_HOST_FILE": os.path.join(folder, "hydra-hostfile"), "HYDRA_IFACE": "eth0",
            "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}


def runtime_settings() -> dict[str, str]:
    """The same for programs that use the runtime: all messages are eager, and waiting ranks soon sleep. A peer counts as lost
    only after the time in which the lab's kernel would have retransmitted twice."""
    return {"TUTTI_TRANSPORTS": "tcp", "TUTTI_TCP_INTERFACE": "eth0", "TUTTI_TCP_EAGER_BYTES": str(EAGER_BYTES),
            "TUTTI_POLLS": "8", "TUTTI_TCP_SECONDS": "60"}


def agent_text(lab: str, python: str) -> str:
    """The program that mpirun calls as AGENT HOST COMMAND… in place of ssh."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return f"#!/bin/sh\nexec '{python}' -I -B -c '{RUN_LAB}' '{folder}' agent --name {lab} \"$@\"\n"


def run(lab: str, host: str, command: list[str]) -> None:
    """Becomes the command, in the host."""
    settings = open_mpi_settings(lab) | mpich_settings(lab) | runtime_settings()
    os.environ.update({key: value for key, value in settings.items() if key not in os.environ})
    enter(lab, host)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise LabError(f"{command[0]}: {error.strerror}") from error
