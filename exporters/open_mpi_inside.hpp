#pragma once

#include <span>
#include <vector>

#include "selection/export.hpp"

namespace tutti {

// What coll/han runs on nodes and between them, coll/tuned picks by the classic rules for so many ranks. So the files
// of one Open MPI say three things together: what coll/tuned runs on whole communicators, where coll/han is kept as it
// is by itself, for which those rules must say nothing of the sizes of its parts, and where coll/han runs its simple
// variant ("han @simple"), whose parts are rules of their own.

/// Whether the choice is coll/han's simple variant of parts that a classic rule can name.
bool is_told_to_han(const Choice& choice);
/// Whether all of these parts are right for operators that do not commute.
bool keeps_order_inside(const Choice& choice);

/// The rules that are true together, with those for parts (FileRules::inside). Where a simple variant's parts are in
/// the way of other rules, of coll/han as it is, or of other parts, the rules of `certain` for its ranks stand instead.
std::vector<FileRules> settled_with_han(std::vector<FileRules> rules, const std::vector<FileRules>& certain);

/// Both files look a block up by different sizes, which agree on one number of ranks only: of a range of numbers the
/// first, where it was tuned, has rules of its own, and the others none where some sizes are left to the library.
std::vector<FileRules> with_single_numbers(const std::vector<FileRules>& rules);

/// What coll/tuned is told: coll/han's simple variants are left out.
std::vector<FileRules> without_han(std::span<const FileRules> rules);

}  // namespace tutti
