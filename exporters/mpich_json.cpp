#include <algorithm>
#include <limits>

#include "exporters/mpich_branch.hpp"
#include "exporters/mpich_compositions.hpp"
#include "exporters/mpich_file.hpp"
#include "exporters/mpich_names.hpp"

// MPICH's selection among its device-independent algorithms: the whole default with what the table says put before it
// (src/mpi/coll/src/csel.c and csel_container.c of 5.0). Sizes: of bcast and reductions the vector, of allgather,
// alltoall and reduce_scatter all blocks; gathers and scatters count elements there, and scans are not told by size.

namespace tutti {
namespace {

class MpichJson final : public Exporter {
 public:
  MpichJson(const char* name, const char* description, bool with_device)
      : name_(name), description_(description), with_device_(with_device) {}
  std::string name() const override { return name_; }
  std::string description() const override { return description_; }
  std::string library() const override { return with_device_ ? "mpich-5.0" : "mpich"; }
  bool serves(Collective c) const override { return mpich_chooses(c); }
  Sight sight() const override { return Sight::layouts; }
  bool has_comments() const override { return false; }
  std::string also_serves() const override {
    return "rules for a layout also serve every other communicator of as many ranks with as many ranks on a node in "
           "the "
           "mean, rounded up, a part of a larger job, too";
  }
  bool knows_sizes(Collective c) const override {
    return c != Collective::gather && c != Collective::scatter && c != Collective::scan && c != Collective::exscan &&
           c != Collective::barrier;
  }
  std::string cannot_tell(Collective c) const override {
    return knows_sizes(c) || c == Collective::barrier
               ? ""
               : "MPICH compares no number of bytes here; one algorithm serves all sizes";
  }
  bool can_say(const Choice& choice) const override {
    const Library::Name* name = name_of(mpich_names(), choice);
    if (!name || name->theirs == "MPIR_Alltoall_intra_pairwise_sendrecv_replace") return false;  // in place alone
    return std::none_of(choice.parameters.begin(), choice.parameters.end(), [&](const auto& parameter) {
      return name->is_told(parameter.first) && parameter.second > std::numeric_limits<int>::max();
    });
  }
  SwitchOn switch_on(const std::string& path) const override {
    if (with_device_)
      return {{{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", path},
               {"MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE", path + kBeside}}};
    // Compositions of the device would come before these algorithms.
    return {{{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", path}, {"MPIR_CVAR_DEVICE_COLLECTIVES", "none"}}};
  }
  std::vector<std::pair<std::string, std::string>> beside(const std::string& text,
                                                          const std::string& path) const override {
    if (!with_device_) return {};
    const MpichTree file = text.empty() ? mpich_default() : parse_mpich_tree(text, path);  // empty: names are asked for
    return {{kBeside, mpich_compositions(file).dump(1) + "\n"}};
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>&) const override {
    MpichTree root = mpich_default();
    for (std::size_t begin = 0; begin < rules.size();) {
      const Collective collective = rules[begin].collective;
      std::size_t end = begin;
      while (end < rules.size() && rules[end].collective == collective) ++end;
      root[mpich_key(collective)] = mpich_branch(collective, rules.subspan(begin, end - begin));
      begin = end;
    }
    return root.dump(1) + "\n";
  }
  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<MpichFile>(text, origin, with_device_);
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    MpichFile(text, origin, with_device_, &findings).lint(findings);
  }

 private:
  static constexpr const char* kBeside = ".ch4";

  const char *name_, *description_;
  const bool with_device_;
};

const MpichJson mpich(
    "mpich-json",
    "selection file of MPICH 5.0, tried with 5.0.2 (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE), with its "
    "device's compositions off",
    false);
const MpichJson with_device("mpich-ch4-json",
                            "the same and, beside it, MPICH 5.0's file of its device's compositions (FILE.ch4), which "
                            "keeps them where the table keeps the library's own choice",
                            true);
const MpichJson plus("mvapich-plus-json", "selection file of MVAPICH Plus 4, which reads MPICH's", false);
const ExporterRegistration mpich_registered(&mpich), registered_with_device(&with_device), registered_plus(&plus);

}  // namespace
}  // namespace tutti
