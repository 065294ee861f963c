#include "algos/patterns/message_combining.hpp"

namespace tutti {
namespace {
double least(const Facts& facts) { return least_combined_rounds(facts, Way::each_block); }
double most(const Facts& facts) { return most_combined_rounds(facts, Way::each_block); }
double messages(const Facts& facts) { return combined_messages_in_all(facts, Way::each_block); }
double bytes(const Facts& facts) { return combined_bytes(facts, Way::each_block); }
}  // namespace

TUTTI_ALGORITHM(neighbor_alltoall, "combining", combine_messages)
    .requires_that("grid", "neighbours on a grid")
    .rounds_between(
        least, most,
        "at least the most partners of a rank in all dimensions, either way; at most, in each dimension, twice "
        "its messages less one")
    .messages(messages, "of a rank in each dimension one for each distance that neighbours have in it")
    .bytes(bytes, "each block as many times as its neighbour is away in dimensions")
    .cite(
        "Traeff, Luebbe, Rougier, Hunold: Isomorphic, Sparse MPI-like Collective Communication Operations for Parallel "
        "Stencil Computations, EuroMPI 2015; Traeff, Hunold: Cartesian Collective Communication, ICPP 2019")
    .deviates("blocks that go on together are copied into one place, where the papers have datatypes");

}  // namespace tutti
