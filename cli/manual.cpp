// The man page and the shell completion, made from what the command line says of itself.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

/// As troff shows it: no escapes, no request at the beginning of a line.
std::string troff(const std::string& text) {
  std::string plain;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) plain += "\\&";
    if (c == '-' || c == '\\') plain += '\\';
    plain += c == '\\' ? 'e' : c;
    begins_line = c == '\n';
  }
  return plain;
}

/// Of the man page; each line of the text is one line there.
void print_lines(const std::string& text) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fmt::print("{}\n.br\n", troff(text.substr(begin, end - begin)));
    begin = end + 1;
  }
}

std::vector<const CLI::Option*> documented_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

void print_manual(const CLI::App& app) {
  fmt::print(".TH TUTTI 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\ntutti \\- collectives: proven, simulated, tuned\n",
             troff(app.version()));
  fmt::print(".SH SYNOPSIS\n.B tutti\nVERB [OPTIONS]\n.SH DESCRIPTION\n");
  print_lines(app.get_description());
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    fmt::print(".SH {}\n", troff(verb->get_name()));
    print_lines(verb->get_description());
    for (const CLI::Option* option : documented_options(*verb)) {
      const std::string name = option->get_name(false, true);
      fmt::print(".TP\n.B {}\n{}\n", troff(name), troff(option->get_description()));
    }
    if (!verb->get_footer().empty()) fmt::print(".PP\n");
    print_lines(verb->get_footer());
  }
}

/// For bash: verbs, then the options of the verb, else names of files.
void print_completion(const CLI::App& app) {
  std::string verbs, cases;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verbs += (verbs.empty() ? "" : " ") + verb->get_name();
    std::string names;
    for (const CLI::Option* option : documented_options(*verb))
      for (const std::string& name : option->get_lnames()) names += " --" + name;
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

}  // namespace

void add_manual(CLI::App& app, int&) {
  CLI::App* manual = app.add_subcommand("manual", "The man page");
  manual->footer("Example: tutti manual | man -l -");
  manual->callback([&app] { print_manual(app); });
  CLI::App* completion = app.add_subcommand("completion", "What bash needs to complete verbs and options");
  completion->footer("Example: tutti completion > ~/.local/share/bash-completion/completions/tutti");
  completion->callback([&app] { print_completion(app); });
}

}  // namespace tutti::cli
