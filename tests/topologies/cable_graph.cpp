#include "topologies/cable_graph.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "tests/topologies/check.hpp"
#include "topologies/fat_tree.hpp"

namespace tutti {
namespace {

using namespace test;

std::string graph_refusal(const std::string& text) {
  try {
    const CableGraph graph(parse_cables(text, "f.csv", cable));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// A fat tree written as the cables of a file.
std::string text_of(const Fabric& fabric) {
  std::string text;
  for (int node = 0; node < fabric.nodes(); ++node)
    text += "node,n" + std::to_string(node) + ",s" + std::to_string(fabric.switch_of(node)) + "\n";
  for (const Cable& each : fabric.cables())
    if (each.from_switch < each.to_switch)
      text += "cable,s" + std::to_string(each.from_switch) + ",s" + std::to_string(each.to_switch) + "\n";
  return text;
}

TEST(CableGraph, RoutesAreShortestPathsInAnIrregularGraph) {
  expect_shortest_paths(
      CableGraph(parse_cables("node,a,s1\nnode,b,s2\nnode,c,s5\nnode,d,s1\ncable,s1,s3\ncable,s3,s2,2\ncable,s3,s4\n"
                              "cable,s4,s5\ncable,s1,s4,3,2e9,1e-6\ncable,s6,s1\n",
                              "f.csv", cable)));
}

TEST(CableGraph, AFatTreeAsAListHasRoutesAsLongAndAsSpread) {
  const FatTree tree({.nodes_per_leaf = 4, .layers = {{4, 2, 2, cable}}});
  const CableGraph graph(parse_cables(text_of(tree), "f.csv", cable));
  ASSERT_EQ(graph.links().size(), tree.links().size());
  std::vector<std::pair<int, int>> flows;
  for (int from = 0; from < tree.nodes(); ++from)
    for (int to = 0; to < tree.nodes(); ++to) {
      flows.emplace_back(from, to);
      EXPECT_EQ(checked_route(graph, from, to, to).size(), checked_route(tree, from, to, to).size());
    }
  std::vector<int> of_graph = load_of(graph, flows), of_tree = load_of(tree, flows);
  std::sort(of_graph.begin(), of_graph.end());
  std::sort(of_tree.begin(), of_tree.end());
  EXPECT_EQ(of_graph, of_tree);
}

// Each round of a pairwise exchange takes as long on the list as on the tree.
TEST(CableGraph, AFatTreeOfSeveralLevelsAsAListHasRoundsThatMeetAsRarely) {
  for (const Routing routing : {Routing::fixed, Routing::hashed})
    for (const std::vector<FatTreeLayer>& layers :
         {std::vector<FatTreeLayer>{{4, 4, 1, cable}, {4, 4, 1, cable}}, {{3, 2, 2, cable}, {4, 3, 2, cable}}}) {
      const FatTree tree({.nodes_per_leaf = 4, .layers = layers, .routing = routing});
      const CableGraph graph(parse_cables(text_of(tree), "f.csv", cable), routing);
      for (int shift = 1; shift < tree.nodes(); ++shift) {
        std::vector<std::pair<int, int>> flows;
        for (int from = 0; from < tree.nodes(); ++from) flows.emplace_back(from, (from + shift) % tree.nodes());
        std::vector<int> of_graph = load_of(graph, flows), of_tree = load_of(tree, flows);
        std::sort(of_graph.begin(), of_graph.end());
        std::sort(of_tree.begin(), of_tree.end());
        ASSERT_EQ(of_graph, of_tree) << "shift " << shift;
      }
    }
}

/// The switches that what goes to an adapter of a node passes.
std::string passed(const CableGraph& graph, int from, int to, int nic) {
  std::vector<LinkId> links;
  graph.route(from, to, graph.destination(to, nic), links);
  std::string names;
  for (const LinkId link : links) {
    const std::string& name = graph.name_of(link);
    names += name.substr(6, name.find('/', 6) - 6) + " ";
  }
  return names;
}

TEST(CableGraph, WhatGoesToAnAdapterStaysOnItsRail) {
  // Nodes a and b on one stand-in, c and d on another, e on a switch of the second rail alone.
  const std::string nodes = "node,a,x\nnode,b,x\nnode,c,y\nnode,d,y\nnode,e,y1\n",
                    cables = "cable,x,x0\ncable,x,x1\ncable,y,y1\ncable,y,y0\n",
                    rails = "rail,x,x0\nrail,x,x1\nrail,y,y0\nrail,y,y1\n";
  for (const std::string& between :
       {std::string("cable,x0,s\ncable,s,y0\ncable,x1,t\ncable,t,y1\n"),
        std::string("cable,x0,s\ncable,s,y0\ncable,x1,t\ncable,t,u\ncable,u,y1\n")}) {  // planes, one of them longer
    const CableGraph graph(parse_cables(nodes + cables + between + rails, "f.csv", cable));
    EXPECT_TRUE(passed(graph, 0, 1, 1).empty());
    for (int from = 0; from < 2; ++from)
      for (int to = 2; to < 4; ++to) {
        EXPECT_EQ(passed(graph, from, to, 0), "x x0 s y0 ");
        EXPECT_TRUE(passed(graph, from, to, 1).starts_with("x x1 t ")) << passed(graph, from, to, 1);
        EXPECT_TRUE(passed(graph, to, from, 1).starts_with("y y1 ")) << passed(graph, to, from, 1);
      }
    EXPECT_TRUE(passed(graph, 0, 4, 0).starts_with("x x1 t ")) << "the only rail that leads there";
    EXPECT_TRUE(passed(graph, 4, 0, 0).starts_with("y1 ")) << passed(graph, 4, 0, 0);
    EXPECT_TRUE(passed(graph, 4, 0, 0).ends_with("x1 "));
  }
}

TEST(CableGraph, WhatGoesToAnAdapterLeavesInThePlaneThatItArrivesIn) {
  const CableGraph graph(
      parse_cables("node,a,x\nnode,b,y\ncable,x,x0\ncable,x,x1\ncable,y,y0\ncable,y,y1\ncable,x0,s\n"
                   "cable,s,y0\ncable,x1,t\ncable,t,y1\ncable,s,core\ncable,t,core\n"
                   "rail,x,x0\nrail,x,x1\nrail,y,y1\nrail,y,y0\n",  // the other way round
                   "f.csv", cable));
  EXPECT_EQ(passed(graph, 0, 1, 0), "x x1 t y1 ");
  EXPECT_EQ(passed(graph, 0, 1, 1), "x x0 s y0 ");
  EXPECT_EQ(passed(graph, 1, 0, 0), "y y0 s x0 ");
}

TEST(CableGraph, NodesOfDifferentRailsThatNoSwitchJoinsMeetThroughOneWithBoth) {
  const CableGraph graph(
      parse_cables("node,a,x\nnode,b,s\nnode,c,t\ncable,x,s\ncable,x,t\nrail,x,s\nrail,x,t\n", "f.csv", cable));
  EXPECT_EQ(passed(graph, 1, 2, 0), "s x ");
  EXPECT_EQ(passed(graph, 0, 2, 0), "x ");
}

// Two leaves and two spines, two cables from leaf to spine; the nodes a, b on x and c, d on y.
const std::string kTwoSpines =
    "node,a,x\nnode,b,x\nnode,c,y\nnode,d,y\ncable,x,s,2\ncable,x,t,2\ncable,s,y,2\ncable,y,t,2\n";

const std::string kRoutes =
    "route,x,c,s\nroute,x,d,t,1\nroute,s,c,y,1\nroute,t,d,y\n"
    "cable,s,t\nroute,y,a,t\nroute,t,a,s\nroute,s,a,x\nroute,y,b,s,1\nroute,s,b,x,1\n";  // to a by a way that is longer

/// The names of a route's links, without the fabric's numbers of cables.
std::vector<std::string> names_between(const CableGraph& graph, int from, int to) {
  std::vector<LinkId> links;
  graph.route(from, to, 0, links);
  std::vector<std::string> names;
  names.reserve(links.size());
  for (const LinkId link : links) names.push_back(graph.name_of(link));
  return names;
}

TEST(CableGraph, GoesTheWaysOfForwardingTables) {
  const CableGraph graph(parse_cables(kTwoSpines + kRoutes, "f.csv", cable));
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_between(graph, 0, 2), (Names{"cable/x/s/0", "cable/s/y/10"}));
  EXPECT_EQ(names_between(graph, 1, 3), (Names{"cable/x/t/6", "cable/t/y/13"}));
  EXPECT_EQ(names_between(graph, 2, 0), (Names{"cable/y/t/12", "cable/t/s/17", "cable/s/x/1"}));
  EXPECT_EQ(names_between(graph, 3, 1), (Names{"cable/y/s/11", "cable/s/x/3"}));
  EXPECT_TRUE(names_between(graph, 0, 1).empty());
  const CableGraph found(parse_cables(kTwoSpines, "f.csv", cable));
  EXPECT_EQ(names_between(found, 2, 0).size(), 2u);
}

TEST(CableGraph, RefusesForwardingTablesThatDoNotArrive) {
  const auto with = [](const std::string& routes) { return graph_refusal(kTwoSpines + routes); };
  EXPECT_EQ(with(kRoutes), "accepted");
  EXPECT_EQ(with("route,x,c,s\n"), "graph: expected a route on switch y to node a");
  EXPECT_EQ(with("cable,s,t\nroute,y,a,s\nroute,s,a,t\nroute,t,a,s\n"),
            "graph: expected routes that arrive; those from switch y to node a go in a circle");
  EXPECT_TRUE(with("route,x,z,s\n").ends_with("f.csv:9: expected a node that a line before has named"));
  EXPECT_TRUE(with("route,z,a,s\n").ends_with("f.csv:9: expected switches that lines before have named"));
  EXPECT_TRUE(with("route,x,c,y\n").ends_with("f.csv:9: expected switches that a cable of a line before joins"));
  EXPECT_TRUE(with("route,x,a,s\n").find("f.csv:9: expected no route from the switch that the node is on") !=
              std::string::npos);
  EXPECT_TRUE(with("route,x,c,s,2\n").ends_with("f.csv:9: expected a cable of 0 to 1, as many join the two"));
  EXPECT_TRUE(with("route,x,c,s\nroute,x,c,t\n").find("line 9 has another") != std::string::npos);
  EXPECT_THROW(CableGraph(parse_cables(kTwoSpines + kRoutes, "f.csv", cable), Routing::hashed), InputError);
}

TEST(CableGraph, RefusesSwitchesThatNothingJoins) {
  EXPECT_EQ(graph_refusal("node,a,s\nnode,b,t\ncable,s,u\n"), "graph: expected a way from switch s to switch t");
}

TEST(CableGraph, TakesFiguresOfACableFromItsLine) {
  const CableGraph graph(
      parse_cables("# two switches\n\nnode,a,s1  # the first\r\nnode,b,s2\ncable,s1,s2,2,5e9,3e-7\n", "f.csv", cable));
  ASSERT_EQ(graph.links().size(), 4u);
  EXPECT_EQ(graph.links()[3].bandwidth_bytes_per_second, 5e9);
  EXPECT_EQ(graph.links()[3].latency_seconds, 3e-7);
  EXPECT_EQ(graph.leaves(), 2);
}

}  // namespace
}  // namespace tutti
