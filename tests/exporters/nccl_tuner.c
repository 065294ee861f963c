// What NCCL's example tuner does to a table of costs, call by call, without a GPU. Compiled beside its source
// (plugins/tuner/example). Lines "COLLECTIVE BYTES NODES RANKS" on stdin; for each "ALGORITHM PROTOCOL", or "-".
#include "plugin.c"

static ncclFunc_t function_named(const char* name) {
  const char* names[] = {"bcast", "reduce", "allgather", "reduce_scatter_block", "allreduce"};
  for (int i = 0; i < NCCL_NUM_FUNCTIONS; ++i)
    if (strcmp(name, names[i]) == 0) return (ncclFunc_t)i;
  fprintf(stderr, "NCCL has no %s\n", name);
  exit(1);
}

int main(void) {
  char collective[32];
  size_t bytes, nodes, ranks;
  while (scanf("%31s %zu %zu %zu", collective, &bytes, &nodes, &ranks) == 4) {
    float costs[NCCL_NUM_ALGORITHMS][NCCL_NUM_PROTOCOLS];
    for (int a = 0; a < NCCL_NUM_ALGORITHMS; ++a)
      for (int p = 0; p < NCCL_NUM_PROTOCOLS; ++p) costs[a][p] = 1.0f;
    void* context = NULL;
    int channels = 0;
    if (ncclTunerPlugin_v5.init(&context, 0, ranks, nodes, NULL, NULL, NULL) != ncclSuccess ||
        ncclTunerPlugin_v5.getCollInfo(context, function_named(collective), bytes, 1, (float**)costs,
                                       NCCL_NUM_ALGORITHMS, NCCL_NUM_PROTOCOLS, 0, &channels) != ncclSuccess) {
      fprintf(stderr, "the tuner refuses a %s of %zu bytes\n", collective, bytes);
      return 1;
    }
    ncclTunerPlugin_v5.finalize(context);
    const char *algorithm = "-", *protocol = "";
    for (int a = 0; a < NCCL_NUM_ALGORITHMS; ++a)
      for (int p = 0; p < NCCL_NUM_PROTOCOLS; ++p)
        if (costs[a][p] == 0.0f) algorithm = algorithmToString(a), protocol = protocolToString(p);
    printf("%s %s\n", algorithm, protocol);
  }
  return 0;
}
