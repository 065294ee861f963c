"""A real Slurm of one node with four slots, in a folder of its own: munged, slurmctld and slurmd as children of the test."""
import getpass
import os
import shutil
import socket
import subprocess
import time

SLOTS = 4
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "squeue")


def why_not():
    """Why no Slurm can be started here; empty: it can."""
    missing = [program for program in NEEDED if not shutil.which(program, path=PATH)]
    if missing:
        return "there is no " + ", ".join(missing) + ": make deps installs Debian's slurm-wlm and munge"
    return "" if os.geteuid() == 0 else "slurmd needs root"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        """The folder's path must be short: a socket is in it."""
        self.folder, self.daemons = folder, []
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": os.path.join(folder, "slurm.conf")}
        os.chmod(folder, 0o755)
        for name in ("state", "spool", "munge"):
            os.mkdir(os.path.join(folder, name), 0o700 if name != "munge" else 0o755)
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self):
        key = os.path.join(self.folder, "munge", "key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(128))
        at = lambda name: os.path.join(self.folder, "munge", name)
        self._daemon("munged", "--foreground", "--force", "--socket=" + at("socket"), "--key-file=" + key, "--pid-file=" + at("pid"),
                     "--log-file=" + at("log"), "--seed-file=" + at("seed"))
        self._until(lambda: os.path.exists(at("socket")), "munged listens")
        node, user = socket.gethostname().split(".")[0], getpass.getuser()
        with open(self.environment["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write(f"""ClusterName=tutti
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={at("socket")},cred_expire=5
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
KillWait=1
ReturnToService=2
NodeName={node} NodeAddr=127.0.0.1 CPUs={SLOTS} State=UNKNOWN
PartitionName=main Nodes={node} Default=YES MaxTime=INFINITE State=UP
""")
        self._daemon("slurmctld", "-D", "-i")
        self._daemon("slurmd", "-D")
        self._until(lambda: "idle" in self.call("sinfo", "-h", "-o", "%T", check=False), "the node is idle")

    def _daemon(self, *command):
        log = open(os.path.join(self.folder, command[0] + ".txt"), "w", encoding="utf-8")
        self.daemons.append((command[0], subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)))
        log.close()

    def _until(self, holds, what, seconds=60, between=0.2):
        end = time.monotonic() + seconds
        while not holds():
            for name, daemon in self.daemons:
                if daemon.poll() is not None:
                    raise RuntimeError(f"{name} ended before {what}: {self.log(name)}")
            if time.monotonic() > end:
                raise RuntimeError(f"not within {seconds} s: {what}: " + "".join(self.log(name) for name, _ in self.daemons))
            time.sleep(between)

    def log(self, name):
        with open(os.path.join(self.folder, name + ".txt"), encoding="utf-8", errors="replace") as file:
            return file.read()[-3000:]

    def call(self, *command, check=True, cwd=None):
        done = subprocess.run(command, env=self.environment, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def wait_for_jobs(self, seconds=240):
        """Until none waits or runs."""
        self._until(lambda: not self.call("squeue", "-h"), "all jobs ended", seconds, 0.5)

    def stop(self):
        if len(self.daemons) == 3:
            self.call("scancel", "--user", getpass.getuser(), check=False)
            try:
                self.wait_for_jobs(20)
            except RuntimeError:
                pass  # what is left ends with slurmd
        for _, daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
