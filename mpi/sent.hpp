#pragma once
// What the MPI library really sends: messages and bytes to each rank of MPI_COMM_WORLD, those inside collectives too.

#include <mpi.h>

#include <functional>
#include <string>

namespace tutti::mpi {

/// What the call sends when these ranks make it the second time (coll/han makes its communicators in the first):
/// "3>0:2:4096 3>1:1:0", FROM>TO:MESSAGES:BYTES for every rank that this one sends to; empty: none. Collective.
std::string sent_by(const std::function<void()>& call, MPI_Comm ranks);
/// Whether the library tells what it sends at all: in Open MPI with --mca pml_monitoring_enable 1, and --mca coll
/// ^monitoring, for that component comes before coll/han. Collective.
bool can_count();
inline constexpr const char* kCannotCount =
    "the MPI library does not tell what it sends: expected Open MPI with --mca pml_monitoring_enable 1 --mca coll "
    "^monitoring";

}  // namespace tutti::mpi
