"""Hosts that are names: daemons of Open MPI 5.0 in UTS namespaces of this machine, which it takes for machines of their own. Needs
root."""
import os
import shlex
import tempfile

from validation.follow import probe

AGENT = '#!/bin/sh\nhost=$1\nshift\nexec unshare --uts sh -c "hostname $host; $*"\n'


class Hosts:
    """One for each of `on_hosts`, with so many ranks, `by` slot or by node; `launch` is the beginning of a command that starts them."""

    def __init__(self, mpirun, on_hosts, by="slot"):
        if os.geteuid() != 0:
            raise probe.ProbeError("hosts of one's own need root")
        self.place = tempfile.TemporaryDirectory(prefix="tutti-hosts-")
        agent, hostfile = (os.path.join(self.place.name, name) for name in ("agent", "hosts"))
        with open(agent, "w", encoding="utf-8") as file:
            file.write(AGENT)
        os.chmod(agent, 0o755)
        with open(hostfile, "w", encoding="utf-8") as file:
            file.writelines(f"tutti{node} slots={ranks}\n" for node, ranks in enumerate(on_hosts))
        self.launch = ["unshare", "--uts", "sh", "-c", 'hostname tutti0; exec "$@"', "sh", mpirun, "-np", str(sum(on_hosts)),
                       "--prtemca", "plm_ssh_agent", agent, "--hostfile", hostfile, "--map-by", by,
                       "--bind-to", "none", "--mca", "btl", "tcp,self,sm"]

    def text(self):
        return shlex.join(self.launch)

    def close(self):
        self.place.cleanup()
