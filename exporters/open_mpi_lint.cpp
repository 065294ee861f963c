#include "exporters/open_mpi_lint.hpp"

#include <fmt/core.h>

#include <iterator>

#include "exporters/lint_rules.hpp"

namespace tutti {
namespace {

class ClassicLint {
 public:
  ClassicLint(const Library& library, Doubts& findings)
      : library_(library), product_(library.product + " " + library.version), findings_(findings) {}

  std::vector<ListedRule> rules(const OpenMpiRules& file) {
    for (const auto& [collective, communicators] : file.communicators()) {
      if (communicators.empty()) continue;
      check_first(collective, communicators);
      for (auto it = communicators.begin(); it != communicators.end(); ++it) {
        ++scope_;
        const auto next = std::next(it);
        add(collective, it->first, next == communicators.end() ? std::nullopt : std::optional(next->first - 1),
            it->second.lines);
      }
    }
    return std::move(rules_);
  }

 private:
  void check_first(Collective collective, const OpenMpiCommunicators& communicators) {
    const auto& [ranks, first] = *communicators.begin();
    constexpr std::int64_t kAtLeastTwo = 2;  // a call of one rank is nothing to do
    bool says = false;
    for (const OpenMpiLine& line : first.lines) says = says || line.setting.algorithm != 0;
    if (ranks > kAtLeastTwo && says)
      findings_.push_back({first.number, "gap",
                           fmt::format("the smallest communicator of {} has {} ranks", name_of(collective), ranks),
                           "Open MPI gives smaller ones the same rules, as if they had as many ranks",
                           "put a communicator size 0 with one line 0 0 0 0 before it"});
  }

  void add(Collective collective, std::int64_t ranks, const std::optional<std::int64_t>& last,
           const std::vector<OpenMpiLine>& lines) {
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0 && has_one_rule(collective)) {
        tell_one_size(collective, lines[i]);
        continue;
      }
      ListedRule rule;
      rule.collective = collective;
      rule.ranks = {static_cast<int>(std::min(ranks, kMost)), static_cast<int>(std::min(last.value_or(kMost), kMost))};
      // Of means, as they are: rules of one collective are compared with each other alone.
      rule.bytes.first = lines[i].from_bytes;
      if (i + 1 < lines.size() && !has_one_rule(collective)) rule.bytes.last = lines[i + 1].from_bytes - 1;
      rule.line = lines[i].number, rule.statement = ++statement_, rule.scope = scope_;
      rule.choice = choice(collective, lines[i]);
      rules_.push_back(std::move(rule));
    }
  }

  void tell_one_size(Collective collective, const OpenMpiLine& line) {
    if (collective == Collective::barrier)
      findings_.push_back({line.number, "dead", fmt::format("barriers from {} bytes on", line.from_bytes),
                           "a barrier is looked up by 0 bytes", "keep the line for 0 bytes alone"});
    else if (collective == Collective::alltoallv)
      findings_.push_back({line.number, "dead", fmt::format("alltoallv from {} bytes on", line.from_bytes),
                           "an alltoallv is looked up by 0 bytes, for no rank knows what the others send",
                           "keep the line for 0 bytes alone"});
    else
      findings_.push_back({line.number, "unit",
                           fmt::format("{} from {} bytes on", name_of(collective), line.from_bytes),
                           "Open MPI looks it up by the bytes of one element times the ranks, whatever the count",
                           "keep the line for 0 bytes alone"});
  }

  std::optional<Choice> choice(Collective collective, const OpenMpiLine& line) {
    const OpenMpiSetting& setting = line.setting;
    if (setting.algorithm == 0) return std::nullopt;
    std::optional<Choice> choice = open_mpi_choice(collective, setting, library_);
    if (!choice) {
      tell_unknown(collective, line);
      return std::nullopt;
    }
    const bool has_fanout = value_of(*choice, ParameterRole::fanout),
               has_segment = value_of(*choice, ParameterRole::segment);
    if ((setting.fanout != 0 && !has_fanout) || (setting.segment != 0 && !has_segment))
      findings_.push_back(
          {line.number, "parameter",
           fmt::format("{} {} of {} {}", setting.fanout != 0 && !has_fanout ? "the fan-out" : "the segment",
                       setting.fanout != 0 && !has_fanout ? setting.fanout : setting.segment, name_of(collective),
                       choice->algorithm->name()),
           "this algorithm has none: it changes nothing", "put 0 there", true});
    if (has_fanout && setting.fanout > kOpenMpiMostChains)
      findings_.push_back(
          {line.number, "parameter",
           fmt::format("the fan-out {} of {} {}", setting.fanout, name_of(collective), choice->algorithm->name()),
           fmt::format("Open MPI makes {} chains of more", kOpenMpiMostChains),
           fmt::format("name at most {}", kOpenMpiMostChains)});
    constexpr std::int64_t kShortest = 64;
    if (has_segment && setting.segment > 0 && setting.segment < kShortest)
      findings_.push_back({line.number, "unit", fmt::format("segments of {} bytes", setting.segment),
                           "each of them is a message of its own", "segments are in bytes: 8192, not 8, is 8K"});
    return choice;
  }

  void tell_unknown(Collective collective, const OpenMpiLine& line) {
    const std::string number = std::to_string(line.setting.algorithm);
    std::string where, known;
    for (const Library& other : libraries())
      if (other.product == library_.product && other.version != library_.version &&
          find_name(other, collective, number))
        where = fmt::format("; Open MPI {} has it", other.version);
    int largest = 0;
    if (const auto names = library_.algorithms.find(collective); names != library_.algorithms.end())
      for (const Library::Name& name : names->second) largest = std::max(largest, std::stoi(name.theirs));
    findings_.push_back({line.number, "unknown",
                         fmt::format("{} has no algorithm {} of {}{}", product_, number, name_of(collective), where),
                         // *_intra_do_this of coll_tuned_*_decision.c (4.1.6, 5.0.10): MPI_ERR_ARG
                         "calls that follow this line end with an error",
                         fmt::format("name one from 1 to {}, or 0 for the library's own choice", largest)});
  }

  const Library& library_;
  const std::string product_;
  Doubts& findings_;
  std::vector<ListedRule> rules_;
  int scope_ = 0, statement_ = 0;
};

}  // namespace

void lint_open_mpi(const OpenMpiRules& rules, const std::string& text, const Library& library, Doubts& findings) {
  lint_rules(ClassicLint(library, findings).rules(rules), {library.product, true, is_written_by_tutti(text), false},
             findings);
}

}  // namespace tutti
