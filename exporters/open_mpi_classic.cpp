#include <fmt/core.h>

#include "exporters/open_mpi_collectives.hpp"
#include "exporters/open_mpi_lint.hpp"
#include "exporters/open_mpi_rules.hpp"
#include "selection/export.hpp"
#include "selection/own_parts.hpp"

// Open MPI's classic rules file, read by coll/tuned of 4.1 and 5.0 (coll_tuned_dynamic_file.c):
//   number of collectives { id, number of communicator sizes { size, number of message sizes { bytes, algorithm,
//   fan-out, segment }}}
// The largest communicator size and message size not above the call's apply; a call below the first communicator size
// gets the first one's rules all the same. Algorithm 0 leaves the choice to the library. Sizes are those of our `total`
// convention, but: scan and exscan are looked up by (size of the element x ranks), barriers and alltoallv by 0, and
// allgatherv by the mean of the ranks' blocks.

namespace tutti {
namespace {

class ClassicFile final : public TuningFile {
 public:
  ClassicFile(const std::string& text, const std::string& origin, const Library& library)
      : rules_(text, origin, library), library_(library) {}
  std::optional<Choice> decide(const Case& c, const RanksOnNodes& on, Explanation* why) const override {
    std::optional<Choice> said = open_mpi_choice_by(rules_, c, library_, why);
    return said ? std::optional(under_file(*std::move(said), c, on, why)) : std::nullopt;
  }
  Choice under_file(Choice choice, const Case& c, const RanksOnNodes&, Explanation* why) const override {
    return with_parts(std::move(choice), c, open_mpi_picks_by(rules_, library_), why);
  }

 private:
  OpenMpiRules rules_;
  const Library& library_;
};

class OpenMpiClassic final : public Exporter {
 public:
  OpenMpiClassic(const char* name, const char* version) : name_(name), version_(version) {}
  std::string name() const override { return name_; }
  std::string description() const override {
    return fmt::format("rules file of Open MPI {} (coll_tuned_dynamic_rules_filename)",
                       version_ == "4.1" ? "4.1" : version_ + " without coll/han");
  }
  /// With 5.0 it needs coll/han switched off: exporters/open_mpi.cpp leaves that on.
  std::string library() const override { return version_ == "5.0" ? "open-mpi-5.0-without-han" : "open-mpi-4.1"; }
  bool can_say(const Choice& choice) const override {
    return open_mpi_setting(choice, find_library(library())).has_value();
  }
  Sight sight() const override { return Sight::ranks; }
  bool minds_operators(const Choice&) const override { return false; }  // *_intra_dec_dynamic of coll_tuned
  bool serves(Collective collective) const override { return is_served_by_tuned(collective); }
  bool knows_sizes(Collective collective) const override { return !has_one_rule(collective); }
  std::int64_t looked_up_bytes(Collective collective, int ranks, std::int64_t bytes) const override {
    return compared_bytes(collective, ranks, bytes);
  }
  SwitchOn switch_on(const std::string& path) const override {
    SwitchOn on{{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}, {"OMPI_MCA_coll_tuned_dynamic_rules_filename", path}}};
    if (version_ == "5.0") on.variables.emplace_back("OMPI_MCA_coll_han_priority", "0");  // else HAN comes first
    return on;
  }
  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<ClassicFile>(text, origin, find_library(library()));
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    lint_open_mpi(OpenMpiRules(text, origin, find_library(library()), &findings), text, find_library(library()),
                  findings);
  }
  std::string cannot_tell(Collective collective) const override {
    return has_one_rule(collective) && collective != Collective::barrier
               ? "Open MPI cannot choose by size here; one algorithm serves all sizes"
               : "";
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string body;
    int collectives = 0;
    for (std::size_t begin = 0; begin < rules.size(); ++collectives) {
      std::size_t end = begin;
      while (end < rules.size() && rules[end].collective == rules[begin].collective) ++end;
      body += write_collective(rules.subspan(begin, end - begin));
      begin = end;
    }
    std::string text = fmt::format("# Tutti: rules for Open MPI {}\n", version_);
    for (const std::string& line : about) text += "# " + line + "\n";
    return text + fmt::format("{}  # collectives\n", collectives) + body;
  }

 private:
  static constexpr const char* kOwnRows = "1\n0 0 0 0\n";

  std::string write_collective(std::span<const FileRules> rules) const {
    const Collective collective = rules.front().collective;
    std::string body;
    int sizes = 0, expected = 0;
    bool is_own = false;  // what the last size says
    const auto leave_to_library = [&](int ranks) {
      if (is_own) return;
      body += fmt::format("{}  # ranks, from here on the library's own choice\n{}", ranks, kOwnRows);
      ++sizes;
      is_own = true;
    };
    leave_to_library(0);
    for (const FileRules& of_ranks : rules) {
      if (of_ranks.layout.size != expected) leave_to_library(expected);
      const std::string rows = write_rows(of_ranks);
      if (rows == kOwnRows) {
        leave_to_library(of_ranks.layout.size);
      } else {
        body +=
            fmt::format("{}  # ranks{}\n{}", of_ranks.layout.size,
                        of_ranks.between ? fmt::format(" to {}, none of them tuned", of_ranks.last_size) : "", rows);
        ++sizes;
        is_own = false;
      }
      expected = of_ranks.last_size == FileRules::kNoEnd ? FileRules::kNoEnd : of_ranks.last_size + 1;
    }
    if (expected != FileRules::kNoEnd) leave_to_library(expected);
    return fmt::format("{}  # {}\n{}  # communicator sizes\n", open_mpi_id(collective), name_of(collective), sizes) +
           body;
  }

  std::string write_rows(const FileRules& of_ranks) const {
    if (of_ranks.rules.size() == 1 && of_ranks.rules.front().algorithm == kOwnChoice) return kOwnRows;
    std::string rows = fmt::format("{}  # message sizes\n", of_ranks.rules.size());
    for (const Rule& rule : of_ranks.rules) {
      OpenMpiSetting setting;
      if (rule.algorithm != kOwnChoice)
        setting = *open_mpi_setting(parse_choice(of_ranks.collective, rule.algorithm), find_library(library()));
      rows += fmt::format("{} {} {} {}  # {}\n", rule.from_bytes, setting.algorithm, setting.fanout, setting.segment,
                          rule.algorithm == kOwnChoice ? "the library's own choice" : rule.algorithm);
    }
    return rows;
  }

  std::string name_, version_;
};

const OpenMpiClassic classic("open-mpi-classic", "4.1"), classic_5("open-mpi-classic-5.0", "5.0");
const ExporterRegistration classic_registered(&classic), registered_5(&classic_5);

}  // namespace

}  // namespace tutti
