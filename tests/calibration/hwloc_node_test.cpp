#include "calibration/hwloc_node.hpp"

#include <hwloc.h>
#include <unistd.h>

#include "calibration/in_child.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

/// The XML of an invented node, less the cores of `without` where given.
std::string node_xml(const char* description, const char* without = nullptr) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_set_synthetic(topology, description);
  hwloc_topology_load(topology);
  if (without != nullptr) {
    const hwloc_bitmap_t removed = hwloc_bitmap_alloc(), kept = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(removed, without);
    hwloc_bitmap_andnot(kept, hwloc_topology_get_topology_cpuset(topology), removed);
    hwloc_topology_restrict(topology, kept, 0);
    hwloc_bitmap_free(removed);
    hwloc_bitmap_free(kept);
  }
  char* buffer = nullptr;
  int length = 0;
  hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0);
  std::string xml(buffer);
  hwloc_free_xmlbuffer(topology, buffer);
  hwloc_topology_destroy(topology);
  return xml;
}

NodeParts read_xml(const std::string& xml) {
  const test::TemporaryFile file(xml, "node.xml");
  return read_hwloc_node(file.path());
}

TEST(HwlocNode, CountsSocketsDomainsCachesAndCoresWithoutTheirThreads) {
  const NodeParts node = read_xml(node_xml("pack:2 group:4 [numa(memory=1GiB)] l3:2 core:3 pu:2"));
  EXPECT_EQ(node.sockets, 2);
  EXPECT_EQ(node.domains_per_socket, 4);
  EXPECT_EQ(node.caches_per_domain, 2);
  EXPECT_EQ(node.cores_per_cache, 3);
  EXPECT_EQ(node.memory_bytes, std::int64_t{8} << 30);
  EXPECT_TRUE(node.nic_domains.empty());
}

TEST(HwlocNode, TakesADomainForTheCacheWhereNoneIsShared) {
  const NodeParts node = read_xml(node_xml("pack:2 [numa] core:12 pu:1"));
  EXPECT_EQ(node.caches_per_domain, 1);
  EXPECT_EQ(node.cores_per_cache, 12);
}

TEST(HwlocNode, TakesASocketForTheDomainWhereDomainsSpanSockets) {
  const NodeParts node = read_xml(node_xml("[numa] pack:2 l3:2 core:4 pu:1"));
  EXPECT_EQ(node.sockets, 2);
  EXPECT_EQ(node.domains_per_socket, 1);
  EXPECT_NE(node.notes.front().find("without a NUMA domain"), std::string::npos);
}

TEST(HwlocNode, RefusesPartsThatAreNotAlike) {
  try {
    read_xml(node_xml("pack:2 [numa] l3:2 core:3 pu:1", "0"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("as many cores everywhere"), std::string::npos) << error.what();
  }
}

TEST(HwlocNode, AsksForVersion2OfAFileThatHwlocRefuses) {
  std::string xml = node_xml("pack:1 core:2 pu:1");
  const auto version = xml.find("version=\"2.0\"");
  ASSERT_NE(version, std::string::npos);
  xml.replace(version, 13, "version=\"3.0\"");
  const test::TemporaryFile file(xml, "node.xml");
  test::expect_input_error([&] { read_hwloc_node(file.path()); }, file.path(), 1, "--export-xml-flags v2");
  EXPECT_THROW(read_hwloc_node("/nonexistent.xml"), InputError);
}

TEST(HwlocNode, RefusesWhatIsNoXmlOrIsCutWhereItIs) {
  const auto refused = [](const std::string& text, int line, const std::string& words) {
    const test::TemporaryFile file(text, "node.xml");
    test::expect_input_error([&] { read_hwloc_node(file.path()); }, file.path(), line, words);
  };
  refused("", 1, "expected an XML file");
  refused("no XML", 1, "expected an XML element");
  refused("<a>\n<b>\n</a>\n", 3, "expected </b>, the end of what begins on line 2");
  refused("<a>\n<b c=\"1\"/>\n", 3, "inside <a> of line 1");
  refused("<a/>\n<b/>\n", 2, "expected the end of the file");
  refused("<a>\n<b c=1/></a>\n", 2, "expected c=\"…\"");
  refused("<a>\n<b c=\"1/></a>\n", 2, "expected '\"' before the end");
  for (const std::string index : {"-1", "4294967295", "1048577", "x", "1,5", ""})
    refused("<a>\n<b c=\"1\"\nos_index=\"" + index + "\"/></a>\n", 3, "with a number of 0 to 1048576");
  refused("<!-- <a/>", 1, "expected '-->' before the end");
  std::string deep, ends;
  for (int i = 0; i < 200'000; ++i) deep += "<a>", ends += "</a>";
  refused(deep + ends, 1, "expected at most 128 levels");
  const std::string xml = node_xml("pack:2 [numa] l3:2 core:3 pu:1");
  for (const double part : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
    const test::TemporaryFile file(xml.substr(0, static_cast<std::size_t>(part * static_cast<double>(xml.size()))),
                                   "node.xml");
    EXPECT_THROW(read_hwloc_node(file.path()), InputError) << part;
  }
}

TEST(HwlocNode, SurvivesALibraryThatCrashesOrNeverEnds) {
  EXPECT_EQ(in_child(10, [] { return std::string("answer"); }), "answer");
  EXPECT_EQ(in_child(10, [] { return std::string(1 << 20, 'a'); }), std::string(1 << 20, 'a'));
  EXPECT_EQ(in_child(10, []() -> std::string { abort(); }), std::nullopt);
  EXPECT_EQ(in_child(10, []() -> std::string { _exit(0); }), std::nullopt);
  EXPECT_EQ(in_child(1,
                     []() -> std::string {
                       for (;;) pause();
                     }),
            std::nullopt);
}

}  // namespace
}  // namespace tutti
