#pragma once

#include <span>
#include <string>

#include "exporters/rule_list.hpp"
#include "selection/lint.hpp"

namespace tutti {

/// What is to be known of a form, and of who wrote the file.
struct LintedForm {
  std::string library;             // for people
  bool scopes_are_ordered = true;  // false: where two parts of the file serve a call, luck decides
  bool is_converted = false;       // Tutti wrote it, and converted its sizes
  bool minds_operators = true;     // as Exporter's
};

/// Of rules of which the first that serves a call applies: those that none is left for, overlaps that only their order
/// decides, gaps, sizes that no call has, choices that cannot run. Sorted by the caller.
void lint_rules(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings);

/// Of these, what only a size in other units explains.
void lint_sizes(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings);
/// Of a rule with a choice: whether that can run on the rule's ranks, as itself.
void lint_choice(const ListedRule& rule, Doubts& findings);
/// Of the rules for a collective, the first that is wrong for operators that do not commute, where the library follows
/// it for every operator.
void lint_operators(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings);
/// "ring for allreduce (4 nodes, 0 to 1023 bytes)".
std::string said_by(const ListedRule& rule);

/// Adds what is wrong with the values of its parameters; false where there is anything.
bool check_parameters(const Choice& choice, int line, Doubts& findings);

/// Whether the file begins as those that Tutti writes.
bool is_written_by_tutti(const std::string& text);

}  // namespace tutti
