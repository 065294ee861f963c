"""Algorithms in Python: proven, refuted and simulated as those in C++ are."""
import gc
import subprocess
import sys
import traceback
import unittest

import module

module.enter()
import tutti  # noqa: E402

CLUSTER = "example-cluster"


def own(collective="bcast", **declared):
    return tutti.algorithm(collective, **declared)


def rows(frame):
    return frame.to_dict("records") if hasattr(frame, "to_dict") else frame


def verdict(algorithm, **asked):
    return tutti.verify(algorithm, **{"ranks": "1-9", **asked})[0]


def around(comm, call, last=1):
    """From rank to rank."""
    rank = (comm.rank - call.root) % comm.size
    if rank > 0:
        yield comm.recv((comm.rank - 1) % comm.size, call.output)
    if rank < comm.size - last:
        comm.send((comm.rank + 1) % comm.size, call.output)


CHAIN = dict(rounds="p-1", messages="p-1", bytes="(p-1)*n")


def binomial(comm, call):
    size, rank = comm.size, (comm.rank - call.root) % comm.size
    mask = 1
    while mask < size:
        if rank & mask:
            yield comm.recv((rank - mask + call.root) % size, call.output)
            break
        mask *= 2
    sends = []
    while mask > 1:
        mask //= 2
        if rank + mask < size:
            sends.append(comm.send((rank + mask + call.root) % size, call.output))
    yield sends


async def ring(comm, call):
    rank, size = comm.rank, comm.size
    await comm.copy(call.block(rank), call.input)
    for step in range(size - 1):
        await comm.exchange((rank + 1) % size, call.block((rank - step) % size), (rank - 1) % size, call.block((rank - step - 1) % size))


class Proof(unittest.TestCase):
    def test_AnAlgorithmIsProvenWithItsCounts(self):
        proven = verdict(own(name="around", **CHAIN)(around), ranks="1-17")
        self.assertTrue(proven.ok)
        self.assertEqual((proven.collective, proven.algorithm, proven.fallen_back, proven.excluded), ("bcast", "around", 0, 0))
        self.assertGreater(proven.proven, 200)

    def test_CountsThatAreNotDeclaredAreNotChecked(self):
        self.assertTrue(verdict(own()(around)).ok)

    def test_CountsThatAreDeclaredAre(self):
        for count, wrong in (("rounds", "p"), ("messages", "p"), ("bytes", "p*n")):
            refuted = verdict(own(**{**CHAIN, count: wrong})(around)).refuted
            self.assertEqual(refuted.kind, "count mismatch")
            self.assertTrue(refuted.message.startswith(count), refuted)

    def test_EachFaultIsNamedWithItsSmallestCase(self):
        def short(comm, call):
            yield from around(comm, call, last=2)

        def swapped(comm, call):
            "Everybody sends its neighbour what nobody wants."
            yield [comm.send((comm.rank + 1) % comm.size, call.block((comm.rank + 1) % comm.size)),
                   comm.recv((comm.rank - 1) % comm.size, call.block((comm.rank - 1) % comm.size))]

        def racing(comm, call):
            for other in range(comm.size):
                if comm.rank == call.root and other != call.root:
                    comm.send(other, call.output)
            if comm.rank != call.root:
                yield [comm.recv(call.root, call.output), comm.copy(call.output.slice(0, 1), call.output.slice(1, 1))] \
                    if len(call.output) > 1 else comm.recv(call.root, call.output)

        def outside(comm, call):
            yield comm.send(comm.size, call.output)

        def beyond(comm, call):
            yield comm.send(comm.rank, call.output.slice(0, len(call.output) + 1))

        def raising(comm, call):
            if comm.rank == 2:
                raise KeyError("two")
            yield from around(comm, call)

        def endless(comm, call):
            while comm.size == 2:
                pass
            yield from around(comm, call)

        def several(comm, call):
            while comm.size > 1:
                comm.send((comm.rank + 1) % comm.size, call.output)
            yield []

        def nothing(comm, call):
            yield 3

        for function, collective, kind, case, message in (
                (short, "bcast", "deadlock", "ranks=2 count=0", "rank 1 receives from rank 0"),
                (swapped, "allgather", "race", "ranks=1 count=1", "out"),
                (racing, "bcast", "race", "ranks=2 count=2", ""),
                (outside, "bcast", "out of bounds", "ranks=1 count=0", "rank 0 names rank 1 of 1"),
                (beyond, "bcast", "exception", "ranks=1 count=0", r"IndexError: View::slice: not inside a contiguous view"),
                (raising, "bcast", "exception", "ranks=3 count=0", "KeyError: 'two' (own_test.py, line "),
                (endless, "bcast", "endless", "ranks=2 count=0", "not done after 0.2 s"),
                (several, "bcast", "endless", "ranks=2 count=0", ""),
                (nothing, "bcast", "exception", "ranks=1 count=0", "TypeError: expected what an algorithm may wait for")):
            with self.subTest(function.__name__):
                refuted = verdict(own(collective)(function), ranks="1-4", limit=0.2 if kind == "endless" else 1).refuted
                self.assertEqual(refuted.kind, kind, refuted)
                self.assertIn(case, refuted.case)
                self.assertIn(message, refuted.message)

    def test_WrongOperandOrderIsFound(self):
        def reduce_from_the_last(comm, call):
            if comm.rank != call.root:
                yield comm.send(call.root, call.input)
                return
            yield comm.copy(call.output, call.input)
            for other in range(comm.size):
                if other != call.root:
                    yield comm.recv_combine(other, call.output, call.output, "right")

        self.assertEqual(verdict(own("reduce")(reduce_from_the_last)).refuted.kind, "wrong operand order")
        self.assertTrue(verdict(own("reduce", commutative=True)(reduce_from_the_last)).ok)

    def test_OneSizeOfElementsIsProvenAlone(self):
        all_sizes, = tutti.verify("ring", collective="allreduce", ranks="7")
        of_16_bytes, = tutti.verify("ring", collective="allreduce", ranks="7", element=16)
        self.assertTrue(of_16_bytes.ok)
        self.assertLess(of_16_bytes.proven, all_sizes.proven)
        with self.assertRaisesRegex(tutti.InputError, "element 0: expected 1 to 65536 bytes"):
            tutti.verify("ring", collective="allreduce", ranks="7", element=0)

    def test_OfTheLibrarysAlgorithmsIsThatOfTheProgram(self):
        self.assertEqual([found.algorithm for found in tutti.verify("hier(global=linear)", collective="bcast", ranks="7")], ["hier(global=linear)"])
        self.assertIn("bruck", [found.algorithm for found in tutti.verify(collective="alltoallv", ranks="1-3")])
        for found in tutti.verify(collective="allgather", ranks="1-5"):
            self.assertIsNone(found.refuted, found)
        self.assertEqual([found.algorithm for found in tutti.verify(["ring", "recexch:radix=8"], collective="allreduce", ranks="2,3")],
                         ["ring", "recexch:radix=8"])
        with self.assertRaisesRegex(tutti.InputError, "expected the collective of ring"):
            tutti.verify("ring")
        with self.assertRaisesRegex(tutti.InputError, "ranks 0: expected"):
            tutti.verify(collective="bcast", ranks=0)

    def test_CtrlCEndsItAtOnceAlsoWhereANumberOfRanksTakesAMinute(self):
        script = ("import os, signal, threading, time, tutti\n"
                  "begun = time.monotonic()\n"
                  "try:\n"
                  "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                  "    tutti.verify('alltoall/linear', ranks='300', jobs=1, progress=False)\n"
                  "except KeyboardInterrupt:\n    print('interrupted', 'soon' if time.monotonic() - begun < 15 else 'late')")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=300, check=True)
        self.assertEqual((done.stdout, done.stderr), ("interrupted soon\n", ""))


class Simulation(unittest.TestCase):
    def test_TakesAsLongAsTheSameInCpp(self):
        for collective, function, theirs, declared in (
                ("bcast", binomial, "knomial:radix=2", dict(rounds="ceil(log2(p))", messages="p-1", bytes="(p-1)*n")),
                ("allgather", ring, "ring", dict(rounds="p-1", messages="p*(p-1)", bytes="(p-1)*n"))):
            mine = own(collective, name="mine", **declared)(function)
            self.assertTrue(verdict(mine, ranks="1-12").ok)
            for mode in ("isolated", "barrier", "back-to-back:3"):
                frame = rows(tutti.simulate(collective, machine=CLUSTER, algorithm=[theirs, mine], nodes="1-9", ppn=[1, 3],
                                            bytes="0,1K,64K", mode=mode))
                times = {name: [(row["time_us"], row["messages"]) for row in frame if row["algorithm"] == name] for name in (theirs, "mine")}
                self.assertEqual(len(times["mine"]), 54)
                self.assertEqual(times["mine"], times[theirs])

    def test_AGeneratorAndAnAsyncFunctionAreTheSame(self):
        async def piped(comm, call):
            each, rank = call.segment_elements(len(call.output)), (comm.rank - call.root) % comm.size
            for first in range(0, len(call.output), each):
                part = call.output.slice(first, min(each, len(call.output) - first))
                if rank > 0:
                    await comm.recv((comm.rank - 1) % comm.size, part)
                if rank < comm.size - 1:
                    comm.send((comm.rank + 1) % comm.size, part)

        def yielding(comm, call):
            each, rank = call.segment_elements(len(call.output)), (comm.rank - call.root) % comm.size
            for first in range(0, len(call.output), each):
                part = call.output.slice(first, min(each, len(call.output) - first))
                if rank > 0:
                    yield comm.wait(comm.recv((comm.rank - 1) % comm.size, part))
                if rank < comm.size - 1:
                    comm.send((comm.rank + 1) % comm.size, part)

        both = [own(name=function.__name__, parameters={"segment": 65536})(function) for function in (piped, yielding)]
        for algorithm in both:
            self.assertTrue(verdict(algorithm, ranks="1-6").ok)
        frame = rows(tutti.simulate("bcast", machine=CLUSTER, algorithm=[*both, *(one.using(segment=4096) for one in both)], nodes=5,
                                    bytes="64K"))
        whole, same, cut, cut_alike = (row["time_us"] for row in frame)
        self.assertEqual((whole, cut), (same, cut_alike))
        self.assertLess(cut, whole)
        self.assertEqual([row["algorithm"] for row in frame][2:], ["piped:segment=4096", "yielding:segment=4096"])

    def test_OthersAreCalledFromIt(self):
        def twice(comm, call):
            "Nodes' leaders first, then on each node."
            leaders, node = comm.leaders(), comm.group()
            if leaders.is_member:
                yield comm_call(leaders, call, leaders.rank_of(call.root))
            yield comm_call(node, call, 0)

        def comm_call(comm, call, root):
            return comm.call("bcast/binomial", call.with_buffers(call.output, call.output, root))

        two_level = own(by_node=True)(twice)
        self.assertTrue(verdict(two_level, ranks="1-9", root=0).ok)
        self.assertEqual(verdict(own()(twice), root=0, ranks="3").refuted.kind, "undeclared groups")
        frame = rows(tutti.simulate("bcast", machine=CLUSTER, algorithm=two_level, nodes=4, ppn=8, bytes="1K"))
        self.assertEqual(frame[0]["messages"], 31)

    def test_WhatItRaisesReachesTheCallerAsItIs(self):
        class Mine(Exception):
            pass

        def raising(comm, call):
            yield []
            if comm.rank == 1:
                raise Mine("here")

        try:
            tutti.simulate("bcast", machine=CLUSTER, algorithm=own()(raising), nodes=3, bytes=8)
            self.fail("expected what it raises")
        except Mine as error:
            self.assertEqual(traceback.extract_tb(error.__traceback__)[-1].name, "raising")

    def test_WhatItsCallRaisesReachesTheCallerAndTheProof(self):
        def asks_for_more(comm, call, more):
            yield

        def fails(comm, call):
            raise ValueError("boom")

        for body, error in ((asks_for_more, TypeError), (lambda comm: None, TypeError), (fails, ValueError), (lambda comm, call: 1 // 0, ZeroDivisionError)):
            made = own(name="raises")(body)
            with self.subTest(error), self.assertRaises(error):
                tutti.simulate("bcast", machine=CLUSTER, algorithm=made, nodes=3, bytes=8)
            refuted = verdict(made).refuted
            self.assertEqual(refuted.kind, "exception")
            self.assertIn(error.__name__, refuted.message)
            del made

    def test_OneInPythonCallsAnother(self):
        @own(name="inner")
        def inner(comm, call):
            yield comm.call("bcast/binomial", call)

        @own(name="outer", rounds="ceil(log2(p))", messages="p-1", bytes="(p-1)*n")
        def outer(comm, call):
            yield comm.call(inner if comm.rank % 2 else inner.using(), call)

        self.assertIsNone(verdict(outer).refuted)
        one, other = (rows(tutti.simulate("bcast", machine=CLUSTER, algorithm=each, nodes=5, bytes="64K"))[0]["time_us"] for each in (outer, "binomial"))
        self.assertEqual(one, other)

        @own(name="nonsense")
        def nonsense(comm, call):
            yield comm.call(5, call)

        with self.assertRaises(TypeError):
            tutti.simulate("bcast", machine=CLUSTER, algorithm=nonsense, nodes=2, bytes=8)

    def test_ACallThatBelongsToAnotherRankIsRefused(self):
        kept = []

        @own(name="foreign")
        def foreign(comm, call):
            kept.append(comm.call("bcast/binomial", call))
            yield kept[0]

        for _ in range(2):
            kept.clear()
            with self.assertRaisesRegex((RuntimeError, ValueError), "has ended|of another rank"):
                tutti.simulate("bcast", machine=CLUSTER, algorithm=foreign, nodes=4, bytes=64)
        kept.clear()
        self.assertEqual(verdict(foreign).refuted.kind, "exception")

    def test_CtrlCEndsOneThatNeverEnds(self):
        script = ("import os, signal, threading, tutti\n"
                  "@tutti.algorithm('bcast')\ndef idle(comm, call):\n    while True: pass\n    yield\n"
                  "@tutti.algorithm('bcast')\ndef busy(comm, call):\n    while True: yield comm.copy(call.output, call.input)\n"
                  "for each in idle, busy:\n"
                  "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                  "    try: tutti.simulate('bcast', machine='example-cluster', algorithm=each, nodes=4, bytes=64, progress=False)\n"
                  "    except KeyboardInterrupt: print('interrupted')\n")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("interrupted\n" * 2, ""))

    def test_OneThatGetsStuckOrSaysNonsenseIsAnError(self):
        def stuck(comm, call):
            yield comm.recv((comm.rank + 1) % comm.size, call.output)

        with self.assertRaisesRegex(RuntimeError, "got stuck"):
            tutti.simulate("bcast", machine=CLUSTER, algorithm=own()(stuck), nodes=3, bytes=8)
        with self.assertRaisesRegex(TypeError, "expected an algorithm that is a generator"):
            tutti.simulate("bcast", machine=CLUSTER, algorithm=own(name="n")(lambda comm, call: 3), nodes=3, bytes=8)
        with self.assertRaisesRegex(RuntimeError, "wrong results"):
            tutti.simulate("bcast", machine=CLUSTER, algorithm=own(name="idle")(lambda comm, call: None), nodes=3, bytes=8, check=True)

    def test_HandlesThatOutliveTheirCallAreRefused(self):
        kept = []

        def keeping(comm, call):
            kept.append((comm, call))
            yield from around(comm, call)

        tutti.simulate("bcast", machine=CLUSTER, algorithm=own(parameters={"segment": 8})(keeping), nodes=2, bytes=8)
        comm, call = kept[-1]
        for use in (lambda: comm.send(0, call.output), lambda: comm.scratch(3), lambda: call.parameter("segment"), lambda: comm.group()):
            with self.assertRaisesRegex(ValueError, "has ended"):
                use()


class Declaration(unittest.TestCase):
    def test_WhatCannotBeIsRefused(self):
        for text, declared in (("expression 'p+'", {"rounds": "p+"}), ("bcast/a:b: expected a name of letters", {"name": "a:b"}),
                               ("unknown collective", {"collective": "bcats"}), ("colour", {"parameters": {"colour": 3}}),
                               ("is outside its limits", {"parameters": {"segment": {"default": 3, "minimum": 4}}}),
                               ("expected default", {"parameters": {"segment": {"minimum": 4}}})):
            with self.subTest(text), self.assertRaisesRegex(tutti.InputError, text.replace("+", r"\+")):
                own(**declared)(around)
        mine = own(parameters={"radix": {"default": 4, "minimum": 2, "maximum": 8}})(around)
        for parameters in ({"radix": 9}, {"radix": 1}, {"segment": 8}):
            with self.assertRaises(tutti.InputError):
                mine.using(**parameters)

    def test_ANameThatIsTakenIsRefused(self):
        with self.assertRaisesRegex(tutti.InputError, "bcast/binomial is there already"):
            own(name="binomial")(around)

    def test_OneOfAnotherCollectiveIsRefused(self):
        mine = own()(around)
        with self.assertRaisesRegex(tutti.InputError, "bcast/around: expected an algorithm of allreduce"):
            tutti.simulate("allreduce", machine=CLUSTER, algorithm=mine, nodes=2, bytes=8)
        with self.assertRaisesRegex(tutti.InputError, "expected an algorithm of allreduce"):
            tutti.verify(mine, collective="allreduce")

    def test_AConstraintIsKept(self):
        mine = own(requires=("pow2(p)", "a power of two"))(around)
        self.assertGreater(verdict(mine).excluded, 0)
        with self.assertRaisesRegex(tutti.InputError, "cannot run: it needs a power of two"):
            tutti.simulate("bcast", machine=CLUSTER, algorithm=mine, nodes=3, bytes=8)

    def test_AsManyAsOneLikesOneAfterTheOther(self):
        for i in range(200):
            own(name=f"n{i}")(around)
        gc.collect()
        held = []
        with self.assertRaisesRegex(tutti.InputError, "expected at most 64 algorithms in Python at a time"):
            for i in range(65):
                held.append(own(name=f"n{i}")(around))
        self.assertGreater(len(held), 50)
        held.clear()
        self.assertTrue(verdict(own()(around), ranks=2).ok)

    def test_OneThatRefersToItselfIsCollected(self):
        def made():
            def inner(comm, call):
                assert mine
                yield from around(comm, call)
            mine = own()(inner)

        for _ in range(100):
            made()
            gc.collect()


if __name__ == "__main__":
    unittest.main()
