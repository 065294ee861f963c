#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include "algos/named_choice.hpp"
#include "algos/operator.hpp"
#include "algos/registry.hpp"
#include "algos/valid_case.hpp"
#include "base/error.hpp"
#include "base/sizes.hpp"
#include "cli/counts.hpp"
#include "cli/markdown.hpp"
#include "cli/neighbors.hpp"
#include "cli/verbs.hpp"
#include "selection/library.hpp"

namespace tutti::cli {
namespace {

struct ListOptions {
  std::string collective;
  std::optional<std::string> why_not;
  bool json = false, markdown = false;
};

std::map<std::string, int> open_mpi_ids(const Algorithm& a) {
  std::map<std::string, int> ids;
  for (const auto& [version, id] : names_in("Open MPI", a)) ids[version] = std::stoi(id);
  return ids;
}

nlohmann::ordered_json to_json(const Algorithm& a) {
  nlohmann::ordered_json constraints = nlohmann::ordered_json::array(), parameters = nlohmann::ordered_json::array();
  for (const Requirement& r : a.requirements())
    constraints.push_back({{"condition", r.condition.text()}, {"text", r.text}});
  if (a.needs_commutative()) constraints.push_back({{"condition", "commutative"}, {"text", "a commutative operator"}});
  for (const ParameterSpec& p : a.parameters()) {
    if (is_choice(p) || !p.names.empty()) {  // by what it is called
      const auto name = [&](std::int64_t value) {
        return is_choice(p) ? text_of_choice(value) : name_of_value(p, value);
      };
      std::vector<std::string> tried;
      for (const std::int64_t value : p.tried) tried.push_back(name(value));
      parameters.push_back({{"name", p.name},
                            {"default", name(p.standard)},
                            {"minimum", nullptr},
                            {"maximum", nullptr},
                            {"tried", tried}});
      continue;
    }
    parameters.push_back(
        {{"name", p.name}, {"default", p.standard}, {"minimum", p.minimum}, {"maximum", nullptr}, {"tried", p.tried}});
    if (p.maximum != std::numeric_limits<std::int64_t>::max()) parameters.back()["maximum"] = p.maximum;
  }
  nlohmann::ordered_json fallbacks = nlohmann::ordered_json::array();
  for (const Fallback& f : a.fallbacks()) fallbacks.push_back({{"condition", f.condition.text()}, {"to", f.to}});
  const std::map<std::string, std::string> mpich = names_in("MPICH", a);
  nlohmann::ordered_json row{
      {"collective", name_of(a.collective())},
      {"name", a.name()},
      {"open_mpi", open_mpi_ids(a)},
      {"mpich", mpich.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(mpich.begin()->second)},
      {"constraints", constraints},
      {"parameters", parameters},
      {"rounds", a.rounds().text()},
      {"messages", a.messages().text()},
      {"bytes", a.bytes().text()},
      {"ports", a.ports().text()},
      {"by_node", a.is_by_node()},
      {"fallbacks", fallbacks},
      {"deviates", a.deviates()},
      {"cite", a.cite()}};
  return row;
}

/// "P=12,bytes=8,op=user,segment=64K,in-place" -> the case to ask about.
struct Question {
  int ranks = 0;
  std::int64_t bytes = 0;
  std::optional<std::int32_t> element_bytes;
  Operator op = Operator::sum;
  bool in_place = false;
  std::string neighbors;              // for collectives among neighbours
  std::string counts;                 // for irregular ones
  std::vector<std::string> settings;  // "segment=64K", for the algorithms that have the parameter
};

constexpr const char* kQuestion =
    ": expected P=NUMBER[,bytes=N][,element=N][,op=NAME][,in-place][,neighbors=4x2][,counts=zipf:1][,PARAMETER=VALUE "
    "…]";

int positive(const std::string& text, const std::string& value, const char* what) {
  const std::int64_t number = parse_size(value);
  if (number < 1 || number > (1 << 30))
    throw InputError("--why-not " + text + ": expected " + what + " from 1 to 2^30");
  return static_cast<int>(number);
}

bool has_parameter(const Algorithm& a, const std::string& setting) {
  return std::any_of(a.parameters().begin(), a.parameters().end(),
                     [&](const ParameterSpec& p) { return setting.substr(0, setting.find('=')) == p.name; });
}

bool is_size(const std::string& text) try {
  static_cast<void>(parse_size(text));
  return true;
} catch (const InputError&) {
  return false;
}

/// Throws InputError where none of the algorithms that have the parameter takes the value, a text. Numbers beyond its
/// limits are answers.
void expect_setting(const std::string& setting, const std::vector<const Algorithm*>& algorithms) {
  if (is_size(setting.substr(setting.find('=') + 1))) return;
  std::string why;
  for (const Algorithm* a : algorithms)
    if (has_parameter(*a, setting)) try {
        static_cast<void>(parse_choice(a->collective(), a->name() + ":" + setting));
        return;
      } catch (const InputError& error) {
        if (why.empty()) why = error.what();
      }
  throw InputError("--why-not " + setting + ": " + why);
}

/// What the question is about, and none of the algorithms listed has.
void expect_asked(const std::string& text, const std::set<std::string>& given,
                  const std::vector<const Algorithm*>& algorithms) {
  const auto any = [&](auto&& has) {
    return std::any_of(algorithms.begin(), algorithms.end(), [&](const Algorithm* a) { return has(a->collective()); });
  };
  if (given.contains("neighbors") && !any(is_of_neighbors))
    throw InputError("--why-not " + text + ": expected no neighbors, for none of these is among neighbours");
  if (given.contains("counts") && !any(is_irregular))
    throw InputError("--why-not " + text + ": expected no counts, for none of these has blocks of other sizes");
  if (given.contains("bytes") && !any([](Collective c) { return c != Collective::barrier; }))
    throw InputError("--why-not " + text + ": expected no bytes, for a barrier has none");
}

Question parse_question(const std::string& text, const std::vector<const Algorithm*>& algorithms) {
  Question question;
  std::set<std::string> given;
  for (const std::string& part : split_choices(text)) {
    const std::string value = part.substr(part.find('=') + 1);
    if (const std::string key = part.substr(0, part.find('=')); !given.insert(key).second)
      throw InputError("--why-not " + text + ": expected " + key + " once");
    if (part.starts_with("P="))
      question.ranks = positive(text, value, "P");
    else if (part.starts_with("bytes="))
      question.bytes = parse_size(value);
    else if (part.starts_with("element="))
      question.element_bytes = positive(text, value, "an element");
    else if (part.starts_with("op="))
      question.op = operator_named(value);
    else if (part == "in-place")
      question.in_place = true;
    else if (part.starts_with("neighbors="))
      question.neighbors = value;
    else if (part.starts_with("counts="))
      question.counts = value;
    else if (part.find('=') != std::string::npos &&
             std::any_of(algorithms.begin(), algorithms.end(),
                         [&](const Algorithm* a) { return has_parameter(*a, part); })) {
      expect_setting(part, algorithms);
      question.settings.push_back(part);
    } else {
      throw InputError("--why-not " + text + kQuestion);
    }
  }
  if (question.ranks == 0) throw InputError("--why-not " + text + kQuestion);
  expect_asked(text, given, algorithms);
  return question;
}

/// What an algorithm says to a case; a case that it, or its collective, cannot have is an answer too.
std::string why_not_answer(const Algorithm& a, const Question& question) try {
  Case c{
      a.collective(),    question.ranks, 0, question.element_bytes.value_or(default_element_bytes(a.collective())), 0,
      question.in_place, question.op};
  if (is_of_neighbors(a.collective())) c = NeighborsOption(question.neighbors, a.collective()).applied(c);
  expect_valid(c);
  c.count = count_for_total_bytes(a.collective(), c.ranks, c.element_bytes, question.bytes);
  if (is_irregular(a.collective())) c = CountsOption(question.counts, a.collective()).applied(c, question.bytes);
  std::string text = a.name();
  for (const std::string& setting : question.settings)
    if (has_parameter(a, setting)) text += ":" + setting;
  const Choice choice = parse_choice(a.collective(), text), real = resolve(choice, c);
  const std::string reason = why_not(choice, c);
  if (!reason.empty()) return "no: " + reason;
  return real.algorithm == &a ? "yes" : "falls back to " + real.text();
} catch (const InputError& error) {
  return std::string("no: ") + error.what();
} catch (const std::invalid_argument& error) {  // a formula that is not for so many ranks
  return std::string("no: ") + error.what();
}

int run_list(const ListOptions& options) {
  std::vector<const Algorithm*> algorithms;
  if (options.collective.empty())
    for (const Algorithm& a : registry()) algorithms.push_back(&a);
  else
    algorithms = algorithms_of(any_collective_named(options.collective));
  if (options.markdown) {
    fmt::print("{}", markdown(algorithms));
    return kDone;
  }
  const bool asks = options.why_not.has_value();
  const Question question = asks ? parse_question(*options.why_not, algorithms) : Question{};
  if (options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Algorithm* a : algorithms) {
      all.push_back(to_json(*a));
      if (asks) all.back()["runs"] = why_not_answer(*a, question);
    }
    fmt::print("{}\n", all.dump(1));
    return kDone;
  }
  fmt::print("{:<21} {:<27} {:<9} {}\n", "collective", "algorithm", "Open MPI",
             asks ? "runs?" : "rounds | messages | bytes");
  for (const Algorithm* a : algorithms)
    fmt::print("{:<21} {:<27} {:<9} {}\n", name_of(a->collective()), a->name(), open_mpi_text(*a),
               asks ? why_not_answer(*a, question)
                    : fmt::format("{} | {} | {}", a->rounds().text(), a->messages().text(), a->bytes().text()));
  return kDone;
}

}  // namespace

void add_list(CLI::App& app, int& status) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* verb = app.add_subcommand("list", "The algorithms, their costs, constraints and ids in real libraries");
  verb->footer("Example: tutti list allgather --why-not P=12,bytes=8");
  verb->add_option("collective", options->collective, "only this collective");
  CLI::Option* why_not =
      verb->add_option("--why-not", options->why_not,
                       "say which can run a case, and why not: P=12,bytes=8,op=user,segment=64K,in-place,counts=one");
  CLI::Option* json = verb->add_flag("--json", options->json, "an array for machines");
  verb->add_flag("--markdown", options->markdown, "a document to read, with parameters, fall-backs and sources")
      ->excludes(json)
      ->excludes(why_not);
  verb->callback([options, &status] { status = run_list(*options); });
}

}  // namespace tutti::cli
