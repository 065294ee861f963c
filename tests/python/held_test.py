"""Python is held to what the command line and plug-ins are: declarations that cannot be, and proofs of what a call has not."""
import unittest
import warnings

import module

module.enter()
import tutti  # noqa: E402


def around(comm, call):
    if comm.rank > 0:
        yield comm.recv(comm.rank - 1, call.output)
    if comm.rank < comm.size - 1:
        comm.send(comm.rank + 1, call.output)


class Declared(unittest.TestCase):
    def test_WhatPlugInsAreRefusedForIsRefused(self):
        for declared, expected in (
                ({"messages": "q+1"}, "messages: unknown name 'q'"), ({"messages": "p/0"}, "messages: 'p/0' gives inf of 4 ranks"),
                ({"requires": ("q==1", "q")}, "requires_that: unknown name 'q'"), ({"ports": "0"}, "expected at least 1"),
                ({"name": "all"}, "means nothing else"), ({"name": "table"}, "means nothing else"), ({"name": "<lambda>"}, "letters, digits and _"),
                ({"parameters": {"p": {"default": 1, "tried": [2]}}}, "no fact of the call")):
            with self.subTest(declared), self.assertRaisesRegex(tutti.InputError, expected):
                tutti.algorithm("bcast", **{"name": "mine", **declared})(around)

    def test_AFormulaTooDeepForTheStackIsRefused(self):
        with self.assertRaisesRegex(tutti.InputError, "expected at most 200 levels"):
            tutti.algorithm("bcast", name="deep", messages="(" * 5000 + "p" + ")" * 5000)(around)
        with self.assertRaisesRegex(tutti.InputError, "operators in a row"):
            tutti.algorithm("bcast", name="long", messages="0" + "+p" * 100000)(around)

    def test_LessThanNoScratchIsRefused(self):
        @tutti.algorithm("bcast", name="owing")
        def owing(comm, call):
            comm.scratch(-1)

        with self.assertRaisesRegex(Exception, "scratch of -1 elements"):
            tutti.simulate("bcast", machine="example-cluster", algorithm=owing, nodes=2, bytes=8)
        self.assertIn("scratch of -1 elements", tutti.verify(owing, ranks=2)[0].refuted.message)


class Verified(unittest.TestCase):
    def test_WhatNoneOfTheCallsHasIsRefusedInTheWordsOfPython(self):
        for asked, expected in (({"root": 2}, r"\Aroot 2: none of these has a root"), ({"ranks": 0}, r"\Aranks 0: expected"),
                                ({"count": -1}, r"\Acount -1: expected 0 to"), ({"limit": 0}, r"\Alimit: expected")):
            with self.subTest(asked), self.assertRaisesRegex(tutti.InputError, expected):
                tutti.verify("ring", collective="allreduce", **{"ranks": 5, **asked})
        with self.assertRaisesRegex(tutti.InputError, r"\Aroot 9: expected a rank, from 0 to 4"):
            tutti.verify("binomial", collective="bcast", ranks=5, root=9)
        for asked in ({"count": 4}, {"element": 4}):
            with self.assertRaisesRegex(tutti.InputError, "a barrier has no elements"):
                tutti.verify("linear", collective="barrier", ranks=5, **asked)

    def test_NumbersOfRanksWithoutTheRootAreAWarning(self):
        with self.assertWarnsRegex(tutti.TuttiWarning, "left out: 1, 2, 3 ranks, which have no rank 3"):
            found, = tutti.verify("binomial", collective="bcast", ranks="1-5", root=3)
        self.assertTrue(found.ok)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tutti.verify("binomial", collective="bcast", ranks="4,5", root=3)

    def test_NamesAreThoseOfTheCommandLine(self):
        for collective in ("", "allreduce"):
            self.assertEqual([(found.collective, found.algorithm) for found in tutti.verify(["allreduce/ring", "allreduce/hier(node=flat)"], ranks=3,
                                                                                            collective=collective)],
                             [("allreduce", "ring"), ("allreduce", "hier(node=flat)")])
        with self.assertRaisesRegex(tutti.InputError, "expected one of bcast"):
            tutti.verify("allreduce/ring", collective="bcast")


if __name__ == "__main__":
    unittest.main()
