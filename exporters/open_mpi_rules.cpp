#include "exporters/open_mpi_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::pair<Collective, int> kIds[] = {{Collective::allgather, 0},       {Collective::allreduce, 2},
                                               {Collective::alltoall, 3},        {Collective::barrier, 6},
                                               {Collective::bcast, 7},           {Collective::exscan, 8},
                                               {Collective::gather, 9},          {Collective::reduce, 11},
                                               {Collective::reduce_scatter, 12}, {Collective::reduce_scatter_block, 13},
                                               {Collective::scan, 14},           {Collective::scatter, 15}};

/// The whole numbers of a file, one after the other, each with its line. A leading 0 would be octal to the library.
class Numbers {
 public:
  Numbers(const std::string& text, const std::string& origin) : rest_(text), origin_(origin) {}

  std::int64_t next(const char* meaning, std::int64_t least = 0) {
    const std::string_view word = next_word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size() || value < least ||
        (word.size() > 1 && word[0] == '0'))
      fail(std::string(meaning) + ", a whole number from " + std::to_string(least) + " on");
    return value;
  }

  void expect_end() {
    if (!next_word().empty()) fail("the end of the file");
  }

  int line() const { return static_cast<int>(line_); }

  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(origin_ + ":" + std::to_string(line_) + ": expected " + expected);
  }

 private:
  /// Empty at the file's end.
  std::string_view next_word() {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    for (;;) {
      const std::size_t skipped = std::min(rest_.find_first_not_of(kSpace), rest_.size());
      line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(skipped), '\n');
      rest_.remove_prefix(skipped);
      if (!rest_.starts_with('#')) break;
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r\n\v\f#"));
    rest_.remove_prefix(word.size());
    return word;
  }

  std::string_view rest_;
  std::string origin_;
  std::ptrdiff_t line_ = 1;
};

/// By what the library looks a call up (coll_tuned_decision_dynamic.c).
std::int64_t looked_up_bytes(const Case& c) {
  if (c.collective == Collective::barrier) return 0;
  if (has_one_rule(c.collective)) return std::int64_t{c.element_bytes} * c.ranks;
  return total_bytes(c);
}

}  // namespace

int open_mpi_id(Collective collective) {
  for (const auto& [known, id] : kIds)
    if (known == collective) return id;
  throw std::logic_error("open_mpi_id: unknown collective");
}

std::optional<OpenMpiSetting> open_mpi_setting(const Choice& choice, const Library& library) {
  const Library::Name* name = name_of(library, choice);
  if (!name) return std::nullopt;
  const std::int64_t* fanout = value_of(choice, ParameterRole::fanout);
  const std::int64_t* segment = value_of(choice, ParameterRole::segment);
  return OpenMpiSetting{std::stoi(name->theirs), fanout ? *fanout : 0, segment ? *segment : 0};
}

std::optional<Choice> open_mpi_choice(Collective collective, const OpenMpiSetting& setting, const Library& library) {
  const Library::Name* name = find_name(library, collective, std::to_string(setting.algorithm));
  if (!name) return std::nullopt;
  Choice choice = name->ours;
  if (std::int64_t* segment = value_of(choice, ParameterRole::segment)) *segment = setting.segment;
  if (std::int64_t* fanout = value_of(choice, ParameterRole::fanout))
    *fanout = std::max<std::int64_t>(setting.fanout, 1);  // as the library takes a 0
  return choice;
}

OpenMpiRules::OpenMpiRules(const std::string& text, const std::string& origin) : origin_(origin) {
  Numbers numbers(text, origin);
  for (std::int64_t collectives = numbers.next("the number of collectives", 1); collectives > 0; --collectives) {
    const std::int64_t id = numbers.next("the id of a collective");
    const auto known =
        std::find_if(std::begin(kIds), std::end(kIds), [&](const auto& each) { return each.second == id; });
    if (known == std::end(kIds) || lines_.contains(known->first)) numbers.fail("the id of a collective, each once");
    auto& of_ranks = lines_[known->first];
    for (std::int64_t sizes = numbers.next("the number of communicator sizes", 1); sizes > 0; --sizes) {
      const std::int64_t ranks = numbers.next("a communicator size");
      if (!of_ranks.empty() && ranks <= of_ranks.rbegin()->first) numbers.fail("communicator sizes in ascending order");
      std::vector<OpenMpiLine>& lines = of_ranks[ranks];
      for (std::int64_t messages = numbers.next("the number of message sizes", 1); messages > 0; --messages) {
        OpenMpiLine line;
        line.from_bytes = numbers.next("a message size");
        line.number = numbers.line();
        if (lines.empty() ? line.from_bytes != 0 : line.from_bytes <= lines.back().from_bytes)
          numbers.fail("message sizes from 0 on, in ascending order");
        line.setting.algorithm = static_cast<int>(std::min<std::int64_t>(numbers.next("an algorithm"), 1 << 30));
        line.setting.fanout = numbers.next("a fan-out");
        line.setting.segment = numbers.next("a segment");
        lines.push_back(line);
      }
    }
  }
  numbers.expect_end();
}

OpenMpiSetting OpenMpiRules::look_up(const Case& c, Explanation* why) const {
  const auto of_ranks = lines_.find(c.collective);
  if (of_ranks == lines_.end()) {
    if (why) why->because.push_back(fmt::format("{} has no rules for {}", origin_, name_of(c.collective)));
    return {};
  }
  auto lines = of_ranks->second.upper_bound(c.ranks);
  if (lines != of_ranks->second.begin()) --lines;  // below the first, the first's rules apply all the same
  const OpenMpiLine* found = nullptr;
  for (const OpenMpiLine& line : lines->second)
    if (line.from_bytes <= looked_up_bytes(c)) found = &line;
  if (why) explain(c, lines->first, *found, *why);
  return found->setting;
}

void OpenMpiRules::explain(const Case& c, std::int64_t ranks, const OpenMpiLine& line, Explanation& why) const {
  const std::string where = fmt::format("{}:{}", origin_, line.number);
  const std::string of_ranks =
      ranks <= c.ranks
          ? fmt::format("the largest communicator size in it that is not above {} is {}", c.ranks, ranks)
          : fmt::format("its smallest communicator size, {}, also serves fewer ranks, here {}", ranks, c.ranks);
  const char* by = c.collective == Collective::barrier ? "0, for a barrier has no size"
                   : has_one_rule(c.collective)        ? "the bytes of an element times the ranks"
                                                       : "the bytes of the call";
  why.because.push_back(fmt::format("{}, and of its message sizes the largest not above {} ({}) is {}: {} says {}",
                                    of_ranks, looked_up_bytes(c), by, line.from_bytes, where,
                                    line.setting.algorithm == 0
                                        ? std::string("0, which leaves the call to the fixed rules")
                                        : fmt::format("algorithm {}, fan-out {}, segment {}", line.setting.algorithm,
                                                      line.setting.fanout, line.setting.segment)));
  if (line.setting.algorithm == 0) return;
  why.component = "coll/tuned";
  why.rule = where;
}

std::optional<Choice> open_mpi_choice_by(const OpenMpiRules& rules, const Case& c, const Library& library,
                                         Explanation* why) {
  const OpenMpiSetting setting = rules.look_up(c, why);
  if (setting.algorithm == 0) return std::nullopt;
  const std::optional<Choice> choice = open_mpi_choice(c.collective, setting, library);
  if (!why) return choice;
  if (choice) {
    why->told = true;
  } else {
    why->rule.clear();
    why->because.push_back(fmt::format("{} {} has no algorithm {} of {}, so that this is taken for its own choice",
                                       library.product, library.version, setting.algorithm, name_of(c.collective)));
  }
  return choice;
}

}  // namespace tutti
