#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "selection/library.hpp"

namespace tutti {

/// UCC's names for algorithms.
inline const Library& ucc_names() { return find_library("ucc"); }

constexpr std::string_view kUccPrefix = "UCC_TL_UCP_";
/// The library posts a block at a time only where it is told so.
constexpr const char* kUccPairwise = "UCC_TL_UCP_ALLTOALL_PAIRWISE_NUM_POSTS=1\n";
constexpr std::int64_t kUccRadix = 4;  ///< where none is given, and where sizes share one

/// The variable of an algorithm's radix, after kUccPrefix; nullptr where it has none.
const char* ucc_radix_variable(Collective collective, std::string_view theirs);
/// Whether it may say different radices for different sizes.
bool ucc_radix_is_by_size(std::string_view variable);

/// UCC's reduce_scatter has blocks that are alike.
std::string ucc_collective(Collective collective);
std::optional<Collective> ucc_collective_of(std::string_view name);

}  // namespace tutti
