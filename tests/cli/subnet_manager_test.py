"""A fabric as a subnet manager routes it: ibsim plays the switches, opensm routes them, and their own tools say what they made."""
import glob
import json
import os
import re
import shutil
import subprocess
import time
import unittest

from program import ProgramTest

LEAVES, SPINES, HOSTS = 3, 2, 3  # hosts of a leaf
LIBRARIES = glob.glob("/usr/lib/*/umad2sim/libumad2sim.so") + glob.glob("/usr/lib*/umad2sim/libumad2sim.so")
PROGRAMS = "ibsim", "opensm", "ibnetdiscover", "dump_lfts"


def listing():
    """As ibnetdiscover prints one: two cables from each leaf to each spine."""
    leaf, spine, host = (lambda n: f"{0xa00 + n:016x}"), (lambda n: f"{0xb00 + n:016x}"), (lambda n: f"{0xc00 + 16 * n:016x}")
    text, switches = "", []
    for number in range(LEAVES):
        ports = [f'[{h + 1}]\t"H-{host(number * HOSTS + h)}"[1] # "node{number * HOSTS + h + 1} HCA-1" 4xEDR' for h in range(HOSTS)]
        ports += [f'[{10 + 2 * s + c}]\t"S-{spine(s)}"[{2 * number + c + 1}] # 4xEDR' for s in range(SPINES) for c in range(2)]
        switches.append((leaf(number), f"leaf-{number + 1}", ports))
    for number in range(SPINES):
        switches.append((spine(number), f"spine-{number + 1}",
                         [f'[{2 * n + c + 1}]\t"S-{leaf(n)}"[{10 + 2 * number + c}] # 4xEDR' for n in range(LEAVES) for c in range(2)]))
    for guid, name, ports in switches:
        text += f'switchguid=0x{guid}\nSwitch\t36 "S-{guid}" # "{name}" enhanced port 0\n' + "\n".join(ports) + "\n\n"
    for number in range(LEAVES * HOSTS):
        text += (f'caguid=0x{host(number)}\nCa\t1 "H-{host(number)}" # "node{number + 1} HCA-1"\n'
                 f'[1]\t"S-{leaf(number // HOSTS)}"[{number % HOSTS + 1}] # 4xEDR\n\n')
    return text


class SubnetManager(ProgramTest):
    def setUp(self):
        super().setUp()
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        missing = [program for program in PROGRAMS if not shutil.which(program, path=path)]
        if missing or not LIBRARIES:
            self.skipTest(f"no {missing[0] if missing else 'libumad2sim'} (Debian: ibsim-utils, opensm, infiniband-diags)")
        self.environment = {**os.environ, "PATH": path, "IBSIM_SOCKNAME": f"tutti-{os.getpid()}", "SIM_HOST": "node1 HCA-1",
                            "OSM_CACHE_DIR": self.folder, "OSM_TMP_DIR": self.folder}
        self.write("net", listing())
        with open(self.path("ibsim.log"), "w", encoding="utf-8") as log:
            simulator = subprocess.Popen(["ibsim", "-s", "net"], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=log, stderr=log)
        self.addCleanup(simulator.wait)
        self.addCleanup(simulator.terminate)
        self.addCleanup(simulator.stdin.close)
        for _ in range(600):
            if "simulator ready" in self.read("ibsim.log"):
                return
            if simulator.poll() is not None:
                break
            time.sleep(0.1)
        self.skipTest("ibsim does not run here: " + self.read("ibsim.log")[-200:])

    def tool(self, *words):
        done = subprocess.run(words, cwd=self.folder, env={**self.environment, "LD_PRELOAD": LIBRARIES[0]}, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return done.stdout

    def test_ItsCablesAndRoutesAreThoseOfTheMachine(self):
        self.tool("opensm", "-o", "-R", "minhop", "-f", self.path("osm.log"))
        self.write("fabric.txt", self.tool("ibnetdiscover"))
        self.write("lfts.txt", self.tool("dump_lfts"))
        report = json.loads(self.output("machine", "--from", "ibnetdiscover=fabric.txt", "--from", "lfts=lfts.txt", "-o", "my.json", "--json"))
        self.assertEqual((report["nodes"], report["switches"], report["cables_between_switches"]), (9, 5, 12))
        self.assertEqual(report["contradictions"], [])
        routes = {(words[1], words[2]): words[3:] for words in (line.split(",") for line in self.read("my.cables.csv").split("\n")) if words[0] == "route"}
        tables = re.findall(r"^0x(\w+) (\d+) : \(Channel Adapter .* '(node\d+)|^Unicast .*\((.*)\):$", self.read("lfts.txt"), re.M)
        at, seen = "", 0
        for _, port, node, switch in tables:
            at = switch or at
            if not node or not at.startswith("leaf") or int(port) <= HOSTS:
                continue
            spine, cable = divmod(int(port) - 10, 2)  # as the listing numbers them
            next_switch, *which = routes[at, node]
            self.assertEqual((next_switch, int(which[0]) if which else 0), (f"spine-{spine + 1}", cable), (at, node))
            seen += 1
        self.assertEqual(seen, LEAVES * (LEAVES - 1) * HOSTS)
        self.assertRegex(self.output("simulate", "alltoall", "--machine", "my.json", "--algorithm", "pairwise", "--nodes", "9", "--ppn", "1", "--bytes", "9M"),
                         r"pairwise +\d")


if __name__ == "__main__":
    unittest.main()
