#include <fmt/core.h>

#include "exporters/lint_rules.hpp"
#include "exporters/rule_list.hpp"

// NCCL's example tuner (plugins/tuner/example/plugin.c), which NCCL_TUNER_PLUGIN loads: lines
//   collective,least bytes,most bytes,algorithm,protocol,channels,nodes,ranks
// of at most 255 characters; bounds are inclusive, -1 stands for anything, the first line that matches applies. Bytes
// are those of the total convention. NCCL's ring broadcast and reduction are pipelines along the ring, whose pieces are
// a protocol's step: 512 KiB in the protocol `simple`.

namespace tutti {
namespace {

const Library& nccl_names() { return find_library("nccl"); }

constexpr std::pair<Collective, std::string_view> kNcclCollectives[] = {
    {Collective::bcast, "broadcast"},
    {Collective::reduce, "reduce"},
    {Collective::allgather, "allgather"},
    {Collective::reduce_scatter_block, "reducescatter"},
    {Collective::allreduce, "allreduce"}};
constexpr std::size_t kLongestLine = 255;
constexpr int kMostNodesOfARange = 1024;  // a line for each

class Nccl final : public Exporter {
 public:
  std::string name() const override { return "nccl"; }
  std::string description() const override { return "lines for the example tuner of NCCL (NCCL_TUNER_CONFIG_FILE)"; }
  std::string library() const override { return "nccl"; }
  Sight sight() const override { return Sight::layouts; }
  bool serves_beyond() const override { return false; }  // no ranges of nodes
  bool can_say(const Choice& choice) const override { return name_of(nccl_names(), choice); }
  std::string cannot_tell(Collective collective) const override {
    for (const auto& [known, name] : kNcclCollectives)
      if (known == collective)
        return collective == Collective::bcast || collective == Collective::reduce
                   ? "a pipeline of pieces of 512 KiB stands for NCCL's ring"
                   : "";
    return "NCCL has no such collective";
  }
  std::string also_serves() const override {
    return "rules for a layout also serve every other communicator of as many ranks on as many nodes, however spread";
  }
  SwitchOn switch_on(const std::string& path) const override {
    return {{{"NCCL_TUNER_PLUGIN", "libnccl-tuner-example.so"}, {"NCCL_TUNER_CONFIG_FILE", path}}};
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text = comment("Tutti: for the example tuner of NCCL");
    for (const std::string& line : about) text += comment(line);
    text += comment(
        "the tuner tells single numbers of nodes and ranks alone, so that no line serves those above the largest");
    for (const FileRules& each : rules) {
      const int last = each.last_size == FileRules::kNoEnd ? each.layout.size : each.last_size;
      const int served = std::min(last, each.layout.size + kMostNodesOfARange - 1);
      if (served < last)
        text += comment(
            fmt::format("{} on {} to {} nodes of {} ranks: no lines from {} nodes on, which are left to NCCL",
                        collective_name(each.collective), each.layout.size, last, each.layout.kind, served + 1));
      for (int nodes = each.layout.size; nodes <= served; ++nodes)
        for (const Rule& rule : each.rules)
          if (rule.algorithm != kOwnChoice)
            text +=
                fmt::format("{},{},{},{},simple,-1,{},{}\n", collective_name(each.collective), rule.from_bytes,
                            rule.to_bytes, name_of(nccl_names(), parse_choice(each.collective, rule.algorithm))->theirs,
                            nodes, nodes * each.layout.kind);
    }
    return text;
  }

  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<RuleList>(rules(text, origin, nullptr), origin);
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    lint_rules(rules(text, origin, &findings), {"NCCL", true, is_written_by_tutti(text)}, findings);
  }

 private:
  static std::vector<ListedRule> rules(const std::string& text, const std::string& origin, Doubts* doubts) {
    std::vector<ListedRule> rules;
    for (const TextLine& line : lines_of(text, origin)) {
      rules.push_back(read_line(line, origin, doubts));
      rules.back().statement = static_cast<int>(rules.size());
    }
    return rules;
  }

  static std::string_view collective_name(Collective collective) {
    for (const auto& [known, name] : kNcclCollectives)
      if (known == collective) return name;
    return "";
  }

  /// The reader takes 255 characters for a line; the rest would be another, without its #.
  static std::string comment(std::string_view line) {
    std::string text;
    for (; !line.empty(); line.remove_prefix(std::min(line.size(), kLongestLine - 5)))
      text += "# " + std::string(line.substr(0, kLongestLine - 5)) + "\n";
    return text;
  }

  static void tell_algorithm(int line, std::string_view collective, std::string_view algorithm, Doubts& doubts) {
    constexpr std::string_view kTheirs[] = {"tree",      "ring", "collnet_direct", "collnet_chain", "nvls",
                                            "nvls_tree", "pat"};
    const bool is_theirs = std::find(std::begin(kTheirs), std::end(kTheirs), algorithm) != std::end(kTheirs);
    doubts.push_back({line, "unknown",
                      is_theirs ? fmt::format("{} for {} is not one of Tutti's algorithms", algorithm, collective)
                                : fmt::format("NCCL has no algorithm {}", algorithm),
                      is_theirs ? "nothing is known here of whether NCCL has it for this collective"
                                : "what runs is not what the line says",
                      "name ring, or pat for allgather", is_theirs});
  }

  static ListedRule read_line(const TextLine& line, const std::string& origin, Doubts* doubts) {
    if (line.text.size() > kLongestLine) refuse_line(origin, line, "at most 255 characters");
    std::vector<std::string_view> fields = split_at(line.text, ',');
    if (fields.size() < 8 || fields.size() > 10)
      refuse_line(origin, line, "collective,bytes,bytes,algorithm,protocol,channels,nodes,ranks");
    for (std::string_view& field : fields) {
      field.remove_prefix(std::min(field.find_first_not_of(" \t"), field.size()));
      field = field.substr(0, field.find_last_not_of(" \t") + 1);
    }
    ListedRule rule;
    const auto known = std::find_if(std::begin(kNcclCollectives), std::end(kNcclCollectives),
                                    [&](const auto& each) { return each.second == fields[0]; });
    if (known == std::end(kNcclCollectives))
      refuse_line(origin, line, "broadcast, reduce, allgather, reducescatter or allreduce");
    rule.collective = known->first, rule.line = line.number;
    const auto number = [&](std::size_t i, std::int64_t most) {
      const std::optional<std::int64_t> value = whole_number(fields[i]);
      if (!value || *value > most) refuse_line(origin, line, "a whole number in field " + std::to_string(i + 1));
      return *value;
    };
    const auto exactly = [&](std::size_t i) -> FromTo<int> {
      if (fields[i] == "-1") return {};
      const int value = static_cast<int>(number(i, std::numeric_limits<int>::max()));
      return {value, value};
    };
    rule.bytes = {number(1, Rule::kUnlimited), number(2, Rule::kUnlimited)};
    rule.choice = choice_named(nccl_names(), rule.collective, fields[3]);
    if (!rule.choice && !doubts) refuse_line(origin, line, "an algorithm that Tutti has, such as ring");
    if (!rule.choice) tell_algorithm(line.number, fields[0], fields[3], *doubts);
    const bool is_protocol = fields[4] == "ll" || fields[4] == "ll128" || fields[4] == "simple";
    if (fields[4] != "simple" && !doubts)
      refuse_line(origin, line, "the protocol simple, the only one that Tutti knows");
    if (!is_protocol)
      doubts->push_back({line.number, "unknown", fmt::format("NCCL has no protocol {}", fields[4]),
                         "what runs is not what the line says", "write ll, ll128 or simple"});
    for (std::size_t i = 5; i < fields.size(); ++i)
      if (i != 6 && i != 7 && fields[i] != "-1" && !(doubts && whole_number(fields[i])))
        refuse_line(origin, line, "-1 in field " + std::to_string(i + 1));
    rule.nodes = exactly(6), rule.ranks = exactly(7);
    return rule;
  }
};

const Nccl nccl;
const ExporterRegistration nccl_registered(&nccl);

}  // namespace
}  // namespace tutti
