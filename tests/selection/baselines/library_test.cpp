// The rules against the libraries' own text, which is not shipped: as thresholds, and as key=value conditions.
#include "selection/library.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>

#include "selection/baselines.hpp"
#include "selection/own_parts.hpp"

namespace tutti {
namespace {

std::vector<std::string> lines_of(const char* file) {
  const char* given = std::getenv("TUTTI_SHARED");
  const std::filesystem::path root = given ? given : TUTTI_SOURCE_DIR "/../shared";
  std::ifstream stream(root / "data/defaults" / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What of the text serves the case; its first condition that does not hold is passed over with the line.
template <class Holds>
std::string first_in(const std::vector<std::string>& lines, Holds holds) {
  for (const std::string& line : lines) {
    const std::size_t arrow = line.find("=>");
    std::string conditions = line.substr(0, line.find_last_not_of(' ', arrow - 1) + 1);
    bool all = true;
    for (std::size_t end; all && !conditions.empty();
         conditions = end == std::string::npos ? "" : conditions.substr(end + 3)) {
      end = conditions.find(" & ");
      all = holds(conditions.substr(0, end));
    }
    if (!all) continue;
    const std::string names = line.substr(line.find_first_not_of(' ', arrow + 2));
    return names.substr(names.find(' ') == std::string::npos || !names.starts_with("COMP ") ? 0 : 5);
  }
  return "";
}

/// "n<4:{<131072:3 *:1}; n<8:3 …": the id that applies, by the text itself.
int id_in(const std::string& ladder, int ranks, std::int64_t bytes) {
  static const std::regex branch(R"((?:n<(\d+)|n==(\d+)|(\*)):(?:\{([^}]*)\}|(\d+)))"), step(R"((?:<(\d+)|\*):(\d+))");
  for (std::sregex_iterator b(ladder.begin(), ladder.end(), branch), end; b != end; ++b) {
    if ((*b)[1].matched && ranks >= std::stoi((*b)[1])) continue;
    if ((*b)[2].matched && ranks != std::stoi((*b)[2])) continue;
    if ((*b)[5].matched) return std::stoi((*b)[5]);
    const std::string steps = (*b)[4];
    for (std::sregex_iterator s(steps.begin(), steps.end(), step); s != end; ++s)
      if (!(*s)[1].matched || bytes < std::stoll((*s)[1])) return std::stoi((*s)[2]);
  }
  throw std::logic_error("no branch for " + std::to_string(ranks) + " ranks in " + ladder);
}

TEST(BaselineText, OpenMpisRulesAreThoseOfItsSourceAroundEveryThreshold) {
  const std::vector<std::string> lines = lines_of("ompi_fixed_4.1.4.txt");
  if (lines.empty()) GTEST_SKIP() << "no ../shared/data/defaults";
  std::map<std::string, std::string> ladders;
  std::string name;
  for (const std::string& line : lines)
    if (line.starts_with("## "))
      name = line.substr(3);
    else
      ladders[name] += line;
  int compared = 0;
  for (const char* const of : {"allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast",
                               "gather", "reduce", "reduce_scatter", "reduce_scatter_block", "scatter"}) {
    const Collective collective = any_collective_named(of);
    const auto found = ladders.find(std::string(name_of(collective)));
    ASSERT_NE(found, ladders.end()) << of;
    static const std::regex number(R"(\d+)"), split(R"(^\{!ompi_op_is_commute\(op\):(.*?[0-9}]) \*:(\{\s*n<.*)$)");
    std::smatch halves;
    const bool two = std::regex_match(found->second, halves, split);
    const std::string commutative = two ? halves[2].str() : found->second;
    const std::string other =
        two ? "*:" + std::regex_replace(halves[1].str(), std::regex(R"(^\{(?=n|\s))"), "") : commutative;
    std::set<std::int64_t> thresholds{2, 3};
    for (std::sregex_iterator n(found->second.begin(), found->second.end(), number), end; n != end; ++n)
      thresholds.insert(std::stoll(n->str()));
    const bool by_block = find_baseline("open-mpi-4.1").collectives.at(collective).by_block;
    for (const Operator op : {Operator::sum, Operator::user})
      for (const std::int64_t ranks_at : thresholds)
        for (const std::int64_t bytes_at : thresholds)
          for (const int off : {-1, 0}) {
            const auto ranks = static_cast<int>(ranks_at + off);
            if (ranks < 2 || ranks > 5000) continue;
            for (const std::int64_t bytes : {bytes_at - 1, bytes_at}) {
              Case c{.collective = collective, .ranks = ranks, .count = bytes, .op = op};
              if (collective == Collective::barrier) c.count = 0;
              const Choice choice = pick(find_baseline("open-mpi-4.1"), c, evenly(1, c.ranks)).choice;
              std::string ladder = op == Operator::user ? other : commutative;
              if (ladder.starts_with("*:") && ladder.find("n<") != std::string::npos) ladder = ladder.substr(2);
              ASSERT_EQ(name_of(find_library("open-mpi-4.1"), without_parts(choice))->theirs,
                        std::to_string(id_in(ladder, ranks, c.count)))
                  << choice.algorithm->full_name() << " " << ranks << " ranks " << bytes << " bytes of "
                  << (by_block ? "a block" : "the vector") << " in " << ladder;
              ++compared;
            }
          }
  }
  EXPECT_GT(compared, 10000);
}

bool holds(const std::string& condition, const Case& c, bool parent) {
  static const std::regex form(R"((\w+)(<=|<|=)(\w+))");
  std::smatch parts;
  if (!std::regex_match(condition, parts, form)) throw std::logic_error("cannot read " + condition);
  const std::string key = parts[1], sign = parts[2], value = parts[3];
  if (value == "any") return true;
  if (key == "collective") return value == name_of(c.collective);
  if (key == "comm_type") return value == "intra";
  if (key == "comm_hierarchy") return (value == "parent") == parent;
  if (key == "is_commutative") return (value == "yes") == is_commutative(c.op);
  if (key == "is_op_built_in") return (value == "yes") == (c.op == Operator::sum);
  if (key == "is_sendbuf_inplace") return (value == "yes") == c.in_place;
  if (key == "is_block_regular") return (value == "yes") == (c.count % c.ranks == 0);
  if (key == "is_node_consecutive") return (value == "yes") == parent;
  const auto ranks = static_cast<unsigned>(c.ranks);
  if (key == "comm_size" && value == "pow2") return std::has_single_bit(ranks);
  if (key == "comm_size" && value == "node_comm_size") return !parent;
  if (key == "count" && value == "pow2") return c.count < std::bit_floor(ranks);
  std::int64_t quantity = 0;
  if (key == "comm_size")
    quantity = c.ranks;
  else if (key == "avg_msg_size")
    quantity = c.count * c.element_bytes;
  else if (key == "total_msg_size")
    quantity = total_bytes(c);
  else
    throw std::logic_error("cannot read " + condition);
  return sign == "<" ? quantity < std::stoll(value) : quantity <= std::stoll(value);
}

TEST(BaselineText, MpichsRulesAreThoseOfItsFile) {
  const std::vector<std::string> lines = lines_of("mpich_generic_flat.txt");
  if (lines.empty()) GTEST_SKIP() << "no ../shared/data/defaults";
  std::mt19937 random(7);
  std::map<std::string, int> seen;
  for (int round = 0; round < 20'000; ++round) {
    Case c;
    constexpr Collective kIrregular[] = {Collective::allgatherv, Collective::alltoallv, Collective::gatherv,
                                         Collective::scatterv};
    const int which = static_cast<int>(random() % (kCollectives + std::size(kIrregular)));
    c.collective = which < kCollectives ? static_cast<Collective>(which) : kIrregular[which - kCollectives];
    c.ranks = 1 << random() % 9;
    if (random() % 2 != 0) c.ranks += static_cast<int>(random() % 9);
    c.element_bytes = is_reduction(c.collective) ? 4 : 1;
    static constexpr std::int64_t kThresholds[] = {8, 256, 2048, 12288, 32768, 81920, 524288};
    const std::int64_t bytes = kThresholds[random() % 7] / (random() % 2 ? 1 : c.ranks) +
                               (static_cast<std::int64_t>(random() % 3) - 1) * c.element_bytes;
    c.count = c.collective == Collective::barrier ? 0 : std::max<std::int64_t>(1, bytes / c.element_bytes);
    if (random() % 4 == 0) c.count = std::max<Count>(1, static_cast<Count>(random() % 16) - 8 + c.ranks);
    c.op = std::array{Operator::sum, Operator::user_commutative, Operator::user}[random() % 3];
    c.in_place = random() % 2 && c.collective != Collective::alltoallv;  // not ours
    for (const std::string& line : lines) {
      const std::size_t arrow = line.find(" => ");
      std::string conditions = line.substr(0, arrow);
      bool all = true, is_late = false;
      for (std::size_t end; all && !conditions.empty();
           conditions = end == std::string::npos ? "" : conditions.substr(end + 3)) {
        end = conditions.find(" & ");
        const std::string condition = conditions.substr(0, end);
        is_late =
            is_late || !(condition.starts_with("com") || condition.starts_with("coll") || condition.ends_with("=any"));
        const bool is_one_less = is_late && condition == "comm_size<8" && c.ranks == 8;  // csel.c takes 8 for less then
        all = is_one_less || holds(condition, c, false);
      }
      if (!all) continue;
      const std::string name = line.substr(arrow + 4, line.find(' ', arrow + 4) - arrow - 4);
      const Choice choice = pick(find_baseline("mpich"), c, evenly(c.ranks, c.ranks)).choice;
      if (c.collective == Collective::reduce && !is_commutative(c.op))
        ASSERT_EQ(choice.text(), "in_order_binary");
      else if (c.collective == Collective::reduce_scatter_block || c.collective == Collective::reduce_scatter)
        ASSERT_EQ("MPIR_" + std::string(1, static_cast<char>(std::toupper(name_of(c.collective)[0]))) +
                      std::string(name_of(c.collective).substr(1)) + "_intra_" + choice.algorithm->name(),
                  name);
      else
        ASSERT_EQ(name_of(find_library("mpich"), choice)->theirs, name) << c.ranks << " ranks, count " << c.count;
      ++seen[name];
      break;
    }
  }
  EXPECT_EQ(seen.size(), 33U) << "all that it names for these collectives";
}

/// What runs between nodes where there is one of our two-level algorithms: a binomial tree (of a broadcast, MPICH's),
/// recursive doubling, or what "up" says by coll/tuned's number.
std::string between_nodes(const Choice& choice) {
  const std::int64_t* up = Parameters(choice.parameters).find("up");
  const Collective collective = choice.algorithm->collective();
  if (!up && collective == Collective::allreduce) return "recursive_doubling";
  if (!up) return collective == Collective::bcast ? "knomial" : "binomial";
  for (const Library::Name& name : find_library("open-mpi-5.0").algorithms.at(collective))
    if (name.theirs == std::to_string(*up)) return name.ours.algorithm->name();
  return "";
}

TEST(BaselineText, MpichsCompositionsAreThoseOfItsFile) {
  const std::vector<std::string> lines = lines_of("mpich_ch4_flat.txt");
  if (lines.empty()) GTEST_SKIP() << "no ../shared/data/defaults";
  const Baseline &whole = find_baseline("mpich-5.0"), &below = find_baseline("mpich");
  const std::set<std::string> two_levels{"Bcast_alpha", "Bcast_beta",    "Allreduce_alpha", "Reduce_alpha",
                                         "Reduce_beta", "Barrier_alpha", "Scan_alpha"};
  std::mt19937 random(11);
  std::map<std::string, int> seen;
  for (int round = 0; round < 40'000; ++round) {
    Case c;
    c.collective = static_cast<Collective>(random() % kCollectives);
    const int nodes = 1 + static_cast<int>(random() % 33), ppn = 1 << random() % 4;
    c.ranks = nodes * ppn;
    if (c.ranks == 1) continue;  // returns at once
    c.element_bytes = is_reduction(c.collective) ? 4 : 1;
    static constexpr std::int64_t kThresholds[] = {8, 64, 2048, 12288, 32768, 524288};
    c.count = kThresholds[random() % 6] / c.element_bytes + static_cast<int>(random() % 3) - 1;
    if (c.collective == Collective::barrier) c.count = 0;
    c.op = std::array{Operator::sum, Operator::user_commutative, Operator::user}[random() % 3];
    const bool parent = ppn > 1;  // also where all are on one node
    const auto all_of_one = [&](const std::string& condition) {
      if (condition == "comm_size=node_comm_size") return nodes == 1;
      return holds(condition, c, condition.starts_with("is_node_consecutive") ? parent && nodes > 1 : parent);
    };
    std::string name = first_in(lines, all_of_one);
    static const std::regex composition(R"(MPIDI_(\w+)_intra_composition_(\w+) *)");
    ASSERT_TRUE(std::regex_match(name, composition)) << name;
    name = std::regex_replace(name, composition, "$1_$2");
    const Choice choice = pick(whole, c, evenly(nodes, c.ranks)).choice;
    SCOPED_TRACE(name + " " + choice.text() + " " + std::to_string(nodes) + " x " + std::to_string(ppn) + ", count " +
                 std::to_string(c.count));
    if (!two_levels.contains(name) || (nodes == 1 && c.collective != Collective::barrier)) {
      ASSERT_EQ(choice, pick(below, c, evenly(nodes, c.ranks)).choice) << "it runs on all ranks";
      if (two_levels.contains(name)) ++seen[name];
    } else {
      ASSERT_TRUE(choice.algorithm->is_by_node());
      if (c.collective != Collective::scan && c.collective != Collective::barrier) {
        Case across = c;
        across.ranks = nodes;
        ASSERT_EQ(between_nodes(choice), pick(below, across, evenly(nodes, nodes)).choice.algorithm->name());
      }
      ++seen[name];
    }
  }
  EXPECT_EQ(seen.size(), two_levels.size()) << "all compositions of two levels";
}

/// "allreduce:0-4k:@0#allreduce:4k-inf:@1": the algorithm of the last token that serves so many bytes and ranks.
std::string scored(const std::string& text, const std::string& collective, int ranks, std::int64_t bytes) {
  const auto number = [](const std::string& word) {
    const std::int64_t unit = word.back() == 'k' ? 1024 : 1;
    return word == "inf" ? std::numeric_limits<std::int64_t>::max() : std::stoll(word) * unit;
  };
  static const std::regex token(R"((\w+)(?::host)?(?::(\w+)-(\w+))?(?::\[(\w+)-(\w+)\])?:@(\w+)#?)");
  std::string found;
  for (std::sregex_iterator t(text.begin(), text.end(), token), end; t != end; ++t)
    if ((*t)[1] == collective && (!(*t)[2].matched || (number((*t)[2]) <= bytes && bytes < number((*t)[3]))) &&
        (!(*t)[4].matched || (number((*t)[4]) <= ranks && ranks <= number((*t)[5]))))
      found = (*t)[6];
  return found;
}

TEST(BaselineText, UccsRulesAreItsSelectionStrings) {
  // src/components/tl/ucp/*/*.h of UCC 1.3.0; those that it puts together itself (%d) with the team's size.
  const std::string fixed =
      "allreduce:0-4k:@knomial#allreduce:4k-inf:@sra_knomial#"
      "bcast:0-inf:[2-2]:@knomial#bcast:0-32k:[3-inf]:@knomial#bcast:32k-inf:[3-inf]:@sag_knomial#reduce_scatter:@ring";
  const std::map<std::string, std::string> ours{{"allreduce knomial", "recexch:radix=4"},
                                                {"bcast knomial", "knomial"},
                                                {"bcast sag_knomial", "scatter_recursive_doubling"},
                                                {"reduce_scatter ring", "ring"},
                                                {"allgather knomial", "recexch_doubling:radix=4"},
                                                {"allgather ring", "ring"},
                                                {"allgather neighbor", "neighbor_exchange"},
                                                {"alltoall bruck", "bruck"},
                                                {"alltoall ", "pairwise"}};
  std::set<std::string> seen;
  for (const Collective collective : {Collective::allgather, Collective::allreduce, Collective::alltoall,
                                      Collective::bcast, Collective::reduce_scatter})
    for (int ranks = 2; ranks <= 70; ++ranks)
      for (const std::int64_t at :
           {std::int64_t{64}, std::int64_t{4096}, std::int64_t{32768}, std::int64_t{129} * ranks})
        for (const std::int64_t near : {at - 4, at, at + 4}) {
          const std::int64_t bytes = near / 4 * 4;
          Case c{.collective = collective, .ranks = ranks, .element_bytes = is_reduction(collective) ? 4 : 1};
          c.count = count_for_total_bytes(collective, ranks, c.element_bytes, bytes);
          const std::string text = fixed + "#allgather:0-4k:@knomial#allgather:4k-inf:@" +
                                   (ranks % 2 ? "ring" : "neighbor") + "#alltoall:host:0-" +
                                   std::to_string(129 * ranks) + ":@bruck";
          const std::string name = scored(text, std::string(name_of(collective)), ranks, total_bytes(c));
          const std::string key = std::string(name_of(collective)) + " " + name;
          const Choice choice = pick(find_baseline("ucc-1.3"), c, evenly(ranks, ranks)).choice;
          seen.insert(key);
          if (name != "sra_knomial")
            ASSERT_EQ(choice, parse_choice(collective, ours.at(key))) << key << " " << ranks << " " << bytes;
          else
            ASSERT_EQ(choice.algorithm->name(), "k_reduce_scatter_allgather");
        }
  EXPECT_EQ(seen.size(), ours.size() + 1) << "all that the strings name";
  const std::map<int, int> radix{{2, 2},  {3, 3},  {4, 2},  {5, 2},  {6, 3},  {7, 3},  {9, 3},  {12, 4},
                                 {16, 2}, {18, 3}, {27, 3}, {28, 3}, {32, 2}, {54, 3}, {66, 2}, {71, 2}};
  for (const auto& [ranks, expected] : radix) {  // by hand: ucc_kn_get_opt_radix
    const Case c{.collective = Collective::allreduce, .ranks = ranks, .count = 4096, .element_bytes = 4};
    const Choice choice = pick(find_baseline("ucc-1.3"), c, evenly(ranks, ranks)).choice;
    EXPECT_EQ(*Parameters(choice.parameters).find("radix"), expected) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace tutti
