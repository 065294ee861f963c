"""The man page and the completion say what the program says of itself."""
import re
import shlex
import shutil
import subprocess
import unittest

from program import ProgramTest


class Manual(ProgramTest):
    def verbs(self):
        return re.findall(r"^  ([a-z]+)  ", self.output("--help").split("Subcommands:")[1], re.M)

    def test_TheManPageHasASectionForEachVerbWithItsOptionsAndExample(self):
        page = self.output("manual").replace("\\-", "-")
        self.assertEqual(re.findall(r"^\.SH ([a-z]+)$", page, re.M), self.verbs())
        for expected in (".B --most-messages", "Example: tutti simulate ", "Exit status: 0 done"):
            self.assertIn(expected, page)

    def test_EachVerbHasAPageOfItsOwn(self):
        self.assertEqual(self.output("manual", "--verbs").split(), self.verbs())
        page = self.output("manual", "simulate").replace("\\-", "-")
        for expected in (".TH TUTTI-SIMULATE 1", "tutti-simulate - ", ".B --machine", "Example: tutti simulate "):
            self.assertIn(expected, page)
        self.assertNotIn("Example: tutti tune", page)
        done = self.call("manual", "simulat")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("did you mean simulate?", done.stderr)

    @unittest.skipUnless(shutil.which("groff"), "no groff here")
    def test_ManPagesAreSoundTroff(self):
        for of in ((), ("simulate",), ("tune",)):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-Kutf8"], input=self.output("manual", *of), capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), of)

    def completed(self, *words):
        script = self.write("completion", self.output("completion"))
        shell = f'. ./{script}; COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _tutti; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", shell], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_VerbsOptionsAndFilesAreCompleted(self):
        self.assertEqual(self.completed("tutti", "sim"), ["simulate"])
        self.assertEqual(self.completed("tutti", "simulate", "--mac"), ["--machine"])
        self.write("table.json", "{}")
        self.assertEqual(self.completed("tutti", "export", "tab"), ["table.json"])

    def test_VerbsThatOnlyTheirOwnProgramKnowsAreToldOf(self):
        page = self.output("manual", "validate").replace("\\-", "-")
        for expected in ("usage: tutti validate [-h] -o FOLDER", "usage: tutti validate [-h] --mpi -o FOLDER", "  --series {4.1,5.0}", "Example: tutti validate "):
            self.assertIn(expected, page)
        told, scripts = {}, {shell: self.output("completion", shell) for shell in ("bash", "zsh", "fish")}
        for shell, of_verb, name in (("bash", r"^    (\w+)\) words=\"(.*)\" ;;$", r"--([\w-]+)"),
                                     ("zsh", r"^    (\w+)\) _arguments \\\n((?:.*\\\n)*)", r"^      '--([\w-]+)"),
                                     ("fish", r"^complete -c tutti -n '__fish_seen_subcommand_from (\w+)' -l (.*)$", r"^([\w-]+)")):
            for verb, words in re.findall(of_verb, scripts[shell], re.M):
                told.setdefault((shell, verb), []).extend(re.findall(name, words, re.M))
        for verb, some in (("plan", {"budget", "output", "usage", "rounds", "json"}), ("follow", {"mpi", "for", "json"}),
                           ("validate", {"launch", "decide", "mpi", "series", "batch"}), ("lab", {"fat-tree", "rate"})):
            self.assertLessEqual(some, set(told["bash", verb]))
            self.assertEqual(len(told["bash", verb]), len(set(told["bash", verb])), verb)
            for shell in ("zsh", "fish"):
                self.assertEqual(told[shell, verb], told["bash", verb], (shell, verb))
        self.assertIn("      '--budget=[of all rounds together\\: 20nh]:value:_files' \\\n", scripts["zsh"])
        self.assertIn("-l read -d 'only learn from the rounds that have run; plan none'", scripts["fish"])

    def options(self, verb):
        return set(re.findall(r"^  (?:-., ?)?(--[a-z-]+)", self.output(verb, "--help"), re.M)) - {"--help"}

    def test_FishIsToldOfEveryVerbAndOption(self):
        told = [shlex.split(line) for line in self.output("completion", "fish").splitlines()[1:]]
        self.assertEqual([words[words.index("-a") + 1] for words in told if "-a" in words], self.verbs())
        of_tune = {"--" + words[words.index("-l") + 1] for words in told if words[4] == "__fish_seen_subcommand_from tune"}
        self.assertEqual(of_tune - {"--help"}, self.options("tune"))
        for words in told:
            self.assertEqual(words[:3], ["complete", "-c", "tutti"])
            self.assertEqual(words[-2], "-d")

    def test_ZshIsToldOfEveryVerbAndOption(self):
        script = self.output("completion", "zsh")
        self.assertTrue(script.startswith("#compdef tutti\n"))
        verbs, rest = script.split("local -a verbs=(")[1].split("\n)\n", 1)
        self.assertEqual([word.split(":")[0] for word in shlex.split(verbs)], self.verbs())
        of_tune = rest.split("    tune) _arguments")[1].split(";;")[0].replace("\\\n", " ")
        told = {re.match(r"--[a-z-]+", word).group() for word in shlex.split(of_tune) if word.startswith("--")}
        self.assertEqual(told - {"--help"}, self.options("tune"))

    @unittest.skipUnless(shutil.which("zsh") and shutil.which("fish"), "no zsh or no fish here; what they are told is looked at all the same")
    def test_ZshAndFishReadIt(self):
        for shell, check in (("zsh", "-n"), ("fish", "--no-execute")):
            done = subprocess.run([shell, check, self.write("script", self.output("completion", shell))], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)


if __name__ == "__main__":
    unittest.main()
