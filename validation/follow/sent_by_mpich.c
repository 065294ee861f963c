/* Of MPICH's device ch4:ucx what goes to other nodes: a function of UCX is called for every such message, those inside
 * collectives too. This definition of the executable goes before UCX's own (link with -rdynamic). Messages between
 * ranks of one node go through shared memory and are not seen: MPIR_CVAR_NUM_CLIQUES says what nodes there are to be.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void mca_common_monitoring_record_pml(int world_rank, size_t bytes, int tag); /* the probe's */

typedef void* send_function(void* endpoint, const void* buffer, size_t count, uint64_t tag, const void* parameters);

static void** endpoints; /* by rank; NULL: none yet, or on this node */
static int size, learning = -1;

static void record(void* endpoint, size_t bytes) {
  if (learning >= 0) endpoints[learning] = endpoint;
  for (int to = 0; to < size; ++to)
    if (endpoints[to] == endpoint) mca_common_monitoring_record_pml(to, bytes, 0);
}

static send_function* next(const char* name) {
  send_function* found = (send_function*)dlsym(RTLD_NEXT, name);
  if (found) return found;
  fprintf(stderr, "probe: expected a UCX with %s\n", name);
  abort();
}

void* ucp_tag_send_nbx(void* endpoint, const void* buffer, size_t count, uint64_t tag, const void* parameters) {
  record(endpoint, count);
  return next("ucp_tag_send_nbx")(endpoint, buffer, count, tag, parameters);
}

void* ucp_tag_send_sync_nbx(void* endpoint, const void* buffer, size_t count, uint64_t tag, const void* parameters) {
  record(endpoint, count);
  return next("ucp_tag_send_sync_nbx")(endpoint, buffer, count, tag, parameters);
}

/* Which endpoint leads to which rank. Returns whether a message to `neighbour` is seen. */
int learn_endpoints(int rank, int ranks, int neighbour) {
  size = ranks;
  endpoints = calloc((size_t)ranks, sizeof *endpoints);
  for (int step = 1; step < ranks; ++step) {
    learning = (rank + step) % ranks;
    MPI_Sendrecv(NULL, 0, MPI_BYTE, learning, 0, NULL, 0, MPI_BYTE, (rank + ranks - step) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  learning = -1;
  return endpoints[neighbour] != NULL;
}
