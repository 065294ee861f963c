// What shells need to complete verbs and options, made from what the command line says of itself.
#include <fmt/core.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/described.hpp"
#include "cli/foreign_help.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

/// To stand in single quotes, which zsh and fish end differently inside: none are. A backslash goes before what is
/// special.
std::string plain(const std::string& text, const std::string& special = "") {
  std::string all;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) all += '\\';
    if (c == '\'')
      all += "’";
    else
      all += c == '\n' || c == '\\' ? ' ' : c;
  }
  return all;
}

/// The verb's options with long names, each once: also of verbs that only their own program knows.
std::vector<DescribedOption> options_of(const CLI::App& verb) {
  std::vector<DescribedOption> options;
  for (const CLI::Option* option : documented_options(verb))
    if (std::vector<std::string> names = long_names(*option); !names.empty())
      options.push_back({std::move(names), option->get_expected_max() > 0, option->get_description()});
  constexpr int kColumns = 1000;  // each description on a line
  std::set<std::string> known;
  for (const ForeignHelp& help : foreign_help(verb, kColumns)) {
    if (!help.trouble.empty())
      fmt::print(stderr, "warning: the options of {} are left out: it {}\n", help.command, help.trouble);
    for (DescribedOption& option : options_in(help.text))
      if (known.insert(option.long_names.front()).second) options.push_back(std::move(option));
  }
  return options;
}

/// Verbs, then the options of the verb, else names of files.
void print_for_bash(const CLI::App& app) {
  std::string verbs, cases;
  for (const CLI::App* verb : verbs_of(app)) {
    verbs += (verbs.empty() ? "" : " ") + verb->get_name();
    std::string names;
    for (const DescribedOption& option : options_of(*verb))
      for (const std::string& name : option.long_names) names += " " + name;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", verb->get_name(), names.empty() ? "" : names.substr(1));
  }
  fmt::print(
      "# bash completion for tutti; made by `tutti completion`\n"
      "_tutti() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} words=\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _tutti tutti\n",
      verbs, cases);
}

void print_for_zsh(const CLI::App& app) {
  std::string verbs, cases;
  for (const CLI::App* verb : verbs_of(app)) {
    verbs += fmt::format("  '{}:{}'\n", verb->get_name(), plain(verb->get_description(), ":"));
    cases += fmt::format("    {}) _arguments \\\n", verb->get_name());
    for (const DescribedOption& option : options_of(*verb))
      for (const std::string& name : option.long_names)
        cases += fmt::format("      '{}{}[{}]{}' \\\n", name, option.takes_value ? "=" : "",
                             plain(option.description, "[]:"), option.takes_value ? ":value:_files" : "");
    cases += "      '*:file:_files' ;;\n";
  }
  fmt::print(
      "#compdef tutti\n"
      "# zsh completion for tutti; made by `tutti completion zsh`\n"
      "local -a verbs=(\n{})\n"
      "if (( CURRENT == 2 )); then\n"
      "  _describe verb verbs\n"
      "else\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n{}  esac\n"
      "fi\n",
      verbs, cases);
}

void print_for_fish(const CLI::App& app) {
  fmt::print("# fish completion for tutti; made by `tutti completion fish`\n");
  for (const CLI::App* verb : verbs_of(app)) {
    fmt::print("complete -c tutti -n __fish_use_subcommand -f -a {} -d '{}'\n", verb->get_name(),
               plain(verb->get_description()));
    for (const DescribedOption& option : options_of(*verb))
      for (const std::string& name : option.long_names)
        fmt::print("complete -c tutti -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n", verb->get_name(),
                   name.substr(2), option.takes_value ? " -r" : "", plain(option.description));
  }
}

}  // namespace

void add_completion(CLI::App& app, int&) {
  auto shell = std::make_shared<std::string>("bash");
  CLI::App* verb = app.add_subcommand("completion", "What a shell needs to complete verbs and options");
  verb->footer(
      "Example: tutti completion > ~/.local/share/bash-completion/completions/tutti\n"
      "Example: tutti completion fish > ~/.config/fish/completions/tutti.fish");
  verb->add_option("shell", *shell, "bash, zsh or fish")
      ->capture_default_str()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb->callback([&app, shell] {
    if (*shell == "zsh")
      print_for_zsh(app);
    else if (*shell == "fish")
      print_for_fish(app);
    else
      print_for_bash(app);
  });
}

}  // namespace tutti::cli
