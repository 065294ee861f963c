#include "sites/adapters.hpp"
#include "sites/cabling.hpp"
#include "sites/host_list.hpp"
#include "sites/slurm_nodes.hpp"
#include "tests/sites/files.hpp"

namespace tutti {
namespace {

using namespace test;
using Names = std::vector<std::string>;

TEST(HostList, BracketsMultiplyAndKeepTheirZeros) {
  EXPECT_EQ(expand_hosts("n[08-10,2],x"), (Names{"n08", "n09", "n10", "n2", "x"}));
  EXPECT_EQ(expand_hosts("a[1-2]b[3-4]"), (Names{"a1b3", "a1b4", "a2b3", "a2b4"}));
  for (const char* wrong : {"", "n[", "n[1-", "n[2-1]", "n[a]", "n[1-9999999999]", "a,,b", "n[0-300000]", "a b"})
    EXPECT_THROW(expand_hosts(wrong), InputError) << wrong;
}

TEST(HostList, CompactNamesExpandToTheSame) {
  const Names names = expand_hosts("a[1-3,7],b[01-02]c,d,e[9-11]");
  EXPECT_EQ(compact_hosts(names), "a[1-3,7],b[01-02]c,d,e9,e[10-11]");
  Names again = expand_hosts(compact_hosts(names));
  EXPECT_EQ(again, names);
}

TEST(HostList, NumbersInNamesAreOrderedAsNumbers) {
  EXPECT_TRUE(natural_less("n2", "n10"));
  EXPECT_FALSE(natural_less("n10", "n2"));
  EXPECT_TRUE(natural_less("n02", "n10"));
  EXPECT_FALSE(natural_less("n1", "n1"));
}

std::map<std::string, Names> nodes_of(const std::string& name) {
  std::map<std::string, Names> nodes;
  for (const SwitchTree::Switch& one : read_slurm_topology(corpus("slurm_topology/" + name)).switches)
    if (!one.nodes.empty()) nodes[one.name] = one.nodes;
  return nodes;
}

TEST(SlurmTopology, AllItsFormsAreOneTree) {
  const std::map<std::string, Names> expected{{"leaf-1", {"node1", "node2"}}, {"leaf-2", {"node3", "node4"}}};
  EXPECT_EQ(nodes_of("topology.conf"), expected);
  EXPECT_EQ(nodes_of("scontrol"), expected);
  EXPECT_EQ(nodes_of("tree.yaml"), expected);
  EXPECT_EQ(nodes_of("continued"), expected);
  EXPECT_EQ(read_slurm_topology(corpus("slurm_topology/blocks")).switches.size(), 3u);
}

TEST(SlurmTopology, BlocksThatScontrolShowsTakenTogetherAreNoFurtherOnes) {
  const File file(
      "BlockName=b0 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b1 BlockIndex=1 Nodes=n[3-4] BlockSize=2\n"
      "AggregatedBlock=b[0-1] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n");
  const SwitchTree tree = read_slurm_topology(file.path());
  ASSERT_EQ(tree.switches.size(), 3u);
  EXPECT_EQ(tree.switches[2].switches, (Names{"b0", "b1"}));
}

TEST(SlurmTopology, ANodeThatIsCalledByItsAddressKeepsAllOfIt) {
  const File file("SwitchName=a Nodes=10.140.71.103,10.140.88.115\n");
  const Cabling cabling = cabling_of(read_slurm_topology(file.path()), {1e9}, {});
  ASSERT_EQ(cabling.hosts.size(), 2u);
  EXPECT_EQ(cabling.hosts[1].name, "10.140.88.115");
}

TEST(SlurmTopology, ALineThatIsContinuedIsOneLineWhoseNumberIsItsFirst) {
  const auto read = [](const std::string& text) {
    const File file(text);
    return refusal([&] { read_slurm_topology(file.path()); });
  };
  EXPECT_EQ(read("SwitchName=a Nodes=n[1-\\ \t\n2] # \\\nSwitchName=b Switches=a\\\n"), "accepted");
  EXPECT_NE(read("# \\\nSwitchName=a \\\n Nodes=n \\\n Knots=n\n").find(":2: key 'knots'"), std::string::npos);
  EXPECT_NE(read("SwitchName=a Nodes=n\nSwitchName=a\\\n Nodes=m\n").find(":2: switch a a second time"),
            std::string::npos);
  EXPECT_NE(read("SwitchName=a \\\\\nNodes=n\n").find(":1: switch 'a "), std::string::npos)
      << "an even number of backslashes continues nothing";
}

TEST(SlurmTopology, RefusesWhatIsNoTree) {
  const auto read = [](const std::string& text) {
    const File file(text);
    return refusal([&] {
      const SwitchTree tree = read_slurm_topology(file.path());
      cabling_of(tree, {1e9, 1e9}, {1e9});
    });
  };
  EXPECT_NE(read("SwitchName=a Switches=b\n").find(":1: switch b lies on a, expected a line"), std::string::npos);
  EXPECT_NE(read("SwitchName=a Nodes=n\nSwitchName=a Nodes=m\n").find(":2: switch a a second time"), std::string::npos);
  EXPECT_NE(read("SwitchName=a Nodes=n\nSwitchName=b Nodes=n\n").find(":2: node n is on switch a, too"),
            std::string::npos);
  EXPECT_NE(read("SwitchName=a Nodes=n Switches=b\nSwitchName=b Switches=a\n").find(" lies below itself"),
            std::string::npos);
  EXPECT_NE(read("SwitchName=a Nodes=n.x\nSwitchName=b Nodes=n.y\n").find(":2: node n.y beside n.x, expected names"),
            std::string::npos);
  EXPECT_NE(read("SwitchName=a Nodes=.n\n").find(":1: node .n, expected names"), std::string::npos);
  EXPECT_NE(read("SwitchName=a\n").find(":1: switch a has nothing on it"), std::string::npos);
  EXPECT_NE(read("SwitchName=a Knots=n\n").find(":1: key 'knots', expected"), std::string::npos);
  EXPECT_NE(read("SwitchName=a Nodes=n[1-\n").find(":1: 'n[1-', expected"), std::string::npos);
  EXPECT_NE(
      read("- topology: t\n  flat: true\n").find(":1: a flat topology, which groups no nodes: expected tree or block"),
      std::string::npos);
  EXPECT_NE(read("- topology: t\n  ring:\n    rings:\n      - ring: r\n        nodes: n[1-2]\n")
                .find(":1: neither tree nor block in topology t: expected tree or block"),
            std::string::npos);
  EXPECT_NE(read("- topology: t\n  tree:\n    switches:\n      - switch: a#b\n        nodes: n\n")
                .find("expected a name without"),
            std::string::npos);
  EXPECT_NE(read("- topology: [\n").find("expected YAML"), std::string::npos);
}

TEST(SlurmTopology, AndTheCablingAreHeldAgainstEachOther) {
  Cabling cabling = cabling_of({read_ibnetdiscover(corpus("ibnetdiscover/two-leaves.txt"))}, {});
  EXPECT_TRUE(contradictions(cabling, read_slurm_topology(corpus("slurm_topology/topology.conf"))).empty());
  const File other("SwitchName=l1 Nodes=node[1,3]\nSwitchName=l2 Nodes=node[2,4]\nSwitchName=s Switches=l[1-2]\n");
  const Names found = contradictions(cabling, read_slurm_topology(other.path()));
  ASSERT_EQ(found.size(), 4u);  // each switch of either is two of the other
  EXPECT_TRUE(
      found[0].ends_with(":1: switch l1 has node[1,3], but by two-leaves.txt node1 is on leaf-1, node3 on leaf-2"))
      << "neither is the odd one: " << found[0];
  EXPECT_NE(found[2].find("l1 has node1, l2 has node2 are one switch by two-leaves.txt, leaf-1"), std::string::npos)
      << found[2];
}

TEST(Cabling, WhatAnotherFileLeftOutIsNotSaidToBeMissingInTheFabric) {
  Cabling cabling = cabling_of({read_ibnetdiscover(corpus("ibnetdiscover/two-leaves.txt"))}, {});
  std::set<std::string> in_fabric;
  for (const Cabling::Host& host : cabling.hosts) in_fabric.insert(host.name);
  keep_hosts(cabling, {"node1.cluster", "node9"}, "t.conf", in_fabric);
  EXPECT_EQ(cabling.hosts.size(), 1u);
  EXPECT_EQ(cabling.notes.back(), "t.conf: 1 hosts that two-leaves.txt does not have left out: node9");
  const std::size_t notes = cabling.notes.size();
  keep_hosts(cabling, {"node1", "node2"}, "hosts.txt", in_fabric);
  EXPECT_EQ(cabling.notes.size(), notes);
  const auto refusal = [&](const Names& kept) {
    try {
      keep_hosts(cabling, kept, "hosts.txt", in_fabric);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal({"x"}).find("no host of two-leaves.txt (node1, …) is in it (x, …)"), std::string::npos);
  EXPECT_NE(refusal({"node2", "x"})
                .find("its hosts of two-leaves.txt (node2, …) are none of those that the other files"
                      " leave (node1, …)"),
            std::string::npos);
}

TEST(SlurmTopology, OfASwitchThatTheCablingHasByItsNameTheOthersHostsAreTheOdd) {
  const Cabling cabling = cabling_of({read_ibnetdiscover(corpus("ibnetdiscover/two-leaves.txt"))}, {});
  const File named(
      "SwitchName=leaf-1 Nodes=node1\nSwitchName=leaf-2 Nodes=node[2-4]\nSwitchName=s Switches=leaf-[1-2]\n");
  const Names found = contradictions(cabling, read_slurm_topology(named.path()));
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].ends_with(
      ":2: switch leaf-2 has node2, but by two-leaves.txt these are on leaf-1, the others on leaf-2"))
      << found[0];
  const File even("SwitchName=leaf-2 Nodes=node[2,4]\n");
  EXPECT_TRUE(
      contradictions(cabling, read_slurm_topology(even.path()))
          .at(0)
          .ends_with("switch leaf-2 has node2, but by two-leaves.txt these are on leaf-1, the others on leaf-2"));
}

TEST(SlurmTopology, CablesFromASwitchToAllAboveHaveTheGivenRateTogether) {
  const File file(
      "SwitchName=l1 Nodes=n1\nSwitchName=l2 Nodes=n2\nSwitchName=s1 Switches=l[1-2]\n"
      "SwitchName=s2 Switches=l[1-2]\n");
  const Cabling cabling = cabling_of(read_slurm_topology(file.path()), {24e9}, {1e9});
  ASSERT_EQ(cabling.cables.size(), 4u);
  for (const Cabling::Cable& cable : cabling.cables) EXPECT_EQ(cable.bytes_per_second, 12e9);
}

TEST(SlurmNodes, AreOfTheShapeOfMost) {
  const std::vector<SlurmNode> nodes = read_slurm_nodes(corpus("slurm_nodes/scontrol"));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].sockets, 2);
  EXPECT_EQ(nodes[1].cores_per_socket, 24);
  EXPECT_EQ(nodes[0].memory_bytes, std::int64_t{257000} << 20);
  const CommonNode common = common_node(read_slurm_nodes(corpus("slurm_nodes/oneline")));
  EXPECT_EQ(common.node.cores_per_socket, 8);
  EXPECT_EQ(common.others, Names{"gpu1"});
}

TEST(SlurmNodes, HaveTheShapeThatTheKeysThereAreSay) {
  const auto shape = [](const std::string& keys) {
    const File file("NodeName=n " + keys + " RealMemory=1000\n");
    const SlurmNode node = read_slurm_nodes(file.path()).at(0);
    return std::pair(node.sockets, node.cores_per_socket);
  };
  EXPECT_EQ(shape("Boards=2 SocketsPerBoard=2 CoresPerSocket=8 ThreadsPerCore=2"), std::pair(4, 8));
  EXPECT_EQ(shape("SocketsPerBoard=2 CoresPerSocket=8 Boards=2"), std::pair(4, 8));
  EXPECT_EQ(shape("Boards=2 Sockets=4 CoresPerSocket=8"), std::pair(4, 8)) << "all boards'";
  EXPECT_EQ(shape("CPUs=64 CoresPerSocket=16"), std::pair(4, 16));
  EXPECT_EQ(shape("CPUs=64 CoresPerSocket=16 ThreadsPerCore=2"), std::pair(2, 16));
  EXPECT_EQ(shape("CPUs=64 Sockets=2"), std::pair(2, 32));
  EXPECT_EQ(shape("CPUs=64"), std::pair(1, 64));
  EXPECT_EQ(shape("CoresPerSocket=16"), std::pair(1, 16));
  EXPECT_EQ(shape("Sockets=2").second, 0) << "not said";
}

TEST(SlurmNodes, InOneLineHaveWhatFollowsTheirKernelsVersionAndNotWhatAdministratorsSay) {
  const File file(
      "NodeName=n1 Arch=x86_64 CoresPerSocket=24 CPUAlloc=0 CPUTot=48 NodeAddr=n1 OS=Linux 5.14.0 #1 SMP Thu Jun 15 "
      "RealMemory=1000 Sockets=4 Boards=1 ThreadsPerCore=1 Comment=was Sockets=2 \\ Reason=bad RealMemory=1 [root@x]\n"
      "NodeName=n2 CoresPerSocket=24 CPUAlloc=0 CPUTot=48 RealMemory=1000 Sockets=4 Boards=1 ThreadsPerCore=1\n");
  const std::vector<SlurmNode> nodes = read_slurm_nodes(file.path());
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].missing, "");
  EXPECT_EQ(nodes[0].sockets, 4);
  EXPECT_EQ(nodes[0].memory_bytes, std::int64_t{1000} << 20);
}

TEST(SlurmNodes, AreReadFromLinesThatAreContinued) {
  const File file("NodeName=n[1-2] \\\n  Sockets=2 CoresPerSocket=1\\\n6 RealMemory=1000\nNodeName=n3 \\\nSockets=x\n");
  EXPECT_NE(refusal([&] { read_slurm_nodes(file.path()); }).find(":4: sockets=x, expected"), std::string::npos);
  const File whole(
      "NodeName=n[1-2] \\\n  Sockets=2 CoresPerSocket=1\\\n6 RealMemory=1000\nNodeName=n3\n   Reason=\\\n   "
      "Sockets=4\n",
      "whole");
  const std::vector<SlurmNode> nodes = read_slurm_nodes(whole.path());
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[1].cores_per_socket, 16);
  EXPECT_EQ(nodes[2].sockets, 4) << "what administrators say goes on nowhere";
}

TEST(Adapters, CountWhatTheyCarryAndNotWhatIsDown) {
  const std::vector<AdapterPort> ports = read_ibstat(corpus("ibstat/two"));
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_DOUBLE_EQ(ports[0].bytes_per_second, 25e9);
  EXPECT_DOUBLE_EQ(ports[1].bytes_per_second, 4e9) << "QDR: 40 Gb/s with its encoding";
  EXPECT_EQ(ports[2].bytes_per_second, 0);
  const std::vector<AdapterPort> ethernet = read_ethtool(corpus("ethtool/eth"));
  ASSERT_EQ(ethernet.size(), 4u);
  EXPECT_DOUBLE_EQ(ethernet[0].bytes_per_second, 25e9 / 8);
  for (int down = 1; down < 4; ++down) EXPECT_EQ(ethernet[down].bytes_per_second, 0) << ethernet[down].name;
}

TEST(Adapters, OfOtherKindsThanTheFastestAreLeftOut) {
  const auto left_out = [](std::vector<AdapterPort> ports, bool is_listed) {
    Names names;
    for (const AdapterPort& port : leave_out_other_ports(ports, is_listed)) names.push_back(port.name);
    return names;
  };
  const AdapterPort management{"eno1", 1e9 / 8, 1, "Ethernet"}, first{"mlx5_0/1", 25e9, 2, "InfiniBand"},
      encoded{"mlx5_1/1", 24.6e9, 3, "InfiniBand"}, old{"mlx4_0/1", 4e9, 4, "InfiniBand"},
      same_rate{"mlx5_2/1", 25e9, 5, "Ethernet"};
  EXPECT_EQ(left_out({management, first, encoded}, false), Names{"eno1"});
  EXPECT_EQ(left_out({first, old, same_rate}, false), (Names{"mlx4_0/1", "mlx5_2/1"}));
  EXPECT_EQ(left_out({first, old, same_rate}, true), Names{"mlx5_2/1"}) << "the listing has the older one, too";
  EXPECT_EQ(left_out({management}, true), Names{});
}

}  // namespace
}  // namespace tutti
