#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "exporters/lint_rules.hpp"
#include "exporters/mpich_compositions.hpp"
#include "exporters/mpich_lint.hpp"
#include "exporters/mpich_tree.hpp"
#include "json/document.hpp"
#include "selection/export.hpp"
#include "selection/library.hpp"

// MPICH's selection among its device-independent algorithms: the whole default with what the table says put before it
// (src/mpi/coll/src/csel.c and csel_container.c of 5.0). Sizes: of bcast and reductions the vector, of allgather,
// alltoall and reduce_scatter all blocks; gathers and scatters count elements there, and scans are not told by size.

namespace tutti {
namespace {

const Library& names() { return find_library("mpich"); }

constexpr const char* kTrees[] = {"kary", "knomial_1", "knomial_2"};

std::string said(const std::string& name, std::int64_t value) {
  if (name == "tree_type") return std::string("tree_type=") + kTrees[value];
  return (name == "radix" ? "k=" : "chunk_size=") + std::to_string(value);
}

std::string collective_key(Collective collective) { return "collective=" + std::string(name_of(collective)); }

/// The size that the library compares.
const char* size_key(Collective c) {
  return c == Collective::bcast || c == Collective::allreduce || c == Collective::reduce ? "avg_msg_size"
                                                                                         : "total_msg_size";
}

/// Writes one collective.
class Branch {
 public:
  explicit Branch(Collective collective) : collective_(collective) {
    const MpichTree& all = mpich_default().at(collective_key(collective));
    intra_ = mpich_own(collective);
    inter_ = all.contains("comm_type=inter") ? all.at("comm_type=inter") : all;
  }

  MpichTree tree(std::span<const FileRules> rules) const {
    MpichTree said = by_ppn(rules);
    // Ours are chosen for operators that commute and calls with buffers of their own.
    // The library stops where a scan is asked about its operator.
    const bool is_scan = collective_ == Collective::scan || collective_ == Collective::exscan;
    if (is_reduction(collective_) && !is_scan) said = {{"is_commutative=yes", said}, {"is_commutative=no", intra_}};
    if (collective_ == Collective::alltoall)
      said = {{"is_sendbuf_inplace=yes", intra_}, {"is_sendbuf_inplace=no", said}};
    return {{"comm_type=intra", said}, {"comm_type=inter", inter_}};
  }

 private:
  MpichTree by_ppn(std::span<const FileRules> rules) const {
    MpichTree tree;
    int expected = 1;
    for (std::size_t begin = 0; begin < rules.size();) {
      const int ppn = rules[begin].layout.kind;
      std::size_t end = begin;
      while (end < rules.size() && rules[end].layout.kind == ppn) ++end;
      if (ppn > expected) tree["comm_avg_ppn<=" + std::to_string(ppn - 1)] = intra_;
      tree["comm_avg_ppn<=" + std::to_string(ppn)] = by_ranks(rules.subspan(begin, end - begin), ppn);
      expected = ppn + 1;
      begin = end;
    }
    tree["comm_avg_ppn=any"] = intra_;
    return tree;
  }

  MpichTree by_ranks(std::span<const FileRules> rules, int ppn) const {
    MpichTree tree;
    int expected = 0;
    for (const FileRules& each : rules) {
      const int first = each.layout.size * ppn;
      if (first > expected) tree["comm_size<=" + std::to_string(first - 1)] = intra_;
      const MpichTree sizes = by_power(each, ppn);
      if (each.last_size == FileRules::kNoEnd) {
        tree["comm_size=any"] = sizes;
        return tree;
      }
      tree["comm_size<=" + std::to_string(each.last_size * ppn)] = sizes;
      expected = each.last_size * ppn + 1;
    }
    tree["comm_size=any"] = intra_;
    return tree;
  }

  /// Some choices are another algorithm where the ranks are no power of two; MPICH stops where it is told the first.
  MpichTree by_power(const FileRules& each, int ppn) const {
    const auto is_power = [&](int size) { return std::has_single_bit(static_cast<unsigned>(size * ppn)); };
    const int first = each.layout.size;
    const MpichTree here = by_size(each, first * ppn);
    for (const int size : {first + 1, first + 2, static_cast<int>(std::bit_ceil(static_cast<unsigned>(first)))}) {
      if (size > each.last_size || is_power(size) == is_power(first)) continue;
      const MpichTree there = by_size(each, size * ppn);
      if (there == here) break;
      return {{"comm_size=pow2", is_power(first) ? here : there}, {"comm_size=any", is_power(first) ? there : here}};
    }
    return here;
  }

  MpichTree by_size(const FileRules& each, int ranks) const {
    const std::string key = size_key(collective_);
    MpichTree tree;
    for (const Rule& rule : each.rules) {
      const MpichTree leaf = rule.algorithm == kOwnChoice ? intra_ : leaf_for(rule, ranks);
      if (rule.to_bytes == Rule::kUnlimited) {
        if (tree.empty()) return leaf;
        tree[key + "=any"] = leaf;
        return tree;
      }
      const bool is_too_large = rule.to_bytes > std::numeric_limits<int>::max();
      tree[key + "<=" + std::to_string(is_too_large ? std::numeric_limits<int>::max() : rule.to_bytes)] = leaf;
      if (is_too_large) break;
    }
    tree[key + "=any"] = intra_;  // from where on the library cannot compare
    return tree;
  }

  MpichTree leaf_for(const Rule& rule, int ranks) const {
    Case c{collective_, ranks, 0, default_element_bytes(collective_)};
    c.count = ranks;  // enough for those that fall back where there are few elements, which are guarded below
    const Choice choice = resolve(parse_choice(collective_, rule.algorithm), c);
    const Algorithm& algorithm = *choice.algorithm;
    const Library::Name* known = name_of(names(), choice);
    if (!known) throw std::logic_error("MPICH has no name for " + choice.text());
    MpichTree parameters = MpichTree::object();
    for (const auto& [name, value] : choice.parameters)
      if (known->is_told(name)) parameters[said(name, value)] = MpichTree::object();
    for (const std::string& each : known->with) parameters[each] = MpichTree::object();
    const MpichTree leaf{{"algorithm=" + known->theirs, parameters}};
    if (known->theirs == "MPIR_Scan_intra_smp")
      return {{"is_node_consecutive=yes", leaf}, {"is_node_consecutive=no", intra_}};
    if (known->theirs == "MPIR_Reduce_scatter_intra_noncommutative")
      return {{"is_block_regular=yes", leaf}, {"is_block_regular=no", intra_}};
    if (algorithm.is_by_node())
      return {{"comm_hierarchy=parent", where_inside_is_ours(leaf, rule)}, {"comm_hierarchy=any", intra_}};
    if (algorithm.name() == "rabenseifner")
      return {{"is_op_built_in=yes", {{"count<pow2", intra_}, {"count=any", leaf}}}, {"is_op_built_in=no", intra_}};
    return leaf;
  }

  /// What MPICH's algorithms by node run on nodes and between them, it selects; up to these sizes that is what ours do.
  MpichTree where_inside_is_ours(const MpichTree& leaf, const Rule& rule) const {
    const auto up_to = [&](std::int64_t bytes) -> MpichTree {
      if (rule.to_bytes <= bytes) return leaf;
      if (rule.from_bytes > bytes) return intra_;
      return {{"avg_msg_size<=" + std::to_string(bytes), leaf}, {"avg_msg_size=any", intra_}};
    };
    switch (collective_) {
      case Collective::bcast:
        return up_to(12288);
      case Collective::reduce:
        return up_to(2048);
      case Collective::allreduce:
        return {{"is_op_built_in=no", leaf}, {"is_op_built_in=yes", up_to(8)}};
      default:
        return leaf;
    }
  }

  const Collective collective_;
  MpichTree intra_, inter_;
};

class MpichFile final : public TuningFile {
 public:
  /// `with_device`: where it has the default, the device's compositions come first. With `doubts` algorithms that are
  /// none of ours are told there.
  MpichFile(const std::string& text, const std::string& origin, bool with_device, Doubts* doubts = nullptr)
      : tree_(parse_mpich_tree(text, origin)), document_(text, origin), with_device_(with_device) {
    for (int i = 0; i < kCollectives; ++i) {
      const auto collective = static_cast<Collective>(i);
      check_names(collective, tree_.at(collective_key(collective)), "/" + collective_key(collective), doubts);
    }
  }

  void lint(Doubts& findings) const { lint_mpich_tree(tree_, document_, findings); }

  std::optional<Choice> decide(const Case& c, int nodes, Explanation* why) const override {
    const std::string key = collective_key(c.collective);
    std::vector<std::string> path{key};
    const MpichTree& leaf = leaf_of(tree_.at(key), c, nodes, &path);
    const bool is_default = leaf == leaf_of(mpich_default().at(key), c, nodes);
    const bool is_own = with_device_
                            ? keeps_composition(tree_, c.collective, path) || (is_default && !is_composed(c.collective))
                            : is_default;
    if (why) explain(path, leaf, is_own, *why);
    return is_own ? std::nullopt : choice_of(c.collective, leaf);
  }

 private:
  static std::optional<Choice> choice_of(Collective collective, const MpichTree& leaf) {
    const Library::Name* name =
        find_name(names(), collective, leaf.begin().key().substr(std::string_view("algorithm=").size()));
    if (!name) return std::nullopt;
    Choice choice = name->ours;
    for (auto& [parameter, value] : choice.parameters)
      for (const auto& [given, ignored] : leaf.begin()->items())
        if (name->is_told(parameter) && !set(parameter, value, given)) return std::nullopt;
    return choice;
  }

  /// False where `given` is about the parameter and no value of it.
  static bool set(const std::string& parameter, std::int64_t& value, const std::string& given) {
    const std::string begin = parameter == "tree_type" ? "tree_type=" : parameter == "radix" ? "k=" : "chunk_size=";
    if (!given.starts_with(begin)) return true;
    const std::string text = given.substr(begin.size());
    if (parameter == "tree_type") {
      const auto tree = std::find(std::begin(kTrees), std::end(kTrees), text);
      value = tree - std::begin(kTrees);
      return tree != std::end(kTrees);
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && error == std::errc{} && end == text.data() + text.size() && value >= 0;
  }

  static bool is_valid(const std::optional<Choice>& choice) try {
    return choice && parse_choice(choice->algorithm->collective(), choice->text()) == *choice;
  } catch (const InputError&) {  // a parameter out of its range
    return false;
  }

  /// Between ranks of one communicator, every algorithm is one of ours.
  void check_names(Collective collective, const MpichTree& tree, const std::string& pointer, Doubts* doubts) {
    for (const auto& [key, below] : tree.items()) {
      if (key == "comm_type=inter") continue;
      if (!key.starts_with("algorithm=")) {
        check_names(collective, below, pointer + "/" + key, doubts);
        continue;
      }
      const std::optional<Choice> choice = choice_of(collective, tree);
      if (is_valid(choice)) continue;
      if (!doubts)
        document_.fail(pointer, "expected an algorithm of " + std::string(name_of(collective)) + " and its parameters");
      const int line = document_.line_of(pointer + "/" + key);
      if (choice)
        check_parameters(*choice, line, *doubts);
      else
        doubts->push_back({line, "unknown",
                           fmt::format("{} with {} is not one of Tutti's algorithms for {}",
                                       key.substr(key.find('=') + 1), below.dump(), name_of(collective)),
                           "MPICH stops at names that it does not know", "name one that tutti list --json shows"});
    }
  }

  void explain(const std::vector<std::string>& path, const MpichTree& leaf, bool is_own, Explanation& why) const {
    const std::string pointer = fmt::format("/{}/{}", fmt::join(path, "/"), leaf.begin().key());
    const std::string where = fmt::format("{}:{}", document_.origin(), document_.line_of(pointer));
    why.because.push_back(fmt::format("of the conditions in {} the first that hold are, in turn, {}: {} names {}",
                                      document_.origin(), fmt::join(path, ", "), where,
                                      leaf.begin().key().substr(std::string_view("algorithm=").size())));
    if (is_own) {
      why.because.emplace_back(with_device_ ? "that is MPICH's default, before which its device's compositions come"
                                            : "that is what MPICH runs here without a file, too");
      return;
    }
    why.component = "MPIR", why.rule = where, why.told = true;
  }

  MpichTree tree_;
  Document document_;
  const bool with_device_;
};

class MpichJson final : public Exporter {
 public:
  MpichJson(const char* name, const char* description, bool with_device)
      : name_(name), description_(description), with_device_(with_device) {}
  std::string name() const override { return name_; }
  std::string description() const override { return description_; }
  std::string library() const override { return with_device_ ? "mpich-5.0" : "mpich"; }
  Sight sight() const override { return Sight::layouts; }
  bool has_comments() const override { return false; }
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
    const Library::Name* name = name_of(names(), choice);
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
      root[collective_key(collective)] = Branch(collective).tree(rules.subspan(begin, end - begin));
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
const ExporterRegistration registered(&mpich), registered_with_device(&with_device), registered_plus(&plus);

}  // namespace
}  // namespace tutti
