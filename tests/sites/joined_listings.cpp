#include "sites/joined_listings.hpp"

#include "sites/cabling.hpp"
#include "tests/sites/files.hpp"

namespace tutti {
namespace {

using namespace test;

std::string text_of(const std::string& name) {
  std::ifstream stream(corpus("ibnetdiscover/" + name));
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

FabricListing listing_of(const std::string& text, const std::string& name = "file") {
  const File file(text, name);
  FabricListing listing = read_ibnetdiscover(file.path());
  listing.file = name;
  return listing;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// Two hosts with an adapter of two ports each, on a switch.
const std::string kSections =
    "Switch 8 \"S-a0\" # \"leaf\"\n[1] \"H-b0\"[1](b1) # \"n1 HCA-1\" lid 2 4xEDR\n[2] \"H-b0\"[2](b2) # \"n1 HCA-1\" "
    "lid 3 4xEDR\n[3] \"H-c0\"[1](c1) # \"n2 HCA-1\" lid 4 4xEDR\n\nCa 2 \"H-b0\" # \"n1 HCA-1\"\n[1](b1) \"S-a0\"[1] "
    "# "
    "lid 2 lmc 0 \"leaf\" lid 1 4xEDR\n[2](b2) \"S-a0\"[2] # lid 3 lmc 0 \"leaf\" lid 1 4xEDR\n\nCa 2 \"H-c0\" # \"n2 "
    "HCA-1\"\n[1](c1) \"S-a0\"[3] # lid 4 lmc 0 \"leaf\" lid 1 4xEDR\n";
const std::string kLines =
    "CA 2 1 0x00b1 4x EDR - SW 1 1 0x00a0 ( 'n1 HCA-1' - 'leaf' )\nCA 3 2 0x00b2 4x EDR - SW 1 2 0x00a0 ( 'n1 HCA-1' - "
    "'leaf' )\nCA 4 1 0x00c1 4x EDR - SW 1 3 0x00a0 ( 'n2 HCA-1' - 'leaf' )\nSW 1 1 0x00a0 4x EDR - CA 2 1 0x00b1 ( "
    "'leaf' - 'n1 HCA-1' )\n";

TEST(JoinedListings, OfOneFabricCountEachCableOnce) {
  const FabricListing listing = read_ibnetdiscover(corpus("ibnetdiscover/two-leaves.txt"));
  const Cabling once = cabling_of({listing}, {}), twice = cabling_of({listing, listing}, {});
  EXPECT_EQ(twice.cables.size(), once.cables.size());
  ASSERT_EQ(twice.hosts.size(), once.hosts.size());
  for (std::size_t i = 0; i < once.hosts.size(); ++i)
    EXPECT_EQ(twice.hosts[i].ports.size(), once.hosts[i].ports.size()) << once.hosts[i].name;
  EXPECT_EQ(twice.faults, std::vector<std::string>{});
}

TEST(JoinedListings, HaveWhatOnlyOneOfThemSaw) {
  const std::string whole = text_of("two-leaves.txt");
  const std::size_t leaf_2 = whole.find("vendid", whole.find("Switch"));
  const std::size_t adapters = whole.find("vendid", whole.rfind("Switch"));
  const std::string one = whole.substr(0, leaf_2) + whole.substr(adapters), other = whole.substr(leaf_2);
  const Cabling both = cabling_of({listing_of(one, "one"), listing_of(other, "other")}, {});
  EXPECT_EQ(both.cables.size(), 4u);
  EXPECT_EQ(both.hosts.size(), 4u);
  EXPECT_EQ(both.faults, std::vector<std::string>{});
}

TEST(JoinedListings, KnowAFabricByItsGuidsInEitherForm) {
  const FabricListing sections = listing_of(kSections, "sections"), lines = listing_of(kLines, "lines");
  for (const std::vector<FabricListing>& both : {std::vector{sections, lines}, {lines, sections}}) {
    const Cabling cabling = cabling_of(both, {});
    EXPECT_EQ(cabling.switches, std::vector<std::string>{"leaf"});
    ASSERT_EQ(cabling.hosts.size(), 2u);
    EXPECT_EQ(cabling.hosts[0].ports.size(), 2u);
    EXPECT_EQ(cabling.hosts[1].ports.size(), 1u);
    EXPECT_EQ(cabling.faults, std::vector<std::string>{});
  }
}

TEST(JoinedListings, ASwitchWhoseGuidIsWrittenInTwoWaysIsOne) {
  const Cabling cabling =
      cabling_of({listing_of(kLines + "SW 1 7 0xa0 4x EDR - SW 1 8 0x00a0 ( 'leaf' - 'leaf' )\n")}, {});
  EXPECT_EQ(cabling.switches, std::vector<std::string>{"leaf"});
  EXPECT_TRUE(cabling.cables.empty()) << "a cable from a switch to itself is left out";
}

TEST(JoinedListings, OfSeveralFabricsAreTheRailsOfTheirHosts) {
  // The adapter's other port leads to the other fabric, whose switches have numbers of their own.
  std::string second = text_of("two-leaves.txt");
  for (const auto& [what, by] : {std::pair("00a", "00d"), {"[1](b", "[2](b"}, {"00c0", "00e0"}, {"(c0)", "(e0)"}})
    second = replaced(second, what, by);
  const Cabling cabling = cabling_of({listing_of(text_of("two-leaves.txt"), "a"), listing_of(second, "b")}, {});
  EXPECT_EQ(cabling.switches.size(), 8u);
  EXPECT_EQ(cabling.cables.size(), 8u);
  ASSERT_EQ(cabling.hosts.size(), 4u);
  for (const Cabling::Host& host : cabling.hosts) EXPECT_EQ(host.ports.size(), 2u) << host.name;
  EXPECT_EQ(cabling.faults, std::vector<std::string>{});
}

TEST(JoinedListings, ThatDisagreeNameBothPlacesAndTheEarlierIsTaken) {
  const FabricListing first = listing_of(kSections, "first");
  const auto with = [&](const std::string& sections) {
    return cabling_of({first, listing_of(sections, "second")}, {});
  };
  const Cabling slower = with(replaced(replaced(kSections, "lid 4 4xEDR", "lid 4 1xEDR"),
                                       "lid 4 lmc 0 \"leaf\" lid 1 4x", "lid 4 lmc 0 \"leaf\" lid 1 1x"));
  EXPECT_EQ(slower.faults,
            std::vector<std::string>{"second:4: a cable of 1xEDR between leaf and n2 HCA-1, but of 4xEDR "
                                     "by first:4; taken is first"});
  const std::string cable = "[5] \"S-a9\"[5] # \"top\" 4xEDR\n";
  const FabricListing up = listing_of(replaced(kSections, "\n\nCa 2 \"H-b0", "\n" + cable + "\nCa 2 \"H-b0") +
                                          "\nSwitch 8 \"S-a9\" # \"top\"\n[5] \"S-a0\"[5] # \"leaf\" 4xEDR\n",
                                      "first"),
                      moved = listing_of(replaced(kSections, "\n\nCa 2 \"H-b0",
                                                  "\n" + replaced(cable, "[5] #", "[6] #") + "\nCa 2 \"H-b0") +
                                             "\nSwitch 8 \"S-a9\" # \"top\"\n[6] \"S-a0\"[5] # \"leaf\" 4xEDR\n",
                                         "second");
  const Cabling cabling = cabling_of({up, moved}, {});
  EXPECT_EQ(cabling.faults, std::vector<std::string>{"second:5: port 5 of leaf leads to port 6 of top, but by first:5 "
                                                     "to port 5 of top; taken is first"});
  ASSERT_EQ(cabling.cables.size(), 1u);
  EXPECT_EQ(cabling.cables[0].port_b, 5);
}

TEST(JoinedListings, ThatDifferEverywhereSaySoInAFewLines) {
  const std::string whole = text_of("two-leaves.txt");
  const std::size_t faults =
      cabling_of({listing_of(whole, "a"), listing_of(replaced(whole, "4xEDR", "4xQDR"), "b")}, {}).faults.size();
  EXPECT_EQ(faults, 9u) << "eight of nine cables, and how many more";
}

TEST(JoinedListings, ARateThatOneSaysCountsForTheOther) {
  const Cabling cabling =
      cabling_of({listing_of(replaced(kSections, " 4xEDR", ""), "first"), listing_of(kSections, "second")}, {});
  EXPECT_EQ(cabling.faults, std::vector<std::string>{});
  ASSERT_EQ(cabling.hosts.size(), 2u);
  EXPECT_DOUBLE_EQ(cabling.hosts[0].ports[0].bytes_per_second, 12.5e9);
}

TEST(JoinedListings, ThatLackSectionsAreContradictoryWhereverTheyAreCut) {
  const std::string whole = text_of("two-leaves.txt");
  const std::size_t last_adapter = whole.find('\n', whole.rfind("Ca\t"));
  std::size_t read = 0;
  for (std::size_t end = whole.find('\n'); end < last_adapter; end = whole.find('\n', end + 1)) {
    Cabling cabling;
    if (refusal([&] { cabling = cabling_of({listing_of(whole.substr(0, end + 1))}, {}); }) != "accepted") continue;
    ++read;
    ASSERT_EQ(cabling.faults.size(), 1u) << whole.substr(0, end);
    EXPECT_EQ(cabling_of({listing_of(whole, "whole"), listing_of(whole.substr(0, end + 1))}, {}).faults.size(), 0u)
        << "what another listing describes is not missing";
  }
  EXPECT_GT(read, 50u);
  const std::size_t leaf_2 = whole.find("vendid", whole.find("Switch"));
  EXPECT_EQ(
      cabling_of({listing_of(whole.substr(0, leaf_2))}, {}).faults.front(),
      "file:12: 5 devices that cables lead to have no section (spine-1, spine-2, node1 HCA-1, …), but ibnetdiscover "
      "writes one for each: the file is cut or shortened, and cables may be missing; taken is what it has");
}

TEST(JoinedListings, OfPortsMayBeChosenLinesWhichIsNoted) {
  const Cabling cabling = cabling_of({listing_of(kLines.substr(0, kLines.find("SW 1 1 0x00a0 4x")))}, {});
  EXPECT_EQ(cabling.faults, std::vector<std::string>{});
  ASSERT_FALSE(cabling.notes.empty());
  EXPECT_EQ(cabling.notes[0],
            "file:1: 1 devices that cables lead to have no line of their own (leaf): cables may be missing");
}

}  // namespace
}  // namespace tutti
