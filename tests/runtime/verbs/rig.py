#!/usr/bin/env python3
"""Virtual machines with a software RDMA device each, on one Ethernet hub: real verbs without an adapter.

    rig.py --machines 4 --share FOLDER -- COMMAND …

runs COMMAND in every machine (a shell line; FOLDER is /tmp/share there, RIG_MACHINE the machine's number from 0, RIG_ADDRESS its
address) and prints what each printed. Everything else of the host is there read-only. Ends with 0 if the command ended with 0 in
every machine, 1 if not, 77 where such machines cannot run. Emulation is slow: this shows that things are right, never how fast."""
import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import kernel

MTU = 9000  # a message of the software device then holds 4 KiB
# Kernel and libraries copy and clear by the byte where they are told that this is fast, and emulated each byte is an instruction; the others
# guard or extend what nothing here needs, at a price on every system call and every page that is looked up.
PROCESSOR = "max,-erms,-fsrm,-smap,-smep,-la57"


def address(machine):
    return f"10.0.0.{machine + 1}"


def network(machine, ends):
    """An adapter for each list of sockets. Machine 0's process holds the hub of each, the others' ends are plugged into it."""
    options = []
    for adapter, plugs in enumerate(ends):
        if machine > 0:
            options += ["-netdev", f"socket,id=adapter{adapter},fd={plugs[0].fileno()}"]
        else:
            options += ["-netdev", f"hubport,id=adapter{adapter},hubid={adapter}"]
            for number, end in enumerate(plugs):
                plug = f"{adapter}p{number}"
                options += ["-netdev", f"socket,id=plug{plug},fd={end.fileno()}",
                            "-netdev", f"hubport,id=port{plug},hubid={adapter},netdev=plug{plug}"]
        options += ["-device", f"virtio-net-pci,netdev=adapter{adapter},mac=52:54:00:12:{adapter:02x}:{machine:02x},romfile="]
    return options


def start(machine, machines, ends, share, megabytes):
    """A QEMU that runs the machine to its end. Its console goes to console.N in the share."""
    vmlinux, first = kernel.make()
    # On a loaded host the kernel's check of its timer can fail, which is a panic, and its measurement of the processor's
    # clock be far off, so that limits come too soon or late: that of the HPET is known.
    arguments = (f"console=ttyS0 quiet panic=-1 mitigations=off no_timer_check clocksource=hpet rig_machine={machine} rig_machines={machines} "
                 f"rig_address={address(machine)} rig_mtu={MTU}")
    command = ["qemu-system-x86_64", "-M", "pc", "-accel", "tcg,thread=multi", "-cpu", PROCESSOR, "-smp", "1", "-m", str(megabytes),
               "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio",
               "-kernel", vmlinux, "-initrd", first, "-append", arguments,
               "-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
               "-device", "virtio-9p-pci,fsdev=host,mount_tag=host",
               "-fsdev", f"local,id=share,path={share},security_model=none",
               "-device", "virtio-9p-pci,fsdev=share,mount_tag=share", *network(machine, ends)]
    with open(os.path.join(share, f"console.{machine}"), "w") as console:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT,
                                pass_fds=[end.fileno() for plugs in ends for end in plugs])


def run(machines, share, command, seconds, megabytes=384, cards=1, while_running=None):
    """Runs the command in that many machines at once; returns their statuses, None for a machine that gave none in time.
    With `cards` network cards each, every one on a hub of its own.
    `while_running(processes)`, if given, is called once all are started: a test may stop one of them there."""
    if not shutil.which("qemu-system-x86_64"):
        raise kernel.Unavailable("qemu-system-x86_64 is not installed")
    share = os.path.abspath(share)
    for name in os.listdir(share):
        if name.split(".")[0] in ("output", "status", "console", "begun", "over"):
            os.remove(os.path.join(share, name))
    with open(os.path.join(share, "command"), "w") as file:
        file.write(command + "\n")
    # Not over TCP, which keeps a packet back until the one before is acknowledged: up to 40 ms.
    wires = [[socket.socketpair() for _ in range(1, machines)] for _ in range(cards)] if machines > 1 else []
    processes = []
    try:
        for machine in range(machines):
            ends = [[hub for hub, _ in plugs] if machine == 0 else [plugs[machine - 1][1]] for plugs in wires]
            processes.append(start(machine, machines, ends, share, megabytes))
        for end in (end for plugs in wires for pair in plugs for end in pair):
            end.close()  # or nobody would see that a machine is no more
        if while_running:
            while_running(processes)
        end = time.monotonic() + seconds
        # The first holds the hub: the others' network ends with it.
        for process in [*processes[1:], processes[0]]:
            if process is processes[0]:
                open(os.path.join(share, "over"), "w").close()
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
            process.wait()
    return [status(share, machine) for machine in range(machines)]


def status(share, machine):
    try:
        with open(os.path.join(share, f"status.{machine}")) as file:
            return int(file.read())
    except (FileNotFoundError, ValueError):
        return None


def text(share, kind, machine):
    try:
        with open(os.path.join(share, f"{kind}.{machine}"), errors="replace") as file:
            return file.read().replace("\r", "")
    except FileNotFoundError:
        return ""


def report(share, statuses, stream):
    for machine, each in enumerate(statuses):
        print(f"-- machine {machine}: {'no status in time' if each is None else f'status {each}'}", file=stream)
        print(text(share, "output", machine), end="", file=stream)
        if each is None:
            print("   console:\n" + text(share, "console", machine)[-2000:], file=stream)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=1)
    parser.add_argument("--share", help="the folder that is /tmp/share in the machines (a temporary one by default)")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        share = arguments.share or temporary
        try:
            statuses = run(arguments.machines, share, " ".join(arguments.command), arguments.seconds)
        except kernel.Unavailable as error:
            print(f"rig.py: no test machines here: {error}", file=sys.stderr)
            return 77
        report(share, statuses, sys.stdout)
    return 0 if all(each == 0 for each in statuses) else 1


if __name__ == "__main__":
    sys.exit(main())
