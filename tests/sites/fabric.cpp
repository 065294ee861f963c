#include <algorithm>
#include <cmath>

#include "sites/cabling.hpp"
#include "sites/link_rate.hpp"
#include "tests/sites/files.hpp"
#include "topologies/cable_graph.hpp"

namespace tutti {
namespace {

using namespace test;

bool notes(const Cabling& cabling, const std::string& text) {
  for (const std::string& note : cabling.notes)
    if (note.find(text) != std::string::npos) return true;
  return false;
}

Cabling read(const std::string& name) { return cabling_of({read_ibnetdiscover(corpus("ibnetdiscover/" + name))}, {}); }

std::string list_of(Cabling& cabling) {
  std::vector<std::string> nodes;
  return cable_text(cabling, common_ports(cabling), 1e-7, nodes);
}

TEST(Ibnetdiscover, ListsEachCableOnceWithBothItsEnds) {
  const FabricListing listing = read_ibnetdiscover(corpus("ibnetdiscover/two-leaves.txt"));
  EXPECT_EQ(listing.devices.size(), 9u);
  EXPECT_EQ(listing.cables.size(), 9u);  // four hosts, four between switches, one aggregation node
  for (const FabricListing::Cable& cable : listing.cables) EXPECT_EQ(cable.rate, "4xEDR");
}

TEST(Ibnetdiscover, BothFormsOfOneFabricAreOneCabling) {
  const Cabling ports = read("ports.txt");
  ASSERT_EQ(ports.hosts.size(), 2u);
  EXPECT_EQ(ports.hosts[0].name, "node1");
  EXPECT_EQ(ports.switches, (std::vector<std::string>{"leaf-1", "leaf-2"}));
  ASSERT_EQ(ports.cables.size(), 2u);
  EXPECT_DOUBLE_EQ(ports.cables[0].bytes_per_second, 25e9);
  EXPECT_DOUBLE_EQ(ports.cables[1].bytes_per_second, 12.5e9);
  EXPECT_TRUE(notes(ports, "degraded? a cable of 2xHDR between leaf-1 and leaf-2, whose others run 4xHDR"));
}

TEST(Ibnetdiscover, AggregationNodesAreNoHosts) {
  const Cabling cabling = read("two-leaves.txt");
  EXPECT_EQ(cabling.hosts.size(), 4u);
  EXPECT_TRUE(notes(cabling, "1 aggregation nodes"));
}

TEST(Ibnetdiscover, ADegradedCableIsNamedWithItsLineAndSlowInTheMachine) {
  Cabling cabling = read("degraded.txt");
  EXPECT_TRUE(notes(cabling, "degraded? a cable of 4xDDR between leaf-2 and spine-2, whose others run 4xEDR"));
  const CableGraph graph(parse_cables(list_of(cabling), "list", {1e9, 0}));
  int slow = 0;
  for (const Link& link : graph.links()) slow += link.bandwidth_bytes_per_second == 2e9;
  EXPECT_EQ(slow, 2);
  EXPECT_EQ(graph.links().size(), 8u);
}

TEST(Ibnetdiscover, AHostWithASlowerPortIsAsSlowAsItsPortAndTheOthersAreNot) {
  Cabling cabling = read("two-leaves.txt");
  cabling.hosts[1].ports[0].bytes_per_second = 1e9;
  const CableGraph graph(parse_cables(list_of(cabling), "list", {1e9, 0}));
  std::vector<LinkId> way;
  graph.route(3, 0, 0, way);  // hosts that are not like most come last
  ASSERT_FALSE(way.empty());
  EXPECT_EQ(graph.links()[way.front()].bandwidth_bytes_per_second, 1e9);
  way.clear();
  graph.route(0, 1, 1, way);
  for (const LinkId link : way) EXPECT_EQ(graph.links()[link].bandwidth_bytes_per_second, 12.5e9);
}

TEST(Cabling, PortsOfOtherRatesThanThoseThatCountAreNamedAndOfAsManyTheFasterCount) {
  for (const double rate : {1e9, 50e9}) {
    Cabling cabling = read("two-leaves.txt");
    cabling.hosts[1].ports[0].bytes_per_second = cabling.hosts[2].ports[0].bytes_per_second = rate;
    EXPECT_DOUBLE_EQ(common_ports(cabling)[0], std::max(12.5e9, rate));
    list_of(cabling);
    EXPECT_TRUE(notes(cabling, rate < 12.5e9 ? "2 host ports at 4xSDR, others 4xEDR: node[2-3]"
                                             : "2 host ports at 4xEDR, others 4xNDR: node[1,4]"));
  }
  Cabling cabling = read("two-leaves.txt");
  cabling.hosts[1].ports[0].bytes_per_second = 50e9;
  list_of(cabling);
  EXPECT_TRUE(notes(cabling, "1 host port at 4xNDR, counted as 4xEDR: node2"));
}

TEST(Ibnetdiscover, ASwitchWhoseCablesAreAllSlowIsNamedAndAnOlderPartIsNot) {
  const auto named = [](const std::string& ports) {
    std::string text;
    for (int leaf = 0; leaf < 4; ++leaf) {
      text += "Switch 8 \"S-a" + std::to_string(leaf) + "\" # \"leaf" + std::to_string(leaf) + "\"\n";
      text += "[1] \"H-b" + std::to_string(leaf) + "\"[1] # \"n" + std::to_string(leaf) + "\" " +
              (leaf == 0 ? ports : "4xEDR") + "\n";
      for (int cable = 2; cable < 4; ++cable)
        text += "[" + std::to_string(cable) + "] \"S-c0\"[" + std::to_string(2 * leaf + cable) + "] # \"spine\" " +
                (leaf == 0 ? "4xSDR" : "4xEDR") + "\n";
      text += "\n";
    }
    text += "Switch 12 \"S-c0\" # \"spine\"\n\n";
    for (int leaf = 0; leaf < 4; ++leaf)
      text += "Ca 1 \"H-b" + std::to_string(leaf) + "\" # \"n" + std::to_string(leaf) + " HCA-1\"\n\n";
    const File file(text);
    return notes(cabling_of({read_ibnetdiscover(file.path())}, {}),
                 "degraded? a cable of 4xSDR between leaf0 and spine, most others like it run 4xEDR");
  };
  EXPECT_TRUE(named("4xEDR"));
  EXPECT_FALSE(named("4xSDR"));
}

TEST(Ibnetdiscover, NothingGoesFromOneSwitchToAnotherThroughAHost) {
  // Two rails that only hosts join, beside a long way over switches.
  Cabling cabling;
  cabling.switches = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 4; ++i) cabling.cables.push_back({i, i + 1, 1e9});
  for (int i = 0; i < 3; ++i) cabling.hosts.push_back({"both" + std::to_string(i), {{0, 1e9}, {4, 1e9}}});
  cabling.hosts.push_back({"first", {{0, 1e9}}});
  cabling.hosts.push_back({"last", {{4, 1e9}}});
  std::vector<std::string> nodes;
  const CableGraph graph(parse_cables(cable_text(cabling, {1e9, 1e9}, 1e-7, nodes), "list", {1e9, 0}));
  std::vector<LinkId> way;
  graph.route(3, 4, 4, way);
  EXPECT_EQ(nodes[3] + nodes[4], "firstlast");
  int over_switches = 0;
  for (const LinkId link : way) over_switches += graph.links()[link].latency_seconds > 0;
  EXPECT_EQ(over_switches, 4);
}

TEST(Cabling, AdaptersOnSeveralSwitchesHaveTheirRailsInTheOrderOfTheMachinesAdapters) {
  Cabling cabling;
  cabling.switches = {"slow", "fast"};
  for (const char* name : {"a", "b"}) cabling.hosts.push_back({name, {{0, 4e9}, {1, 12e9}, {1, 12e9}}});
  const std::string list = list_of(cabling);
  EXPECT_NE(list.find("rail,rails 1,fast,0\nrail,rails 1,fast,0\nrail,rails 1,slow,0\n"), std::string::npos) << list;
  EXPECT_NE(list.find("cable,rails 1,slow,1,8e+09,0\n"), std::string::npos) << list;
}

TEST(Ibnetdiscover, HostsWithoutNamesAreEachTheirOwnAndANameMapNamesThem) {
  const FabricListing listing = read_ibnetdiscover(corpus("ibnetdiscover/plain.net"));
  FabricListing nameless = listing;
  for (auto& device : nameless.devices) device.description = "MT25408 ConnectX Mellanox Technologies";
  EXPECT_EQ(cabling_of({nameless}, {}).hosts.size(), 2u);
  const Cabling named = cabling_of({read_ibnetdiscover(corpus("ibnetdiscover/two-leaves.txt"))},
                                   {{"b0", "gpu7 HCA-1"}, {"b1", "gpu7 HCA-2"}});
  EXPECT_EQ(named.hosts.size(), 3u);
  EXPECT_EQ(named.hosts[0].name, "gpu7");
  EXPECT_EQ(named.hosts[0].ports.size(), 2u);
}

TEST(Cabling, WhatIsJoinedWithNoHostThatIsKeptIsLeftOut) {
  Cabling cabling;
  cabling.source = "it";
  cabling.switches = {"leaf-1", "leaf-2", "island-1", "island-2"};
  for (const auto& [name, on_switch] : {std::pair("a", 0), {"b", 1}, {"alone", 2}})
    cabling.hosts.push_back({.name = name, .ports = {{.on_switch = on_switch, .bytes_per_second = 1e9}}});
  cabling.cables = {{0, 1, 1e9}, {3, 2, 1e9}};
  keep_connected(cabling, "it", false);
  ASSERT_EQ(cabling.hosts.size(), 2u);
  ASSERT_EQ(cabling.cables.size(), 1u);
  EXPECT_EQ(cabling.cables[0].switch_b, 1);
  EXPECT_TRUE(notes(cabling, "1 host that no cables join with most others left out: alone"));
}

TEST(Cabling, OfHostsWhoseNamesCableListsCannotTellApartIsRefused) {
  const File file(
      "Switch 8 \"S-a0\" # \"leaf\"\n[1] \"H-b0\"[1] # \"n#\" 4xEDR\n[2] \"H-c0\"[1] # \"n\" 4xEDR\n\n"
      "Ca 2 \"H-b0\" # \"n# HCA-1\"\n[1] \"S-a0\"[1] # 4xEDR\n\nCa 2 \"H-c0\" # \"n HCA-1\"\n[1] \"S-a0\"[2] # "
      "4xEDR\n");
  EXPECT_NE(refusal([&] { cabling_of({read_ibnetdiscover(file.path())}, {}); }).find(":3: host n beside n#, expected"),
            std::string::npos);
}

TEST(Ibnetdiscover, DifferentHostsAreNoneOfOneNameAndNamesThatEveryHostHasAreNobodys) {
  const auto read_with = [](const std::string& one, const std::string& other) {
    std::string ports, adapters;
    for (const std::string& name : {one, other, other.substr(0, other.find('.'))}) {
      const std::string number = std::to_string(std::count(ports.begin(), ports.end(), '\n') + 1);
      ports += "[" + number + "] \"H-b" + number + "\"[1] # \"" + name + "\" 4xEDR\n";
      adapters += "\nCa 2 \"H-b" + number + "\" # \"" + name + "\"\n";
    }
    const File file("Switch 8 \"S-a0\" # \"leaf\"\n" + ports + adapters);
    return cabling_of({read_ibnetdiscover(file.path())}, {}).hosts;
  };
  EXPECT_NE(refusal([&] {
              read_with("n1.c1 mlx5_0", "n1.c2 mlx5_0");
            }).find("host n1.c2 beside n1.c1, expected names that differ before the first dot"),
            std::string::npos);
  EXPECT_EQ(read_with("n1.c1 mlx5_0", "n1.c1 mlx5_1").size(), 1u) << "also where an adapter leaves the domain out";
  for (const char* nobodys : {"localhost.localdomain mlx5_0", "HCA-1"}) {
    ASSERT_EQ(read_with("n1 mlx5_0", nobodys).size(), 1u) << nobodys;
    EXPECT_EQ(read_with(nobodys, nobodys).size(), 3u) << nobodys;
  }
}

TEST(Ibnetdiscover, RefusesWhatContradictsItself) {
  const auto read_text = [](const std::string& text) {
    const File file(text);
    return refusal([&] { read_ibnetdiscover(file.path()); });
  };
  const std::string head = "Switch 8 \"S-1\"\n[1] \"S-2\"[1] # \"b\" lid 2 4xEDR\n\nSwitch 8 \"S-2\"\n";
  EXPECT_NE(read_text(head + "[1] \"S-3\"[4] # \"a\" lid 1 4xEDR\n")
                .find(":5: port 1 of S-2 leads to another port in line 2"),
            std::string::npos);
  EXPECT_NE(
      read_text(head + "[1] \"S-1\"[1] # \"a\" lid 1 4xQDR\n").find(":5: a cable of 4xQDR, but of 4xEDR in line 2"),
      std::string::npos);
  EXPECT_NE(read_text(head + "[999] \"S-1\"[1]\n").find(":5: port '999', expected"), std::string::npos);
  EXPECT_NE(read_text("hello\n").find(":1: 'hello', expected Switch"), std::string::npos);
  EXPECT_NE(read_text("[1] \"S-1\"[1]\n").find(":1: a port before any device"), std::string::npos);
}

TEST(Ibnetdiscover, NamesWithSignsOfCableListsAreNamesInThese) {
  std::ifstream stream(corpus("ibnetdiscover/two-leaves.txt"));
  std::string text(std::istreambuf_iterator<char>(stream), {});
  for (const auto& [name, by] : {std::pair<std::string, std::string>{"node1 ", "node#1 "}, {"leaf-2", "leaf,#2"}})
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
      text.replace(at, name.size(), by);
  const File file(text);
  Cabling cabling = cabling_of({read_ibnetdiscover(file.path())}, {});
  EXPECT_EQ(CableGraph(parse_cables(list_of(cabling), "list", {1e9, 0})).nodes(), 4);
}

TEST(LinkRate, IsWhatTheEncodingLeaves) {
  for (const auto& [text, gigabits] : {std::pair("4xSDR", 8.0),
                                       {"4xDDR", 16.0},
                                       {"4xQDR", 32.0},
                                       {"4xFDR10", 40.0},
                                       {"4xEDR", 100.0},
                                       {"2x HDR", 100.0},
                                       {"4xNDR", 400.0},
                                       {"1xXDR", 200.0}})
    EXPECT_NEAR(link_rate(text).value() * 8e-9, gigabits, 1e-9) << text;
  EXPECT_NEAR(link_rate("4xFDR").value() * 8e-9, 54.545, 1e-3);
  EXPECT_FALSE(link_rate("4x???").has_value());
  EXPECT_FALSE(link_rate("3xEDR").has_value());
  EXPECT_EQ(rate_text(50e9), "4xNDR");
  EXPECT_DOUBLE_EQ(parse_rate("--r", "400g"), 50e9);
  EXPECT_DOUBLE_EQ(parse_rate("--r", "400Gb/s"), 50e9);
  EXPECT_DOUBLE_EQ(parse_rate("--r", "50GB/s"), 50e9);
  for (const char* wrong : {"400", "GB", "-1GB", "4QB", "1e9G", "nanGB", ""})
    EXPECT_THROW(parse_rate("--r", wrong), InputError) << wrong;
}

}  // namespace
}  // namespace tutti
