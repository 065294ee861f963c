"""`tutti export --module` and `--extend`: what lies beside the file, and what the file has nothing for."""
import json
import os
import re
import subprocess
import unittest

from program import ProgramTest


class Export(ProgramTest):
    def test_OfAnExportWithModuleNamesTheFileInAllThree(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives", "bcast", "-o", "t.json")
        self.output("export", "t.json", "--to", "ucc", "--module", "-o", "ucc.conf")
        path = os.path.join(os.path.realpath(self.folder), "ucc.conf")
        for end, line in ((".lua", f'setenv("UCC_CONFIG_FILE", "{path}")'), (".tcl", f'setenv UCC_CONFIG_FILE "{path}"'),
                          (".sh", f'export UCC_CONFIG_FILE="{path}"'), (".sh", 'export UCC_CL_BASIC_TLS="ucp"')):
            self.assertIn(line, self.read("ucc.conf" + end).replace(self.folder, os.path.realpath(self.folder)))
        self.output("export", "t.json", "--to", "intel", "--module", "-o", "intel.sh")
        said = subprocess.run(["sh", "-ec", "SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=2; . ./intel.sh.sh; echo $I_MPI_ADJUST_BCAST"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertRegex(said.stdout, r"^[1-9]", said.stderr)
        said = subprocess.run(["sh", "-euc", "nodes=mine; ranks=too; . ./intel.sh; echo $nodes $ranks ${I_MPI_ADJUST_BCAST:-none}"], cwd=self.folder,
                              capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
        self.assertEqual(said.stdout, "mine too none\n")
        self.assertIn("the library picks by itself", said.stderr)
        for name in ("$x.sh", '"x".sh'):
            done = self.call("export", "t.json", "--to", "intel", "--module", "-o", name)
            self.assertIn(f"{name}: expected a path without ", done.stderr)
            self.assertEqual(done.returncode, 2)
            self.assertFalse(os.path.exists(os.path.join(self.folder, name)))

    def test_OfAnExportWithModuleIsThereForEveryForm(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "2", "--ppn", "2", "--bytes", "8", "--collectives", "bcast,allreduce", "--baselines",
                    "mpich,mpich-5.0,mvapich2-2.3,open-mpi-4.1,open-mpi-5.0,open-mpi-5.0-without-han,ucc-1.3", "-o", "t.json")
        self.output("tune", "--machine", "example-cluster", "--nodes", "2", "--ppn", "2", "--bytes", "64M", "--collectives", "allreduce", "--for", "nccl", "-o",
                    "n.json")
        forms = re.findall(r"^  ([a-z][a-z0-9.-]+): ", self.output("export", "--help"), re.M)
        self.assertGreater(len(forms), 10)
        for form in forms:
            table = "n.json" if form == "nccl" else "t.json"
            self.output("export", table, "--to", form, "--module", "-o", f"it's.{form}")
            for end in (".lua", ".tcl", ".sh"):
                self.assertTrue(os.path.exists(self.path(f"it's.{form}{end}")), form)
            subprocess.run(["bash", "-n", self.path(f"it's.{form}.sh")], check=True)

    def test_OfAnExtendedExportIsWhatNoRuleIsFor(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "2,3,5,8", "--osu-sizes", "8:4M", "--collectives", "allgather", "--baselines", "mpich",
                    "--confirm", "none", "-o", "t.json")
        done = self.call("export", "t.json", "--to", "intel", "--extend", "-o", "r.sh", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (remark,) = [one for one in json.loads(done.stdout)["remarks"] if one.startswith("allgather: nothing for ")]
        for nodes in (4, 6, 7, 9, 16):
            said = json.loads(self.output("explain", "allgather", "--machine", "example-cluster", "--nodes", str(nodes), "--bytes", "36K", "--library", "intel",
                                          "--file", "r.sh", "--json"))
            has_rule = said["rule"] is not None and "none of" not in str(said["because"])
            listed = re.search(rf"\b{nodes} x 1", remark) is not None or (nodes >= 9 and "9 and more" in remark)
            self.assertEqual(has_rule, not listed, (nodes, remark, said["rule"], said["because"]))


if __name__ == "__main__":
    unittest.main()
