"""What a lab would be made of, without making it: nothing here needs a namespace."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, ROOT)
from lab import LabError, layout, shapes  # noqa: E402

TUTTI = os.environ["TUTTI_PROGRAM"] = os.path.join(os.environ["TUTTI_BUILD"], "tutti")


def network_of(shape, rate=20e6):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(shapes.machine("test", shape, rate), file)
        file.flush()
        return layout.read_network(file.name)


def walk(plan, source, target):
    """The namespaces that a packet passes, by nothing but devices, cables and forwarding tables."""
    other = {}
    for a, b in plan.cables:
        other[a.namespace, a.device], other[b.namespace, b.device] = b.namespace, a.namespace
    table = {(route.namespace, route.destination): route.device for route in plan.routes}
    path = [f"h{source}"]
    while path[-1] != f"h{target}" and len(path) < 20:
        at = path[-1]
        path.append(other[at, table[at, None if at.startswith("h") else layout.address(target)]])
    return path


class Layout(unittest.TestCase):
    def test_PacketsTakeTheRoutesOfTheSimulator(self):
        for shape in (shapes.fat_tree("4x4", 2, 20e6), shapes.fat_tree("3x6", 2, 20e6), shapes.dragonfly("3x2x2", 20e6),
                      shapes.dragonfly("5x1x3", 20e6), shapes.switch("7", 20e6)):
            network = network_of(shape)
            plan = layout.make_layout(network, 1)
            for route in network["routes"]:
                links = [network["links"][number] for number in route["links"]]
                expected = [layout.short_name(links[0]["from"])] + [layout.short_name(link["to"]) for link in links]
                self.assertEqual(walk(plan, route["from"], route["to"]), expected)

    def test_TheFatTreeTakesTheSpineOfTheDestinationModuloSpines(self):
        plan = layout.make_layout(network_of(shapes.fat_tree("4x4", 2, 20e6)), 1)
        self.assertEqual([walk(plan, 0, target)[2] for target in (4, 5, 10, 15)], ["s4", "s5", "s4", "s5"])
        self.assertEqual(len(plan.cables), 16 + 4 * 2)

    def test_EveryDeviceHasItsOwnNameInItsNamespaceAndHardwareAddress(self):
        plan = layout.make_layout(network_of(shapes.dragonfly("4x3x2", 20e6)), 1)
        ports = [port for cable in plan.cables for port in cable]
        self.assertEqual(len({(port.namespace, port.device) for port in ports}), len(ports))
        self.assertEqual(len({port.mac for port in ports}), len(ports))

    def test_CablesAreAsFastAsTheModelSaysPlusWhatFramesCost(self):
        share = shapes.PAYLOAD_BYTES / shapes.FRAME_BYTES
        plan = layout.make_layout(network_of(shapes.switch("3", 30e6), 30e6), share)
        for cable in plan.cables:
            for port in cable:
                self.assertAlmostEqual(port.bits_per_second, 30e6, delta=10)

    def test_WhatNoLabCanBeIsRefused(self):
        for refused, expected in ((lambda: shapes.parse_rate("fast"), "a rate from"),
                                  (lambda: shapes.parse_rate("1bit"), "a rate from"),
                                  (lambda: shapes.fat_tree("4", 1, 1e6), "LEAVESxHOSTS"),
                                  (lambda: shapes.fat_tree("4x4", 3, 1e6), "a divisor of the 4 hosts"),
                                  (lambda: shapes.dragonfly("0x1x1", 1e6), "each from 1 on"),
                                  (lambda: layout.read_network("no such machine"), "no such machine"),
                                  (lambda: layout.make_layout(network_of(shapes.switch("1", 1e6)), 1), "2 to 1024 hosts"),
                                  (lambda: layout.make_layout(layout.read_network("example-cluster"), 1), "one core")):
            with self.assertRaisesRegex(LabError, expected):
                refused()

    def test_RoutesThatNoDestinationDecidesAreRefused(self):
        network = network_of(shapes.fat_tree("2x2", 1, 20e6))
        up = [number for number, link in enumerate(network["links"]) if link["level"] == "leaf-up"]
        for route in network["routes"]:
            if (route["from"], route["to"]) == (0, 2):
                used = next(number for number in route["links"] if number in up)
                route["links"][route["links"].index(used)] = next(
                    number for number in up if number != used
                    and network["links"][number]["from"] == network["links"][used]["from"])
        with self.assertRaisesRegex(LabError, "leave it by different cables"):
            layout.make_layout(network, 1)

    def test_TheProgramPrintsNoRoutesOfMachinesTooLargeForThem(self):
        done = subprocess.run([TUTTI, "machine", "leonardo-booster", "--routes"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("at most 1024 nodes", done.stderr)


if __name__ == "__main__":
    unittest.main()
