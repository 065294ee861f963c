#include "cli/usage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "base/numbers.hpp"

namespace tutti::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool is_number(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && (std::isdigit(static_cast<unsigned char>(word[1])) || word[1] == '.');
}

/// CLI11 names what it could not use from the last to the first.
std::string unexpected(const CLI::App& app, const CLI::App& verb, int argc, char** argv) {
  const std::vector<std::string> known = option_names(verb), left = app.remaining(true);
  for (int i = 2; i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    if (word.size() < 2 || word[0] != '-' || is_number(word) || std::find(left.begin(), left.end(), word) == left.end())
      continue;
    if (name == "--threads" && std::find(known.begin(), known.end(), "--jobs") != known.end())
      return fmt::format("{} has no option --threads (did you mean --jobs?); see tutti {} --help", verb.get_name(),
                         verb.get_name());
    return fmt::format("{} has no option {}{}; see tutti {} --help", verb.get_name(), name,
                       did_you_mean(name.substr(0, 2) == "--" ? name : "-" + name, known), verb.get_name());
  }
  for (int i = 2; i < argc; ++i)
    if (std::string(argv[i]) != "--" && std::find(left.begin(), left.end(), argv[i]) != left.end())
      return fmt::format("{}: '{}' was not expected there; see tutti {} --help", verb.get_name(), argv[i],
                         verb.get_name());
  return "";
}

/// Of a whole number that does not fit, or of what is none.
std::string why_no_number(const std::string& text, const std::string& type) {
  const bool negative = text.starts_with('-');
  const std::string digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (type == "FLOAT") return "expected a number";
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return "expected a whole number";
  if (type == "UINT" && negative) return "expected 0 or more";
  std::int64_t value = 0;
  const bool fits = std::from_chars(text.data() + (text[0] == '+'), text.data() + text.size(), value).ec == std::errc{};
  if (type == "UINT") return "expected at most 2^64 - 1";
  return fmt::format("expected {}2^{}{}", negative ? "at least -" : "at most ", fits ? 31 : 63, negative ? "" : " - 1");
}

/// By the name that it has on the command line: -n or --ranks.
std::string name_given(const CLI::Option& option, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const std::string& name : option.get_snames())
      if (std::string_view(argv[i]).starts_with("-" + name)) return "-" + name;
  return option.get_name();
}

std::optional<std::string> unconverted(const CLI::App& verb, const std::string& said, int argc, char** argv) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string type = option->get_type_name();
    if (option->count() == 0 || !said.starts_with("Could not convert: " + option->get_name() + " = ")) continue;
    for (const std::string& text : option->results())
      return fmt::format("{}{}{}: {}", name_given(*option, argc, argv), text.starts_with('=') ? "" : " ", text,
                         why_no_number(text, type));
  }
  return {};
}

std::optional<std::string> repeated(const CLI::App& verb, const std::string& said, int argc, char** argv) {
  for (const CLI::Option* option : verb.get_options())
    if (said.starts_with(option->get_name() + ": At Most 1 required but received "))
      return fmt::format("{}: expected once; see tutti {} --help", name_given(*option, argc, argv), verb.get_name());
  return {};
}

/// "simulate: --machine is required: a machine's name (tutti machines) or file; see tutti simulate --help"
std::string missing(const CLI::App& verb, const std::string& said) {
  std::string described;
  for (const CLI::Option* option : verb.get_options())
    if (said == option->get_name() + " is required") described = ": " + option->get_description();
  return fmt::format("{}: {}{}; see tutti {} --help", verb.get_name(), said, described, verb.get_name());
}

/// CLI::IsMember says "--over: bst not in {best,own}".
std::optional<std::string> no_member(const std::string& said) {
  constexpr std::string_view kNotIn = " not in {";
  const std::size_t colon = said.find(": "), at = said.find(kNotIn);
  if (colon == std::string::npos || at == std::string::npos || at < colon || !said.ends_with('}')) return {};
  const std::string given = said.substr(colon + 2, at - colon - 2);
  std::vector<std::string> known;
  std::string listed;
  const std::size_t end = said.size() - 1;
  for (std::size_t begin = at + kNotIn.size(); begin < end;) {
    const std::size_t comma = std::min(said.find(',', begin), end);
    known.push_back(said.substr(begin, comma - begin));
    listed += (listed.empty() ? "" : ", ") + known.back();
    begin = comma + 1;
  }
  return fmt::format("{} {}: expected one of {}{}", said.substr(0, colon), given, listed, did_you_mean(given, known));
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string said = error.what();
  const int before_verb = after_options(app, 1, argc, argv) - 1;
  argc -= before_verb, argv += before_verb;
  const auto verbs = app.get_subcommands([&](const CLI::App* one) { return argc > 1 && one->get_name() == argv[1]; });
  if (verbs.empty()) return said;
  const CLI::App* verb = verbs.front();
  // Also where something else is missing: perhaps since it was misspelt.
  if (std::string text = unexpected(app, *verb, argc, argv); !text.empty()) return text;
  if (dynamic_cast<const CLI::ConversionError*>(&error))
    if (const auto text = unconverted(*verb, said, argc, argv)) return *text;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    if (const auto text = repeated(*verb, said, argc, argv)) return *text;
  if (dynamic_cast<const CLI::ValidationError*>(&error))
    if (const auto text = no_member(said)) return *text;
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return missing(*verb, said);
  return said;
}

int after_options(const CLI::App& app, int i, int argc, char** argv) {
  for (; i < argc && argv[i][0] == '-' && std::string(argv[i]) != "--"; ++i)
    if (const CLI::Option* option = app.get_option_no_throw(argv[i])) i += option->get_expected_min();
  return std::min(i, argc);
}

void expect_unsigned(CLI::Option& option) {
  option.check([](const std::string& text) {
    return number_from<std::uint64_t>(text) ? "" : why_no_number(text, "UINT") + ", got " + text;
  });
}

void expect_beside(const CLI::App& verb, std::initializer_list<const char*> options, const std::string& beside) {
  for (const char* option : options)
    if (verb.count(option) > 0) throw InputError(fmt::format("{}: expected {} beside it", option, beside));
}

}  // namespace tutti::cli
