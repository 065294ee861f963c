#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/rule_list.hpp"
#include "selection/export.hpp"

namespace tutti {

// A shell's lines for libraries whose variables know no numbers of ranks: sourced where a job starts, they set what is
// for its nodes (SLURM_JOB_NUM_NODES or TUTTI_NODES) and ranks (SLURM_NTASKS or TUTTI_RANKS), all nodes full.

/// The lines: `about` as comments, after `first`, then for each layout what `exports` gives for its rules, lines
/// "  export …" (empty: none).
std::string write_job_shell(const std::string& first, const std::vector<std::string>& about,
                            std::span<const FileRules> rules,
                            const std::function<std::string(const FileRules&)>& exports);

/// Exporter::also_serves of such files.
std::string job_shell_serves();

/// Calls `read` for each line that sets a variable, with the layouts that it is for. Throws InputError
/// "ORIGIN:LINE: what was expected".
void read_job_shell(const std::string& text, const std::string& origin,
                    const std::function<void(const TextLine& line, const ListedRule& place)>& read);

/// Throws InputError "ORIGIN:LINE: …" where a line ends in a carriage return, which a shell takes for a part of its
/// last word: it then ends with a syntax error.
void expect_lines_of_a_shell(std::string_view text, const std::string& origin);

/// The collective's name in capitals after `begin`, as variables are called.
std::string variable_of(const std::string& begin, Collective collective);

}  // namespace tutti
