#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/machine_files.hpp"
#include "selection/schedule.hpp"
#include "selection/tune.hpp"

namespace tutti {

/// What is known of fewer nodes pays for itself within the first few. Chains of more places that lie close to each
/// other are cut into pieces of about as many, which know nothing of each other and so can be searched anywhere.
/// (Leonardo, 2 to 24 nodes: processor time within 2 %.) Close: more than so many to every doubling of the number of
/// nodes.
inline constexpr std::size_t kLongestPiece = 8;
inline constexpr double kCloseToEachOther = 4;

/// The places of a sweep that have sizes which fit into a node's memory, in the order of the table; of those that do
/// not, `left_out` counts the cells. Sizes are those that blocks of whole elements make of what was asked for, but one
/// element a block where that would be nothing. Throws InputError where the request cannot be met.
std::vector<Chain> chains_of(const TuneRequest& request, std::int64_t& left_out);
/// Says, for people, where that is more than was asked for (total bytes in brackets); empty: nowhere.
std::string note_of_larger_sizes(const TuneRequest& request);

/// All pieces of all chains. A piece is not cut again.
std::vector<Chain> pieces_of(std::vector<Chain> chains);
/// In which order the places of a piece are searched: where its numbers of nodes are close to each other, its ends
/// before what is between, so that that is known from either side.
std::vector<std::size_t> search_order(const Chain& piece);
/// Whether by the turn of a place in that order others of fewer and of more nodes are known that are so close to it
/// that most of its times follow from theirs (node_bounds.hpp).
bool is_known_from_both_sides(const Chain& piece, std::size_t i);

/// "allgather-ppn4-nodes17-24": no other piece of the sweep has that name.
std::string name_of(const Chain& chain);

/// What comes into question for a collective: the same in every cell. Takes long for many layouts.
std::vector<Choice> candidates_of(const TuneRequest& request, Collective collective);
/// Of each of the request's collectives. What libraries pick call by call is looked up for each of its places: a sweep
/// asks once.
using SweepCandidates = std::map<Collective, std::vector<Choice>>;
SweepCandidates candidates_of(const TuneRequest& request);

/// Those of the request's collectives of which a tuning file of its library can say nothing that is asked for.
std::vector<Collective> untold(const TuneRequest& request);

/// Throws InputError where counts are to be spread as they cannot be in one of the collectives.
void expect_spread_counts(const TuneRequest& request);

/// All that a simulated time follows from, beside the engine and the call.
std::string identity_of(const TuneRequest& request);
/// The same, of its parts.
std::string identity_of(const ReadMachine& machine, const Mode& mode, const std::string& placement, const Loads& loads);

}  // namespace tutti
