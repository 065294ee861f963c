#pragma once
// What the MPI library really sends: messages and bytes to each rank of MPI_COMM_WORLD, those inside collectives too.

#include <string>

namespace tutti::mpi {

/// Starts counting from 0. Needs MPI to be initialised.
void count_sent();
/// "3>0:2:4096 3>1:1:0", FROM>TO:MESSAGES:BYTES for every rank that this one sent to since count_sent; empty: none.
std::string sent();
/// Whether the library tells what it sends at all: in Open MPI with --mca pml_monitoring_enable 1, and --mca coll
/// ^monitoring, for that component comes before coll/han. Collective.
bool can_count();
inline constexpr const char* kCannotCount =
    "the MPI library does not tell what it sends: expected Open MPI with --mca pml_monitoring_enable 1 --mca coll "
    "^monitoring";

}  // namespace tutti::mpi
