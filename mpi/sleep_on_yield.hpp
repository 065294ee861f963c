#pragma once

namespace tutti::mpi {

/// Where an MPI library waits by calling sched_yield in a loop, it sleeps instead until something arrives on one of its
/// TCP connections, at most so long; 0: it yields. With more ranks than cores, ranks that wait then leave the processor
/// to those, and to all else on the machine, that work. Needs MPI_T. Ends the job where Open MPI would wait without
/// calling sched_yield. Not for use with shared memory or other transports, whose arrivals end no sleep.
void sleep_on_yield(int microseconds);

}  // namespace tutti::mpi
