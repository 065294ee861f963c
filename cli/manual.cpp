// The man pages, made from what the command line says of itself.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include "cli/described.hpp"
#include "cli/foreign_help.hpp"
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

void print_heading(const std::string& page, const std::string& version, const std::string& what) {
  std::string title = page;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  fmt::print(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", troff(title),
             troff(version), troff(page), troff(what));
}

void print_options(const CLI::App& verb) {
  for (const CLI::Option* option : documented_options(verb))
    fmt::print(".TP\n.B {}\n{}\n", troff(option->get_name(false, true)), troff(option->get_description()));
}

/// What the verb's own program says, line by line, as `tutti VERB --help` does.
void print_foreign_help(const CLI::App& verb) {
  constexpr int kColumns = 76;
  for (const ForeignHelp& help : foreign_help(verb, kColumns)) {
    const std::string text =
        help.trouble.empty() ? help.text : fmt::format("{} --help says them; here it {}\n", help.command, help.trouble);
    fmt::print(".PP\n.nf\n{}.fi\n", troff(text));
  }
}

void print_manual(const CLI::App& app) {
  print_heading("tutti", app.version(), "collectives: proven, simulated, tuned");
  fmt::print(".B tutti\nVERB [OPTIONS]\n.SH DESCRIPTION\n");
  print_lines(app.get_description());
  for (const CLI::App* verb : verbs_of(app)) {
    fmt::print(".SH {}\n", troff(verb->get_name()));
    print_lines(verb->get_description());
    print_options(*verb);
    print_foreign_help(*verb);
    if (!verb->get_footer().empty()) fmt::print(".PP\n");
    print_lines(verb->get_footer());
  }
}

void print_manual_of(const CLI::App& app, const std::string& name) {
  const CLI::App& verb = verb_of(app, name);
  print_heading("tutti-" + name, app.version(), verb.get_description());
  fmt::print(".B tutti {}\n[OPTIONS]\n.SH OPTIONS\n", troff(name));
  print_options(verb);
  print_foreign_help(verb);
  if (!verb.get_footer().empty()) fmt::print(".SH EXAMPLES\n");
  print_lines(verb.get_footer());
  fmt::print(".SH SEE ALSO\n.BR tutti (1)\n");
}

}  // namespace

void add_manual(CLI::App& app, int&) {
  struct ManualOptions {
    std::string verb;
    bool verbs = false;
  };
  auto options = std::make_shared<ManualOptions>();
  CLI::App* manual = app.add_subcommand("manual", "The man page, of all verbs or of one");
  manual->footer("Example: tutti manual | man -l -\nExample: tutti manual simulate | man -l -");
  manual->add_option("verb", options->verb, "one verb (default: all on one page)");
  manual->add_flag("--verbs", options->verbs, "only list the verbs that there are pages of");
  manual->callback([&app, options] {
    if (options->verbs)
      for (const CLI::App* verb : verbs_of(app)) fmt::print("{}\n", verb->get_name());
    else if (options->verb.empty())
      print_manual(app);
    else
      print_manual_of(app, options->verb);
  });
}

}  // namespace tutti::cli
