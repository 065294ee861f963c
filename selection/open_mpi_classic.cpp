#include <fmt/core.h>

#include "selection/export.hpp"
#include "selection/offers.hpp"
#include "selection/open_mpi_rules.hpp"

// Open MPI's classic rules file, read by coll/tuned of 4.1 and 5.0 (coll_tuned_dynamic_file.c):
//   number of collectives { id, number of communicator sizes { size, number of message sizes { bytes, algorithm,
//   fan-out, segment }}}
// The largest communicator size and message size not above the call's apply; a call below the first communicator size
// gets the first one's rules all the same. Algorithm 0 leaves the choice to the library. Sizes are those of our `total`
// convention, but: scan and exscan are looked up by (size of the element x ranks), and barriers by 0.

namespace tutti {
namespace {

class ClassicFile final : public TuningFile {
 public:
  ClassicFile(const std::string& text, const std::string& origin, std::string version)
      : rules_(text, origin), version_(std::move(version)) {}
  std::optional<Choice> choice(const Case& c, int) const override {
    const OpenMpiSetting setting = rules_.look_up(c);
    return setting.algorithm == 0 ? std::nullopt : open_mpi_choice(c.collective, setting, version_);
  }

 private:
  OpenMpiRules rules_;
  std::string version_;
};

class OpenMpiClassic final : public Exporter {
 public:
  OpenMpiClassic(const char* name, const char* version) : name_(name), version_(version) {}
  std::string name() const override { return name_; }
  std::string description() const override {
    return fmt::format("rules file of Open MPI {} (coll_tuned_dynamic_rules_filename)",
                       version_ == "4.1" ? "4.1 and 5.0" : version_);
  }
  std::string library() const override { return "open-mpi-" + version_; }
  bool can_say(const Choice& choice) const override { return open_mpi_setting(choice, version_).has_value(); }
  bool knows_layouts() const override { return false; }
  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<ClassicFile>(text, origin, version_);
  }
  std::string cannot_tell(Collective collective) const override {
    return has_one_rule(collective) && collective != Collective::barrier
               ? "Open MPI cannot choose by size here; one algorithm serves all sizes"
               : "";
  }

  std::string write(std::span<const Cell> offers, double bound, bool extend,
                    const std::vector<std::string>& about) const override {
    std::string body;
    int collectives = 0;
    for (std::size_t begin = 0; begin < offers.size(); ++collectives) {
      std::size_t end = begin;
      while (end < offers.size() && offers[end].place.collective == offers[begin].place.collective) ++end;
      body += write_collective(offers.subspan(begin, end - begin), bound, extend);
      begin = end;
    }
    std::string text = fmt::format("# Tutti: rules for Open MPI {}\n", version_);
    for (const std::string& line : about) text += "# " + line + "\n";
    return text + fmt::format("{}  # collectives\n", collectives) + body;
  }

 private:
  static constexpr const char* kOwnRows = "1\n0 0 0 0\n";

  std::string write_collective(std::span<const Cell> offers, double bound, bool extend) const {
    const Collective collective = offers.front().place.collective;
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
    for (std::size_t begin = 0; begin < offers.size();) {
      std::size_t end = begin;
      const int ranks = offers[begin].place.nodes;
      while (end < offers.size() && offers[end].place.nodes == ranks) ++end;
      if (!extend && ranks != expected) leave_to_library(expected);
      const std::string rows = write_rows(offers.subspan(begin, end - begin), bound);
      if (rows == kOwnRows) {
        leave_to_library(ranks);
      } else {
        body += fmt::format("{}  # ranks\n{}", ranks, rows);
        ++sizes;
        is_own = false;
      }
      expected = ranks + 1;
      begin = end;
    }
    if (!extend) leave_to_library(expected);
    return fmt::format("{}  # {}\n{}  # communicator sizes\n", open_mpi_id(collective), name_of(collective), sizes) +
           body;
  }

  std::string write_rows(std::span<const Cell> offers, double bound) const {
    const Collective collective = offers.front().place.collective;
    std::vector<Rule> rules;
    if (has_one_rule(collective))
      rules.push_back(best_for_all(offers));
    else
      rules = merge_cells(offers, bound);
    if (rules.size() == 1 && rules.front().algorithm == kOwnChoice) return kOwnRows;
    std::string rows = fmt::format("{}  # message sizes\n", rules.size());
    for (const Rule& rule : rules) {
      OpenMpiSetting setting;
      if (rule.algorithm != kOwnChoice) setting = *open_mpi_setting(parse_choice(collective, rule.algorithm), version_);
      rows += fmt::format("{} {} {} {}  # {}\n", rule.from_bytes, setting.algorithm, setting.fanout, setting.segment,
                          rule.algorithm == kOwnChoice ? "the library's own choice" : rule.algorithm);
    }
    return rows;
  }

  /// Of what is offered at every size, the choice whose worst time relative to the best is least.
  static Rule best_for_all(std::span<const Cell> offers) {
    Cell all = offers.front();
    for (const Cell& offer : offers.subspan(1)) intersect(all.seconds, offer.seconds);
    Rule rule;
    rule.algorithm = best_offer(all)->first;
    return rule;
  }

  std::string name_, version_;
};

const OpenMpiClassic classic("open-mpi-classic", "4.1"), classic_5("open-mpi-classic-5.0", "5.0");
const ExporterRegistration registered(&classic), registered_5(&classic_5);

}  // namespace

}  // namespace tutti
