// Files that a shell runs are read as a shell reads them.
#include <gtest/gtest.h>

#include "../refusal.hpp"
#include "selection/export.hpp"

namespace tutti {
namespace {

/// An allgather on four nodes, of which all four forms can say something.
std::string shell_lines(const char* form) {
  const Exporter& exporter = find_exporter(form);
  FileRules rules{Collective::allgather, seen(exporter.sight(), 4, 4), 4, false, {}};
  Rule rule;
  rule.from_bytes = 0, rule.to_bytes = Rule::kUnlimited;
  for (const char* choice : {"ring", "full_lane", "bruck", "circulant"})
    if (exporter.can_say(parse_choice(Collective::allgather, choice))) rule.algorithm = choice;
  EXPECT_NE(rule.algorithm, "");
  rules.rules.push_back(rule);
  return exporter.write(exporter.settled({rules}, {}), {});
}

std::string with_line_ends(std::string text, const std::string& end) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += end.size()) text.replace(at, 1, end);
  return text;
}

std::string said_of(const char* form, const std::string& text) {
  return refusal([&] { find_exporter(form).read(text, "it"); });
}

TEST(ShellLines, WithCarriageReturnsAreRefusedForNoShellRunsThem) {
  for (const char* form : {"intel", "mvapich2", "pgmpitune", "pgmpitune-mpich"}) {
    SCOPED_TRACE(form);
    const std::string text = shell_lines(form);
    EXPECT_EQ(said_of(form, text), "accepted");
    EXPECT_EQ(said_of(form, with_line_ends(text, "\r\n")).find("it:1: expected a line without a carriage return"), 0u);
    EXPECT_EQ(said_of(form, with_line_ends(text, " \n")) == "accepted", !std::string(form).starts_with("pgmpitune"));
  }
  EXPECT_NE(
      said_of("pgmpitune", with_line_ends(shell_lines("pgmpitune"), " \n")).find("expected end after the profile"),
      std::string::npos);
}

}  // namespace
}  // namespace tutti
