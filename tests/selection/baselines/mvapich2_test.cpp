// MVAPICH2's own choices against its tables, which are looked up here once more as its source looks them up
// (MPIR_*_index_tuned_intra_MV2, FIND_PPN_INDEX).
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "selection/baselines.hpp"

namespace tutti {
namespace {

struct Entry {
  std::int64_t bytes = 0;
  std::string function;
  int two_level = 0, radix = -1;
};
struct TableRow {
  int ranks = 0;
  std::vector<int> factors;
  std::vector<Entry> between, within;
};

Entry entry_from(const std::string& text) {
  Entry entry;
  std::stringstream stream(text);
  std::string bytes, two_level, radix;
  std::getline(stream, bytes, '='), std::getline(stream, entry.function, '/');
  entry.bytes = std::stoll(bytes);
  if (std::getline(stream, two_level, '/') && std::getline(stream, radix))
    entry.two_level = std::stoi(two_level), entry.radix = std::stoi(radix);
  return entry;
}

/// By collective and ranks on a node.
std::map<std::pair<std::string, int>, std::vector<TableRow>> read_tables() {
  std::ifstream file(TUTTI_SOURCE_DIR "/tests/selection/baselines/mvapich2_tables.txt");
  std::map<std::pair<std::string, int>, std::vector<TableRow>> tables;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::stringstream words(line);
    std::string collective, factors, word;
    int per_node = 0;
    TableRow row;
    words >> collective >> per_node >> row.ranks >> factors;
    std::stringstream numbers(factors);
    while (std::getline(numbers, word, ',')) row.factors.push_back(std::stoi(word));
    bool is_within = false;
    while (words >> word) {
      if (word == "|")
        is_within = true;
      else
        (is_within ? row.within : row.between).push_back(entry_from(word));
    }
    tables[{collective, per_node}].push_back(row);
  }
  return tables;
}

/// As the library does: how many doublings above the first.
int doublings(std::int64_t from, std::int64_t to) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(to))) -
         static_cast<int>(std::bit_width(static_cast<std::uint64_t>(from)));
}

const TableRow& row_of(const std::vector<TableRow>& rows, int ranks) {
  if (ranks < rows.front().ranks) return rows.front();
  if (ranks > rows.back().ranks) return rows.back();
  return rows[static_cast<std::size_t>(doublings(rows.front().ranks, ranks))];
}

const Entry& entry_of(const std::vector<Entry>& entries, int counted, std::int64_t bytes) {
  const auto last = static_cast<std::size_t>(counted - 1);
  if (bytes < entries.front().bytes) return entries.front();
  if (bytes > entries[last].bytes) return entries[last];
  return entries[static_cast<std::size_t>(doublings(entries.front().bytes, bytes))];
}

/// What the tables say, in our words; nothing where they are not asked, or we have no word.
std::string expected(Collective collective, const TableRow& row, int ranks, int nodes, std::int64_t bytes) {
  const bool apart = ranks == nodes, one_node = nodes == 1;
  const int counted = row.factors[row.factors.size() - (row.within.empty() ? 1 : 2)];
  const Entry& between = entry_of(row.between, counted, bytes);
  const std::string& f = between.function;
  const std::string within = row.within.empty() ? "" : entry_of(row.within, row.factors.back(), bytes).function;
  const auto on_nodes = [&](const std::string& node, const std::string& global, const std::string& rest = "") {
    if (apart) return global;
    return "hier(node=" + node + ",global=" + global + rest + ")";
  };
  switch (collective) {
    case Collective::bcast: {
      const std::string node =
          within == "Knomial_Bcast_intra_node" && bytes >= 128 * 1024 && f != "Pipelined_Bcast_Zcpy" ? "knomial:radix=4"
                                                                                                     : "linear";
      if (one_node) return node;
      const bool cut = f.starts_with("Pipelined");
      const std::string tree = f == "Pipelined_Bcast_Zcpy"
                                   ? "knomial:radix=" + std::to_string(std::max(between.radix, 2))
                               : f == "Pipelined_Bcast"        ? "knomial:radix=2"
                               : f == "binomial"               ? "binomial"
                               : f.starts_with("Knomial")      ? (between.two_level ? "knomial:radix=4" : "binomial")
                               : f.starts_with("scatter_ring") ? "scatter_ring"
                                                               : "scatter_recursive_doubling";
      return apart ? tree + (cut ? ":segment=8192" : "") : on_nodes(node, tree, cut ? ",segment=8192" : "");
    }
    case Collective::allreduce: {
      const std::string across = f == "pt2pt_rs" ? "rabenseifner" : "recursive_doubling";
      if (!between.two_level) return across;
      if (one_node) return within == "reduce_shmem" ? "linear" : "";
      return on_nodes(within == "reduce_shmem" ? "linear" : "binomial", across, ",down=linear");
    }
    case Collective::reduce: {
      const std::string across = f.starts_with("inter") ? "knomial:radix=4" : f == "binomial" ? f : "rabenseifner";
      if (!between.two_level) return across;
      if (one_node) return "knomial:radix=4";
      return on_nodes(within == "shmem" && bytes < 32768 ? "linear"
                      : within == "binomial"             ? within
                                                         : "knomial:radix=4",
                      across);
    }
    case Collective::allgather:
      if (f == "Ring" || f == "Bruck") return f == "Ring" ? "ring" : "bruck";
      if (!std::has_single_bit(static_cast<unsigned>(ranks))) return "";
      return f == "RD" || apart || one_node || ranks % nodes != 0 ? "recursive_doubling"
                                                                  : "permuted:order=cyclic:of=recursive_doubling";
    case Collective::alltoall:
      if (f != "Scatter_dest") return f == "bruck" ? "bruck" : "pairwise";
      return one_node || bytes < 65536 ? "scattered" : "scattered:window=4";
    default: {
      const bool direct = f.ends_with("Direct");
      if (!f.starts_with("two_level") || apart || one_node) return direct ? "linear" : "binomial";
      if (ranks % nodes != 0) return "";
      return "han:low=" + std::string(within == "Direct" ? "1" : "2") + ":up=" + (direct ? "1" : "2");
    }
  }
}

/// Layouts of which a last node may have a rank less: then the library goes by the middle one of its three tables.
std::vector<std::pair<int, int>> layouts() {  // ranks, nodes
  std::vector<std::pair<int, int>> all;
  for (const int per_node : {1, 2, 3, 4, 8, 9, 15, 16, 17, 48})
    for (const int nodes : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 100, 256, 300}) {
      if (nodes * per_node > 1) all.emplace_back(nodes * per_node, nodes);
      if (per_node > 1 && nodes > 1) all.emplace_back(nodes * per_node - 1, nodes);
    }
  return all;
}

/// Those that the tables serve, on both sides of every power of two.
std::vector<std::int64_t> table_sizes(Collective collective, bool even) {
  const bool all = collective == Collective::scatter || collective == Collective::allgather;
  std::vector<std::int64_t> sizes;
  for (std::int64_t power = all ? 4 : 16384; power <= 1 << 22; power *= 2)
    for (const std::int64_t bytes : {power - 4, power, power + 4})
      if (bytes > 0 && (!even || collective != Collective::allreduce || bytes < 2 << 20)) sizes.push_back(bytes);
  return sizes;
}

TEST(BaselineMvapich2, SaysWhatItsTablesSayForEveryRanksANodeAndSize) {
  const auto tables = read_tables();
  ASSERT_EQ(tables.size(), 18U);
  const Baseline& baseline = find_baseline("mvapich2-2.3");
  int compared = 0, not_ours = 0;
  for (const Collective collective : {Collective::bcast, Collective::allreduce, Collective::reduce,
                                      Collective::allgather, Collective::alltoall, Collective::scatter})
    for (const auto& [ranks, nodes] : layouts()) {
      const bool even = ranks % nodes == 0;
      const int per_node = even ? ranks / nodes : 2;
      const TableRow& row = row_of(tables.at({std::string(name_of(collective)), per_node < 3 ? per_node : 16}), ranks);
      for (const std::int64_t bytes : table_sizes(collective, even)) {
        SCOPED_TRACE(std::string(name_of(collective)) + " " + std::to_string(ranks) + " ranks on " +
                     std::to_string(nodes) + " nodes, " + std::to_string(bytes) + " bytes");
        Case c{.collective = collective, .ranks = ranks, .element_bytes = is_reduction(collective) ? 4 : 1};
        c.count = bytes / c.element_bytes;
        const std::string wanted = expected(collective, row, ranks, nodes, bytes);
        const auto found = pick_if_ours(baseline, c, evenly(nodes, c.ranks));
        ASSERT_EQ(found ? found->choice.text() : "", wanted.empty() ? "" : parse_choice(collective, wanted).text());
        ++(found ? compared : not_ours);
      }
    }
  std::printf("%d calls as the tables say, %d more that are none of our algorithms\n", compared, not_ours);
  EXPECT_GE(compared, 60'000);
  EXPECT_LT(not_ours * 5, compared);
}

TEST(BaselineMvapich2, SmallCallsGoPastItsTablesAndWhatIsNoneOfOursIsSaidToBe) {
  const Baseline& baseline = find_baseline("mvapich2-2.3");
  const auto on = [&](Collective collective, int nodes, int per_node, std::int64_t bytes, Operator op = Operator::sum) {
    Case c{.collective = collective,
           .ranks = nodes * per_node,
           .element_bytes = is_reduction(collective) ? 4 : 1,
           .op = op};
    c.count = bytes / c.element_bytes;
    const auto found = pick_if_ours(baseline, c, evenly(nodes, c.ranks));
    return found ? found->choice.text() : "";
  };
  EXPECT_EQ(on(Collective::bcast, 4, 16, 1024), "hier(node=linear,global=knomial:radix=8):segment=8192");
  EXPECT_EQ(on(Collective::allreduce, 4, 16, 2048), "hier(node=linear,down=linear)");
  EXPECT_EQ(on(Collective::allreduce, 4, 1, 2048), "recursive_doubling");
  EXPECT_EQ(on(Collective::allreduce, 4, 8, 2 << 20), "ring");
  EXPECT_EQ(on(Collective::allreduce, 4, 16, 1024, Operator::user), "recursive_doubling");
  EXPECT_EQ(on(Collective::reduce, 4, 16, 8192), on(Collective::reduce, 4, 16, 8));
  EXPECT_EQ(on(Collective::reduce, 4, 16, 8192, Operator::user), "");
  EXPECT_EQ(on(Collective::alltoall, 4, 4, 16), "") << "it gathers all blocks on all ranks";
  EXPECT_EQ(on(Collective::alltoall, 4, 4, 32), "bruck");
  EXPECT_EQ(on(Collective::alltoall, 4, 16, 1), "bruck") << "not with sixteen ranks a node";
  EXPECT_EQ(on(Collective::gather, 4, 16, 1 << 20), "binomial");
  EXPECT_EQ(on(Collective::reduce_scatter, 4, 2, 16380), "recursive_halving") << "8 ranks";
  EXPECT_EQ(on(Collective::reduce_scatter, 4, 4, 131072), "ring");
  const Case small{.collective = Collective::alltoall, .ranks = 16, .count = 16, .element_bytes = 1};
  try {
    pick(baseline, small, evenly(4, small.ranks));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "default:mvapich2-2.3: for alltoall of 256 bytes on 4 nodes with 4 ranks each it runs an allgather of "
                 "all blocks, which is none of our algorithms");
  }
}

}  // namespace
}  // namespace tutti
