#include <fmt/core.h>

#include <array>
#include <iterator>

#include "exporters/job_shell.hpp"
#include "exporters/lint_rules.hpp"
#include "exporters/rule_list.hpp"

// Profiles of PGMPITuneLib, which stands between a program and its MPI library (src/tuning/pgmpi_profile_reader.c and
// pgmpi_function_replacer.c of 0.2): a file for one collective and one number of ranks, with the names of mock-ups by a
// number and ranges of sizes, inclusive, of the vector or of one rank's block. Of a folder's profiles for one
// collective the last that is read stays, whatever its ranks, so that each number of ranks needs a folder of its own:
// what is written here is a shell's lines that make it where a job starts. Calls of 0 bytes are never replaced.

namespace tutti {
namespace {

const Library& pgmpitune_names() { return find_library("pgmpitune"); }

constexpr std::int64_t kMostProfileBytes = std::numeric_limits<int>::max();
constexpr int kMostRanksOfARange = 1024;  // a profile for each

constexpr std::pair<Collective, std::string_view> kProfileCollectives[] = {
    {Collective::allgather, "MPI_Allgather"},
    {Collective::allreduce, "MPI_Allreduce"},
    {Collective::alltoall, "MPI_Alltoall"},
    {Collective::bcast, "MPI_Bcast"},
    {Collective::gather, "MPI_Gather"},
    {Collective::reduce, "MPI_Reduce"},
    {Collective::reduce_scatter_block, "MPI_Reduce_scatter_block"},
    {Collective::scan, "MPI_Scan"},
    {Collective::scatter, "MPI_Scatter"}};

std::string_view their_name(Collective collective) {
  for (const auto& [known, name] : kProfileCollectives)
    if (known == collective) return name;
  return "";
}

/// Sizes are those of one rank's block.
bool is_by_block_in_profiles(Collective c) {
  return c == Collective::allgather || c == Collective::alltoall || c == Collective::gather ||
         c == Collective::scatter || c == Collective::reduce_scatter_block;
}

constexpr std::array<std::string_view, 5> kHead = {
    "tutti_ranks=${TUTTI_RANKS:-${SLURM_NTASKS:-0}}",
    "if [ \"$tutti_ranks\" -eq 0 ]; then echo \"Tutti: neither Slurm's number of ranks nor TUTTI_RANKS is set: the "
    "library picks by itself\" >&2; fi",
    "tutti_profiles=${TUTTI_PROFILES:-$PWD/tutti-profiles-$tutti_ranks}",
    R"(mkdir -p "$tutti_profiles" && rm -f "$tutti_profiles"/tutti-*.prf)",
    R"(export PGMPI_PARAMS="--ppath=$tutti_profiles")"};
constexpr std::string_view kTail = "unset tutti_ranks tutti_profiles";
constexpr std::string_view kEnd = "end";

std::string test_line(std::int64_t ranks) { return fmt::format("if [ \"$tutti_ranks\" -eq {} ]; then", ranks); }
std::string file_line(std::string_view name) {
  return fmt::format("cat > \"$tutti_profiles/tutti-{}.prf\" <<'{}'", name, kEnd);
}

/// The profile; empty where nothing is said.
std::string profile(const FileRules& rules, int ranks) {
  const std::int64_t unit = is_by_block_in_profiles(rules.collective) ? ranks : 1;
  std::vector<std::string> said;
  std::string ranges;
  int count = 0;
  for (const Rule& rule : rules.rules) {
    const std::int64_t from = (std::max<std::int64_t>(rule.from_bytes, 1) + unit - 1) / unit;
    const std::int64_t to = std::min(rule.to_bytes / unit, kMostProfileBytes);
    if (rule.algorithm == kOwnChoice || to < from) continue;
    const std::string& name = name_of(pgmpitune_names(), parse_choice(rules.collective, rule.algorithm))->theirs;
    auto at = std::find(said.begin(), said.end(), name);
    if (at == said.end()) at = said.insert(said.end(), name);
    ranges += fmt::format("{} {} {}\n", from, to, at - said.begin() + 1);
    ++count;
  }
  if (count == 0) return "";
  std::string text = fmt::format("{}\n{}\n{}\n", their_name(rules.collective), ranks, said.size());
  for (std::size_t i = 0; i < said.size(); ++i) text += fmt::format("{} {}\n", i + 1, said[i]);
  return text + fmt::format("{}\n", count) + ranges;
}

/// Reads profiles one after the other, each by itself or in the shell's lines.
class ProfileReader {
 public:
  ProfileReader(const std::string& text, const std::string& origin, Doubts* doubts)
      : text_(text), lines_(lines_of(text, origin)), origin_(origin), doubts_(doubts) {
    for (TextLine& line : lines_) {  // PGMPITuneLib takes the first words of a line and leaves the rest
      line.text = line.text.substr(0, line.text.find(" #"));
      line.text = line.text.substr(0, line.text.find_last_not_of(" \t") + 1);
    }
  }

  std::vector<ListedRule> rules() {
    while (at_ < lines_.size()) {
      if (lines_[at_].text == kTail || std::find(kHead.begin(), kHead.end(), lines_[at_].text) != kHead.end()) {
        expect_lines_of_a_shell(text_, origin_);
        ++at_;
        continue;
      }
      const bool is_in_shell = lines_[at_].text.starts_with("if ");
      if (!is_in_shell) {
        read_profile();
        continue;
      }
      expect_lines_of_a_shell(text_, origin_);
      const TextLine& test = next("a test of ranks");
      while (at_ < lines_.size() && lines_[at_].text.starts_with("cat ")) {
        const TextLine& begin = next("cat");
        const auto [name, ranks] = read_profile();
        if (begin.text != file_line(name)) refuse_line(origin_, begin, file_line(name));
        if (test.text != test_line(ranks)) refuse_line(origin_, test, test_line(ranks));
        if (const TextLine& end = next("end"); end.text != kEnd || !fills_its_line(end))
          refuse_line(origin_, end, "end after the profile, with nothing else on its line, not even a space");
      }
      if (const TextLine& end = next("fi"); end.text != "fi") refuse_line(origin_, end, "cat or fi");
    }
    return std::move(rules_);
  }

 private:
  /// For a shell, " end" does not end what began with <<'end'. Not of the first line.
  static bool fills_its_line(const TextLine& line) {
    return line.text.data()[-1] == '\n' && line.text.data()[line.text.size()] == '\n';
  }

  const TextLine& next(const std::string& expected) {
    if (at_ == lines_.size()) refuse_line(origin_, lines_.empty() ? TextLine() : lines_.back(), expected + " after it");
    return lines_[at_++];
  }

  std::int64_t number(const TextLine& line, std::string_view word, std::int64_t least, const std::string& what) {
    const std::optional<std::int64_t> value = whole_number(word);
    if (!value || *value < least || *value > kMostProfileBytes) refuse_line(origin_, line, what);
    return *value;
  }

  std::int64_t alone(std::int64_t least, const std::string& what) {
    const TextLine& line = next(what);
    return number(line, line.text, least, what);
  }

  /// The collective's name and the ranks.
  std::pair<std::string_view, std::int64_t> read_profile() {
    const TextLine& head = next("a profile");
    const auto* known = std::find_if(std::begin(kProfileCollectives), std::end(kProfileCollectives),
                                     [&](const auto& each) { return each.second == head.text; });
    if (known == std::end(kProfileCollectives))
      refuse_line(origin_, head, "the name of a collective that PGMPITuneLib replaces, such as MPI_Allgather");
    const std::int64_t ranks = alone(1, "a number of ranks");
    std::map<std::int64_t, std::string_view> mock_ups;
    for (std::int64_t left = alone(0, "how many mock-ups there are"); left > 0; --left) {
      const TextLine& line = next("a mock-up");
      const std::size_t space = std::min(line.text.find(' '), line.text.size());
      const std::int64_t id = number(line, line.text.substr(0, space), 0, "NUMBER MOCK-UP");
      if (space + 1 >= line.text.size() || !mock_ups.emplace(id, line.text.substr(space + 1)).second)
        refuse_line(origin_, line, "a number that no other mock-up has, and a name");
    }
    ++scope_;
    for (std::int64_t left = alone(1, "how many ranges there are, at least one"); left > 0; --left)
      read_range(known->first, ranks, mock_ups);
    return {head.text, ranks};
  }

  void read_range(Collective collective, std::int64_t ranks, const std::map<std::int64_t, std::string_view>& mock_ups) {
    const TextLine& line = next("a range");
    const std::vector<std::string_view> words = split_at(line.text, ' ');
    if (words.size() != 3) refuse_line(origin_, line, "FROM TO NUMBER");
    const std::int64_t from = number(line, words[0], 0, "a size in bytes"),
                       to = number(line, words[1], from, "a size in bytes, not below the first");
    const auto mock_up = mock_ups.find(number(line, words[2], 0, "the number of a mock-up"));
    if (mock_up == mock_ups.end()) refuse_line(origin_, line, "the number of one of the mock-ups");
    ListedRule rule;
    const std::int64_t unit = is_by_block_in_profiles(collective) ? ranks : 1;
    rule.collective = collective, rule.line = line.number, rule.scope = scope_, rule.statement = ++statement_;
    rule.ranks = {static_cast<int>(ranks), static_cast<int>(ranks)};
    rule.bytes = {std::max<std::int64_t>(from, 1) * unit, to * unit + unit - 1};
    rule.choice = choice_named(pgmpitune_names(), collective, mock_up->second);
    if (!rule.choice && mock_up->second != "default") tell_unknown(line, mock_up->second);
    rules_.push_back(std::move(rule));
  }

  void tell_unknown(const TextLine& line, std::string_view name) {
    if (!doubts_) refuse_line(origin_, line, "the number of a mock-up that Tutti has an algorithm for");
    doubts_->push_back({line.number, "unknown", fmt::format("{} is not one of Tutti's algorithms", name),
                        "PGMPITuneLib ends a program whose profile names a mock-up that it was not built with",
                        "see that pgmpi_info lists it", true});
  }

  const std::string& text_;
  std::vector<TextLine> lines_;
  const std::string& origin_;
  Doubts* const doubts_;
  std::vector<ListedRule> rules_;
  std::size_t at_ = 0;
  int scope_ = 0, statement_ = 0;
};

class Pgmpitune final : public Exporter {
 public:
  Pgmpitune(std::string name, std::string library) : name_(std::move(name)), library_(std::move(library)) {}

  std::string name() const override { return name_; }
  std::string description() const override {
    return "shell lines that write profiles of PGMPITuneLib over " + library_ + " for the ranks of a job";
  }
  std::string library() const override { return library_; }
  Sight sight() const override { return Sight::ranks; }
  std::string also_serves() const override {
    return "rules for a job of N ranks serve its communicators of N ranks alone; smaller ones are left to the library";
  }
  bool serves_beyond() const override { return false; }  // single numbers of ranks alone
  bool can_say(const Choice& choice) const override { return name_of(pgmpitune_names(), choice); }
  std::string cannot_tell(Collective collective) const override {
    if (!pgmpitune_names().algorithms.contains(collective))
      return "PGMPITuneLib has no mock-up that is an algorithm of Tutti's";
    return "on lanes and nodes runs what the library below picks there, for which the parts of Tutti's algorithm stand";
  }
  SwitchOn switch_on(const std::string&) const override { return {{}, true}; }

  /// Calls of 0 bytes are the library's own.
  std::vector<FileRules> settled(std::vector<FileRules> rules,
                                 const std::vector<FileRules>& /*certain*/) const override {
    for (FileRules& each : rules) {
      Rule& first = each.rules.front();
      if (first.algorithm == kOwnChoice || first.from_bytes > 0) continue;
      Rule nothing = first;
      nothing.to_bytes = 0, nothing.algorithm = kOwnChoice;
      if (first.to_bytes == 0) {
        first = nothing;
        continue;
      }
      first.from_bytes = 1;
      each.rules.insert(each.rules.begin(), nothing);
    }
    return rules;
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text =
        "# Tutti: profiles of PGMPITuneLib,\n"
        "# to be sourced where a job starts; without Slurm set TUTTI_RANKS before. They are written into\n"
        "# TUTTI_PROFILES, a folder that all hosts see, and hold for communicators of all ranks of the job.\n"
        "# PGMPITuneLib ends the program where it was built without the lanes or circulants that are named.\n";
    for (const std::string& line : about) text += "# " + line + "\n";
    for (const std::string_view line : kHead) text += std::string(line) + "\n";
    std::map<int, std::string> by_ranks;
    for (const FileRules& each : rules) {
      const int last = each.last_size == FileRules::kNoEnd ? each.layout.size : each.last_size;
      const int served = std::min(last, each.layout.size + kMostRanksOfARange - 1);
      if (served < last)
        text += fmt::format("# {} on {} to {} ranks: no profiles from {} ranks on, which are left to the library\n",
                            their_name(each.collective), each.layout.size, last, served + 1);
      for (int ranks = each.layout.size; ranks <= served; ++ranks)
        if (const std::string said = profile(each, ranks); !said.empty())
          by_ranks[ranks] += file_line(their_name(each.collective)) + "\n" + said + std::string(kEnd) + "\n";
    }
    for (const auto& [ranks, profiles] : by_ranks) text += test_line(ranks) + "\n" + profiles + "fi\n";
    return text.append(kTail) + "\n";
  }

  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<RuleList>(ProfileReader(text, origin, nullptr).rules(), origin);
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    lint_rules(ProfileReader(text, origin, &findings).rules(), {"PGMPITuneLib", true, is_written_by_tutti(text)},
               findings);
  }

 private:
  const std::string name_, library_;
};

const Pgmpitune over_open_mpi("pgmpitune", "open-mpi-5.0"), over_mpich("pgmpitune-mpich", "mpich-5.0");
const ExporterRegistration registered_over_open_mpi(&over_open_mpi), registered_over_mpich(&over_mpich);

}  // namespace
}  // namespace tutti
