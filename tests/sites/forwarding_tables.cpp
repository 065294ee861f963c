#include "sites/forwarding_tables.hpp"

#include <regex>

#include "sites/sources.hpp"
#include "tests/sites/files.hpp"
#include "topologies/cable_graph.hpp"

namespace tutti {
namespace {

using namespace test;

const std::string kTables = "forwarding_tables/small";

struct Site {
  Cabling cabling = cabling_of({read_ibnetdiscover(corpus("ibnetdiscover/degraded.txt"))}, {});
  std::string list() {
    std::vector<std::string> nodes;
    return cable_text(cabling, common_ports(cabling), 1e-7, nodes);
  }
  CableGraph graph(const ForwardingTables& tables) {
    const std::string cables = list();
    return CableGraph(parse_cables(cables + route_text(cabling, tables, cables), "list", {1e9, 0}));
  }
};

/// By which spines the messages from one node to another go.
std::string way(const CableGraph& graph, int from, int to) {
  std::vector<LinkId> links;
  graph.route(from, to, 0, links);
  std::string text;
  for (const LinkId link : links) {
    const std::string& name = graph.name_of(link);
    text += name.substr(0, name.rfind('/')) + " ";
  }
  return text;
}

TEST(ForwardingTables, AreTheRoutesOfTheMachine) {
  const ForwardingTables tables = read_forwarding_tables(corpus(kTables));
  ASSERT_EQ(tables.tables.size(), 4u);
  EXPECT_EQ(tables.tables[0].guid, "a0");
  const ForwardingTables::Entry& entry = tables.tables[0].entries.at(2);
  EXPECT_EQ(entry.name, "node3 HCA-1");
  EXPECT_EQ(entry.guid, "b2");
  EXPECT_EQ(entry.port, 12);
  const CableGraph graph = Site().graph(tables);
  EXPECT_EQ(way(graph, 0, 2), "cable/leaf-1/spine-2 cable/spine-2/leaf-2 ");
  EXPECT_EQ(way(graph, 1, 3), "cable/leaf-1/spine-1 cable/spine-1/leaf-2 ");
  EXPECT_EQ(way(graph, 2, 0), "cable/leaf-2/spine-1 cable/spine-1/leaf-1 ");
}

/// As it is where the drivers were given no names of hosts.
TEST(ForwardingTables, AdaptersThatAllHaveTheirMakersNameAreKnownByTheirPorts) {
  const auto nameless = [](const std::string& name, const std::string& called) {
    std::ifstream stream(corpus(name));
    return File(std::regex_replace(std::string(std::istreambuf_iterator<char>(stream), {}),
                                   std::regex(R"(node\d HCA-1)"), called),
                name.substr(0, 4));
  };
  const File listing = nameless("ibnetdiscover/degraded.txt", "MT4123 ConnectX6 Mellanox Technologies"),
             tables = nameless(kTables, "MT4123 ConnectX6 Mellanox Technologies");
  Site site;
  site.cabling = cabling_of({read_ibnetdiscover(listing.path())}, {});
  ASSERT_EQ(site.cabling.hosts.size(), 4u);
  const CableGraph graph = site.graph(read_forwarding_tables(tables.path()));
  EXPECT_EQ(way(graph, 0, 2), "cable/leaf-1/spine-2 cable/spine-2/leaf-2 ");
  EXPECT_EQ(way(graph, 1, 3), "cable/leaf-1/spine-1 cable/spine-1/leaf-2 ");
}

TEST(ForwardingTables, AHostWithASlowerPortIsReachedThroughIt) {
  Site site;
  site.cabling.hosts[1].ports[0].bytes_per_second = 1e9;
  const CableGraph graph = site.graph(read_forwarding_tables(corpus(kTables)));
  std::vector<LinkId> links;
  graph.route(0, 3, 0, links);  // hosts that are not like most come last
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(graph.links()[links[0]].bandwidth_bytes_per_second, 1e9);
  EXPECT_EQ(way(graph, 3, 1), "cable/ports of node2/leaf-1 cable/leaf-1/spine-2 cable/spine-2/leaf-2 ");
}

TEST(ForwardingTables, WhatTheyLeaveOutOrContradictIsSaidWithItsLine) {
  const auto text = [] {
    std::ifstream stream(corpus(kTables));
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }();
  const auto refused = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    changed.replace(changed.find(what), what.size(), by);
    const File file(changed, "lfts");
    return refusal([&] { Site().graph(read_forwarding_tables(file.path())); });
  };
  EXPECT_EQ(refused("0x0007 012", "0x0007 012"), "accepted");
  EXPECT_NE(refused("0x0007 012", "0x0007 019").find(":10: port 19 of leaf-1, expected one that a cable of"),
            std::string::npos);
  EXPECT_NE(refused("0x0007 012", "0x0007 12a").find(":10: expected LID PORT : (Channel Adapter"), std::string::npos);
  EXPECT_NE(refused("Lid 2 guid 0x00000000000000a1", "Lid 2 guid 0x00000000000000a0")
                .find("expected a table of each switch once"),
            std::string::npos);
  EXPECT_NE(refused("guid 0x00000000000000a0", "").find(":1: expected a switch's guid"), std::string::npos);
  EXPECT_NE(refused("0x0007 012 : (Channel Adapter portguid 0x00000000000000b2: 'node3 HCA-1')\n", "")
                .find("expected a route on switch leaf-1 to node node3"),
            std::string::npos);
  EXPECT_NE(refused("8 valid lids dumped", "8 valid").find("expected what dump_lfts prints"), std::string::npos);
}

TEST(ForwardingTables, AHostsOwnSwitchSendsToThePortThatItHangsOn) {
  std::ifstream stream(corpus(kTables));
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto refused = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    changed.replace(changed.find(what), what.size(), by);
    const File file(changed, "lfts");
    return refusal([&] { Site().graph(read_forwarding_tables(file.path())); });
  };
  EXPECT_NE(refused("0x0005 001", "0x0005 002")
                .find(":8: leaf-1 sends what goes to node1 out of port 2, expected 1, on which it hangs"),
            std::string::npos)
      << "another host's port";
  EXPECT_NE(refused("0x0008 002", "0x0008 011")
                .find(":23: leaf-2 sends what goes to node4 out of port 11, expected 2, on which it hangs"),
            std::string::npos)
      << "a cable to a switch, which sends it back";
  EXPECT_NE(refused("0x0005 001 : (Channel Adapter portguid 0x00000000000000b0: 'node1 HCA-1')\n", "")
                .find(":1: nothing for node1, expected an entry for it, which hangs on leaf-1"),
            std::string::npos);
}

TEST(ForwardingTables, ThatSendToTheAdaptersOfAHostByDifferentWaysAreLeftOutAndThatIsSaid) {
  std::ifstream stream(corpus(kTables));
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto routes = [&](const std::string& second) {  // leaf-1 sends to the first by port 11
    std::string changed = text;
    const std::string line = "0x0008 011 : (Channel Adapter portguid 0x00000000000000b3: 'node4 HCA-1')\n";
    changed.insert(changed.find(line) + line.size(), second + "\n");
    const File file(changed, "lfts");
    Site site;
    site.cabling.hosts[3].ports.push_back({site.cabling.hosts[3].ports[0].on_switch, 12.5e9, 3});
    const std::string found = route_text(site.cabling, read_forwarding_tables(file.path()), site.list());
    return found + site.cabling.notes.back();
  };
  EXPECT_TRUE(routes("0x0009 012 : (Channel Adapter portguid 0x00000000000000b4: 'node4 HCA-2')")
                  .ends_with("lfts: left out: they send to the adapters of node4 by different ways, of which a cable "
                             "list has one for each node; ways are shortest ones"));
  EXPECT_TRUE(
      routes("0x0009 011 : (Channel Adapter portguid 0x00000000000000b4: 'node4 HCA-2')").starts_with("route,"));
  EXPECT_TRUE(routes("0x0009 012 : (Channel Adapter portguid 0x00000000000000b3: 'node4 HCA-1')").starts_with("route,"))
      << "a second LID of the same port";
}

TEST(ForwardingTables, NeedTheListingThatSaysWhereThePortsLead) {
  SiteRequest request;
  request.from = {{"lfts", corpus(kTables).string()}};
  EXPECT_NE(refusal([&] { read_sources(request); }).find("small:1: expected --from ibnetdiscover=FILE beside it"),
            std::string::npos);
}

}  // namespace
}  // namespace tutti
