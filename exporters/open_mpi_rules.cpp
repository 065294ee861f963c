#include "exporters/open_mpi_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "exporters/open_mpi_collectives.hpp"
#include "exporters/open_mpi_words.hpp"
#include "selection/own_parts.hpp"

namespace tutti {
namespace {

/// By what the library looks a call up (coll_tuned_decision_dynamic.c).
std::int64_t bytes_looked_up_by_rules(const Case& c) {
  if (c.collective == Collective::barrier || c.collective == Collective::alltoallv) return 0;
  if (has_one_rule(c.collective)) return std::int64_t{c.element_bytes} * c.ranks;
  return compared_bytes(c.collective, c.ranks, total_bytes(c));
}

}  // namespace

std::optional<OpenMpiSetting> open_mpi_setting(const Choice& choice, const Library& library) {
  const Library::Name* name = name_of(library, choice);
  if (!name || has_parts(choice)) return std::nullopt;  // which of its parts run, its own rules say
  const std::int64_t* fanout = value_of(choice, ParameterRole::fanout);
  const std::int64_t* segment = value_of(choice, ParameterRole::segment);
  if (fanout && *fanout > kOpenMpiMostChains) return std::nullopt;
  return OpenMpiSetting{std::stoi(name->theirs), fanout ? *fanout : 0, segment ? *segment : 0};
}

std::optional<Choice> open_mpi_choice(Collective collective, const OpenMpiSetting& setting, const Library& library) {
  const Library::Name* name = find_name(library, collective, std::to_string(setting.algorithm));
  if (!name) return std::nullopt;
  Choice choice = name->ours;
  if (std::int64_t* segment = value_of(choice, ParameterRole::segment)) *segment = setting.segment;
  if (std::int64_t* fanout = value_of(choice, ParameterRole::fanout))
    *fanout = std::clamp<std::int64_t>(setting.fanout, 1, kOpenMpiMostChains);  // as the library takes it
  return choice;
}

namespace {

/// Reads the file from its first number to its last.
class ClassicReader {
 public:
  ClassicReader(const std::string& text, const std::string& origin, const Library& library, Doubts* doubts)
      : numbers_(text, origin, 1, doubts), knows_versions_(library.version == "5.0"), doubts_(doubts) {}

  std::map<Collective, OpenMpiCommunicators> read() {
    std::map<Collective, OpenMpiCommunicators> all;
    if (knows_versions_ && numbers_.take("rule-file-version-")) version_ = numbers_.number("the version of the file");
    if (version_ > 1 && doubts_)
      doubts_->push_back({1, "ignored", fmt::format("version {} of the file", version_),
                          "Open MPI 5.0.0 to 5.0.6 ignore a file that names a version",
                          "leave it out where no rule has a fifth number", true});
    for (std::int64_t left = numbers_.number("the number of collectives"); left > 0; --left) {
      const std::int64_t id = numbers_.number("the id of a collective");
      const int line = numbers_.line();
      const std::optional<Collective> known = open_mpi_collective(id);
      const char* const name = open_mpi_collective_name(id);
      if (!name) numbers_.fail("the id of a collective, each once");
      if (!known) tell_other(name, line);
      if (known && all.contains(*known))
        expect("the id of a collective, each once",
               {line, "overlap", fmt::format("{} comes a second time", name),
                "Open MPI takes the last one, so that what was said before is lost", "join the two"});
      OpenMpiCommunicators read = communicators();
      if (known) all[*known] = std::move(read);
    }
    expect_end();
    return all;
  }

 private:
  /// Refuses, or takes note of it.
  void expect(const char* expected, LintFinding finding) {
    if (!doubts_) numbers_.fail(expected);
    doubts_->push_back(std::move(finding));
  }

  std::int64_t at_most(std::int64_t most, const char* meaning) {
    const std::int64_t value = numbers_.number(meaning);
    if (value > most) numbers_.fail(std::string(meaning) + " of at most " + std::to_string(most));
    return value;
  }

  void expect_end() {
    if (!numbers_.ends())
      expect("the end of the file",
             {numbers_.line(), "ignored", numbers_.word() + " after the last rule that is counted",
              "Open MPI reads as many collectives, sizes and rules as their counts say, and no further",
              "put the counts right"});
    if (!numbers_.is_last_line_whole())
      expect("a line that ends", {numbers_.line(), "number", "a last line that does not end",
                                  "the file may be cut, within a number, too", "end it, if it is whole", true});
  }

  void tell_other(const char* name, int line) {
    if (!doubts_) return;
    // coll_tuned_decision_dynamic.c (4.1.6, 5.0.10) asks for rules of fourteen collectives, not of these
    doubts_->push_back({line, "ignored", fmt::format("rules for {}", name),
                        "coll/tuned has no choice to make there: nobody reads them", "leave them out"});
  }

  OpenMpiCommunicators communicators() {
    OpenMpiCommunicators all;
    for (std::int64_t left = numbers_.number("the number of communicator sizes"); left > 0; --left) {
      const std::int64_t ranks = numbers_.number("a communicator size");
      const int line = numbers_.line();
      const bool ascends = all.empty() || ranks > all.rbegin()->first;
      if (!ascends)
        expect("communicator sizes in ascending order",
               {line, "overlap", fmt::format("{} ranks after {}", ranks, all.rbegin()->first),
                "Open MPI stops at the first size above the communicator's and takes the one before it: which rules "
                "hold follows from their order, not from their sizes",
                "sort communicator sizes in ascending order, each once"});
      OpenMpiCommunicator read{messages(), line};
      if (ascends) all[ranks] = std::move(read);
    }
    return all;
  }

  std::vector<OpenMpiLine> messages() {
    std::vector<OpenMpiLine> lines;
    for (std::int64_t left = numbers_.number("the number of message sizes"); left > 0; --left) {
      OpenMpiLine line;
      line.from_bytes = numbers_.number("a message size");
      line.number = numbers_.line();
      constexpr const char* kExpected = "message sizes from 0 on, in ascending order";
      if (lines.empty() && line.from_bytes != 0)
        expect(kExpected, {line.number, "gap", fmt::format("the first message size is {}", line.from_bytes),
                           "Open MPI refuses a file in which the sizes of a communicator do not begin with 0",
                           "put 0 there, or a line 0 0 0 0 before it, which leaves smaller sizes to the fixed rules"});
      const bool ascends = lines.empty() || line.from_bytes > lines.back().from_bytes;
      if (!ascends)
        expect(kExpected,
               {line.number, "overlap", fmt::format("{} bytes after {}", line.from_bytes, lines.back().from_bytes),
                "Open MPI stops at the first size above the call's and takes the line before it: which holds follows "
                "from their order, not from their sizes",
                "sort message sizes in ascending order, each once"});
      line.setting.algorithm = static_cast<int>(std::min<std::int64_t>(numbers_.number("an algorithm"), 1 << 30));
      constexpr std::int64_t kMost = std::numeric_limits<int>::max();  // Open MPI hands ints on
      line.setting.fanout = at_most(kMost, "a fan-out");
      line.setting.segment = at_most(kMost, "a segment");
      if (version_ > 1 && numbers_.is_followed_by_digit()) read_requests(line.number);
      if (ascends) lines.push_back(line);
    }
    return lines;
  }

  /// An alltoall's at once. 0: any.
  void read_requests(int line) {
    if (numbers_.number("a number of requests") > 0)
      expect("0 requests at the most, for any: what a limit does to an algorithm is not known here",
             {line, "unknown", "a limit of requests at once", "what it does to an algorithm is not known here",
              "write 0, or leave it out", true});
  }

  OpenMpiWords numbers_;
  const bool knows_versions_;
  std::int64_t version_ = 1;
  Doubts* const doubts_;
};

}  // namespace

OpenMpiRules::OpenMpiRules(const std::string& text, const std::string& origin, const Library& library, Doubts* doubts)
    : origin_(origin), communicators_(ClassicReader(text, origin, library, doubts).read()) {}

OpenMpiLine OpenMpiRules::look_up(const Case& c, Explanation* why) const {
  const auto of_ranks = communicators_.find(c.collective);
  if (of_ranks == communicators_.end() || of_ranks->second.empty()) {
    if (why) why->because.push_back(fmt::format("{} has no rules for {}", origin_, name_of(c.collective)));
    return {};
  }
  auto lines = of_ranks->second.upper_bound(c.ranks);
  if (lines != of_ranks->second.begin()) --lines;  // below the first, the first's rules apply all the same
  const OpenMpiLine* found = nullptr;
  for (const OpenMpiLine& line : lines->second.lines)
    if (line.from_bytes <= bytes_looked_up_by_rules(c)) found = &line;
  if (!found) {
    if (why)
      why->because.push_back(
          fmt::format("{}:{} has no message sizes for {} ranks", origin_, lines->second.number, c.ranks));
    return {};
  }
  if (why) explain(c, lines->first, *found, *why);
  return *found;
}

void OpenMpiRules::explain(const Case& c, std::int64_t ranks, const OpenMpiLine& line, Explanation& why) const {
  const std::string where = fmt::format("{}:{}", origin_, line.number);
  const std::string of_ranks =
      ranks <= c.ranks
          ? fmt::format("the largest communicator size in it that is not above {} is {}", c.ranks, ranks)
          : fmt::format("its smallest communicator size, {}, also serves fewer ranks, here {}", ranks, c.ranks);
  const char* by = c.collective == Collective::barrier      ? "0, for a barrier has no size"
                   : c.collective == Collective::alltoallv  ? "0, for no rank knows what the others send"
                   : c.collective == Collective::allgatherv ? "the mean of the ranks' bytes"
                   : has_one_rule(c.collective)             ? "the bytes of an element times the ranks"
                                                            : "the bytes of the call";
  why.because.push_back(fmt::format("{}, and of its message sizes the largest not above {} ({}) is {}: {} says {}",
                                    of_ranks, bytes_looked_up_by_rules(c), by, line.from_bytes, where,
                                    line.setting.algorithm == 0
                                        ? std::string("0, which leaves the call to the fixed rules")
                                        : fmt::format("algorithm {}, fan-out {}, segment {}", line.setting.algorithm,
                                                      line.setting.fanout, line.setting.segment)));
  if (line.setting.algorithm == 0) return;
  why.component = "coll/tuned";
  why.rule = where;
}

bool is_one_in_place(const Case& c, Explanation* why) {
  const bool is_one = c.in_place && (c.collective == Collective::alltoall || c.collective == Collective::alltoallv);
  if (is_one && why) why->because.emplace_back("in place all its algorithms are one and the same, whatever rules say");
  return is_one;
}

std::optional<Choice> open_mpi_choice_by(const OpenMpiRules& rules, const Case& c, const Library& library,
                                         Explanation* why) {
  if (is_one_in_place(c, why)) return std::nullopt;
  const OpenMpiLine line = rules.look_up(c, why);
  if (line.setting.algorithm == 0) return std::nullopt;
  std::optional<Choice> choice = open_mpi_choice(c.collective, line.setting, library);
  if (!choice)  // *_intra_do_this of coll_tuned_*_decision.c (4.1.6, 5.0.10): MPI_ERR_ARG
    throw InputError(fmt::format(
        "{}:{}: expected an algorithm of {} that {} {} has, not {}, by which a call of {} on {} ranks ends with an "
        "error",
        rules.origin(), line.number, name_of(c.collective), library.product, library.version, line.setting.algorithm,
        bytes_text(total_bytes(c)), c.ranks));
  if (why) why->told = true;
  return choice;
}

TunedPick open_mpi_picks_by(const OpenMpiRules& rules, const Library& library) {
  return [&](const Case& c, Explanation* why) {
    const std::optional<Choice> said = open_mpi_choice_by(rules, c, library, why);
    return said ? *said : picks_by_rules(find_baseline(library.name))(c, why);
  };
}

}  // namespace tutti
