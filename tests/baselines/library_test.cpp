// The rules against the libraries' own text, which is not shipped: as thresholds, and as key=value conditions.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>

#include "selection/baselines.hpp"
#include "selection/library.hpp"

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
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    const auto found = ladders.find(std::string(name_of(collective)));
    if (found == ladders.end()) continue;  // scan, exscan
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
              const Choice choice = pick(find_baseline("open-mpi-4.1"), c, 1).choice;
              std::string ladder = op == Operator::user ? other : commutative;
              if (ladder.starts_with("*:") && ladder.find("n<") != std::string::npos) ladder = ladder.substr(2);
              ASSERT_EQ(name_of(find_library("open-mpi-4.1"), choice)->theirs, std::to_string(id_in(ladder, ranks, c.count)))
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
    c.collective = static_cast<Collective>(random() % kCollectives);
    c.ranks = 1 << random() % 9;
    if (random() % 2 != 0) c.ranks += static_cast<int>(random() % 9);
    c.element_bytes = is_reduction(c.collective) ? 4 : 1;
    static constexpr std::int64_t kThresholds[] = {8, 256, 2048, 12288, 32768, 81920, 524288};
    const std::int64_t bytes = kThresholds[random() % 7] / (random() % 2 ? 1 : c.ranks) +
                               (static_cast<int>(random() % 3) - 1) * c.element_bytes;
    c.count = c.collective == Collective::barrier ? 0 : std::max<std::int64_t>(1, bytes / c.element_bytes);
    if (random() % 4 == 0) c.count = std::max<Count>(1, static_cast<Count>(random() % 16) - 8 + c.ranks);
    c.op = std::array{Operator::sum, Operator::user_commutative, Operator::user}[random() % 3];
    c.in_place = random() % 2;
    for (const std::string& line : lines) {
      const std::size_t arrow = line.find(" => ");
      std::string conditions = line.substr(0, arrow);
      bool all = true;
      for (std::size_t end; all && !conditions.empty();
           conditions = end == std::string::npos ? "" : conditions.substr(end + 3)) {
        end = conditions.find(" & ");
        all = holds(conditions.substr(0, end), c, false);
      }
      if (!all) continue;
      const std::string name = line.substr(arrow + 4, line.find(' ', arrow + 4) - arrow - 4);
      const Choice choice = pick(find_baseline("mpich"), c, 1).choice;
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
  EXPECT_EQ(seen.size(), 27U) << "all that it names for these collectives";
}

}  // namespace
}  // namespace tutti
