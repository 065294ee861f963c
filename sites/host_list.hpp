#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// Slurm's lists: "node[001-064,070],gpu1" in their order; several brackets multiply, the last varies fastest. Throws
/// InputError without a place: what was expected. At most 2^18 hosts.
std::vector<std::string> expand_hosts(std::string_view list);

/// The other way: runs of each name's last number in brackets, in natural order, some 300 characters at most. For
/// people to read.
std::string compact_hosts(std::vector<std::string> hosts);

/// Host names as a scheduler prints them: lists as above, one or more in a line, separated by spaces or commas; '#'
/// begins a comment; what follows the first ':' or a "slots=" is passed over (hostfiles of MPI). Each name once, in
/// order of first appearance. Throws InputError "FILE:LINE: what was expected".
std::vector<std::string> read_hosts(const std::filesystem::path& file);

/// Without the domain: schedulers and fabrics differ in whether they say it. An address of digits has none.
std::string short_name(std::string_view host);

/// "n2" before "n10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace tutti
