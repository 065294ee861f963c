/* Of a library that sends over TCP sockets (libfabric's tcp provider): every message of its is one call that sends,
 * those inside collectives too. These definitions of the executable go before the C library's (link with -rdynamic).
 * Which socket leads to which rank, and how many bytes the library puts before its own, is learned from messages of
 * nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

void mca_common_monitoring_record_pml(int world_rank, size_t bytes, int tag); /* the probe's */

#define SOCKETS 65536

static int rank_plus_1[SOCKETS]; /* by socket; 0: leads to none */
static int learning = -1;
static ssize_t header = -1; /* bytes of a message of nothing */

static ssize_t record(int socket, ssize_t bytes) {
  if (bytes < 0 || socket < 0 || socket >= SOCKETS) return bytes;
  if (learning >= 0) {
    rank_plus_1[socket] = learning + 1;
    header = bytes;
  } else if (rank_plus_1[socket] && header >= 0) {
    if (bytes < header) {
      fprintf(stderr, "probe: expected a message a call, found one of %zd bytes\n", bytes);
      abort();
    }
    mca_common_monitoring_record_pml(rank_plus_1[socket] - 1, (size_t)(bytes - header), 0);
  }
  return bytes;
}

static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  fprintf(stderr, "probe: expected a C library with %s\n", name);
  abort();
}

ssize_t sendmsg(int socket, const struct msghdr* message, int flags) {
  typedef ssize_t function(int, const struct msghdr*, int);
  return record(socket, ((function*)next("sendmsg"))(socket, message, flags));
}

ssize_t send(int socket, const void* buffer, size_t bytes, int flags) {
  typedef ssize_t function(int, const void*, size_t, int);
  return record(socket, ((function*)next("send"))(socket, buffer, bytes, flags));
}

ssize_t writev(int socket, const struct iovec* parts, int count) {
  typedef ssize_t function(int, const struct iovec*, int);
  return record(socket, ((function*)next("writev"))(socket, parts, count));
}

/* Returns whether a message to `neighbour` is seen. The first round connects, which takes messages of its own. */
int learn_endpoints(int rank, int ranks, int neighbour) {
  for (int round = 0; round < 2; ++round) {
    for (int step = 1; step < ranks; ++step) {
      const int to = (rank + step) % ranks, from = (rank + ranks - step) % ranks;
      learning = round == 1 ? to : -1;
      MPI_Sendrecv(NULL, 0, MPI_BYTE, to, 0, NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  learning = -1;
  for (int socket = 0; socket < SOCKETS; ++socket)
    if (rank_plus_1[socket] == neighbour + 1) return 1;
  return 0;
}
