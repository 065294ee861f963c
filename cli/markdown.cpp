#include "cli/markdown.hpp"

#include <fmt/core.h>

#include <limits>

#include "algos/named_choice.hpp"
#include "base/counted.hpp"
#include "base/sizes.hpp"
#include "selection/library.hpp"

namespace tutti::cli {
namespace {

constexpr const char* kIntroduction =
    "# Algorithms\n\n"
    "Written by `tutti list --markdown` from the declarations in the algorithms' own files: change those, not this.\n\n"
    "`tutti verify` proves every formula below exact, case by case. They use `p` ranks, `n` total bytes, `c` the "
    "count\n"
    "argument of the call, `e` bytes of an element, `root`, `commutative` and `in_place` (0 or 1), parameters by "
    "name,\n"
    "`k` for the radix, and `segments`, into how many the vector falls; among neighbours `edges`, the blocks that go "
    "to another rank. `/` divides exactly, `%` is the remainder;\n"
    "`ceil_log(x,k)` and `floor_log(x,k)` are whole-number logarithms to base k, `pow2(x)` asks for a power of two,\n"
    "`smooth(x,k)` is the largest number up to x whose prime factors are at most k, `sum(i,a,b,f)` adds f for i = "
    "a..b. Messages and bytes are summed over all ranks. Rounds are messages on the\n"
    "longest chain where a rank starts one message and takes in one per round, or as many as it has ports.\n"
    "Algorithms marked \"by node\" run on a node's ranks and on the nodes' first ranks: they are proven for ranks "
    "apart,\n"
    "together, in blocks, in turn, and on nodes of different sizes.\n\n"
    "Left out on purpose, of MPICH's blocking algorithms: `MPIR_Allreduce_intra_ccl`, which hands the call to a "
    "library\n"
    "for GPUs and sends nothing itself; `circ_graph` (bcast, allgather, reduce), which no release has up to 5.0.1.\n";

std::string code(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';  // a bar would end the table's cell, even in code
    escaped += c;
  }
  return "`" + escaped + "`";
}

std::string needs(const Algorithm& a) {
  std::string text;
  for (const Requirement& r : a.requirements()) text += (text.empty() ? "" : "; ") + r.text;
  if (a.needs_commutative()) text += std::string(text.empty() ? "" : "; ") + "a commutative operator";
  return text;
}

/// A formula, or the words that stand for a function.
std::string quantity(const Quantity& q) { return q.is_formula() ? code(q.text()) : q.text(); }

std::string row(const Algorithm& a) {
  const std::string ports = a.ports().text() == "1" ? "" : " with " + code(a.ports().text()) + " ports";
  const std::map<std::string, std::string> mpich = names_in("MPICH", a);
  const std::string by_node = a.is_by_node() ? " (by node)" : "";
  return fmt::format("| [`{}`](../{}){} | {}{} | {} | {} | {} | {} | {} |\n", a.name(), a.file(), by_node,
                     quantity(a.rounds()), ports, quantity(a.messages()), quantity(a.bytes()), open_mpi_text(a),
                     mpich.empty() ? "-" : code(mpich.begin()->second), needs(a));
}

std::string parameter_row(const Algorithm& a, const ParameterSpec& p) {
  const auto value = [&](std::int64_t v) {
    if (!p.names.empty()) return name_of_value(p, v);
    return is_choice(p) ? text_of_choice(v) : p.in_bytes ? format_size(v) : std::to_string(v);
  };
  const bool bounded = p.maximum != std::numeric_limits<std::int64_t>::max();
  std::string tried;
  for (const std::int64_t v : p.tried) tried += (tried.empty() ? "" : ", ") + value(v);
  if (p.takes_lists) tried += " (any list of ranks may be given)";
  return fmt::format("| `{}` | `{}` | {} | {} | {} | {} |\n", a.name(), p.name, value(p.standard),
                     is_choice(p) || !p.names.empty() ? "" : value(p.minimum),
                     bounded && p.names.empty() ? value(p.maximum) : "", tried);
}

using Algorithms = std::vector<const Algorithm*>;

/// A heading and a line for each algorithm that has something to say, or nothing.
template <class Line>
std::string listing(const char* heading, const Algorithms& algorithms, Line line) {
  std::string lines;
  for (const Algorithm* a : algorithms) lines += line(*a);
  return lines.empty() ? "" : fmt::format("\n**{}**\n\n{}", heading, lines);
}

std::string section(Collective collective, const Algorithms& algorithms) {
  std::string text = fmt::format("\n## {}\n\n", name_of(collective));
  text += "| Algorithm | Rounds | Messages | Bytes | Open MPI | MPICH | Needs |\n|---|---|---|---|---|---|---|\n";
  for (const Algorithm* a : algorithms) text += row(*a);
  const std::string parameters = listing("Parameters", algorithms, [](const Algorithm& a) {
    std::string rows;
    for (const ParameterSpec& p : a.parameters()) rows += parameter_row(a, p);
    return rows;
  });
  const std::size_t first_row = parameters.find("| ");
  if (first_row != std::string::npos)
    text += parameters.substr(0, first_row) + "| Algorithm | Parameter | Default | Smallest | Largest | Tried |\n" +
            "|---|---|---|---|---|---|\n" + parameters.substr(first_row);
  text += listing("Fall-backs", algorithms, [](const Algorithm& a) {
    std::string lines;
    for (const Fallback& f : a.fallbacks())
      lines += fmt::format("- `{}` runs `{}` where `{}`.\n", a.name(), f.to, f.condition.text());
    return lines;
  });
  text += listing("Where they deviate from the libraries", algorithms, [](const Algorithm& a) {
    return a.deviates().empty()
               ? ""
               : fmt::format("- `{}`: {}{}\n", a.name(), a.deviates(), a.deviates().ends_with('.') ? "" : ".");
  });
  text += listing("Sources", algorithms,
                  [](const Algorithm& a) { return fmt::format("- `{}`: {}.\n", a.name(), a.cite()); });
  return text;
}

}  // namespace

std::string open_mpi_text(const Algorithm& algorithm) {
  const std::map<std::string, std::string> ids = names_in("Open MPI", algorithm);
  if (ids.empty()) return "-";
  const auto& [version, id] = *ids.begin();
  return id + (version == "4.1" ? "" : " (" + version + "+)");
}

std::string markdown(const Algorithms& algorithms) {
  std::string contents, sections;
  for (std::size_t begin = 0; begin < algorithms.size();) {
    const Collective collective = algorithms[begin]->collective();
    std::size_t end = begin;
    while (end < algorithms.size() && algorithms[end]->collective() == collective) ++end;
    contents += fmt::format("- [{0}](#{0}): {1}\n", name_of(collective), end - begin);
    sections += section(collective, {algorithms.begin() + begin, algorithms.begin() + end});
    begin = end;
  }
  return std::string(kIntroduction) + "\n" + counted(algorithms.size(), "algorithm") + ":\n\n" + contents + sections;
}

}  // namespace tutti::cli
