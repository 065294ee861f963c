/* What an MPI library sends: runs the calls of a plan and prints, for each, the messages and bytes from rank to rank.
 *
 * usage: probe PLAN, under mpirun. PLAN has one call per line:
 *   COLLECTIVE RANKS COUNT TYPE OPERATOR ROOT [VARIABLE=VALUE ...]
 * RANKS: the first so many ranks make the call, on a communicator of their own. COUNT: the count argument (of
 * reduce_scatter: the whole vector, its remainder spread over the first ranks). TYPE: byte or int. OPERATOR: sum, or
 * user for one that does not commute. VARIABLE=VALUE: control variables (MPI_T) of the library that hold for the call.
 *
 * Prints one line per call: its number from 0 on, then FROM>TO:MESSAGES:BYTES for every pair that exchanged something.
 *
 * Open MPI's component pml_monitoring reports every message that the library sends, those inside collectives too, to
 * mca_common_monitoring_record_pml. The probe defines that function itself (link with -rdynamic), so that it sees each
 * message of each call. The performance variables that should tell the same are invalid in 4.1.4. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
  char collective[32], type[8], operator[8];
  char settings[256];
  int ranks, count, root;
};

static void fail(const char *what, const char *name) {
  fprintf(stderr, "probe: %s %s\n", what, name);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* What this rank sent since the last look: messages to each rank, then bytes to each. */
static unsigned long long *sent;
static int size;

void mca_common_monitoring_record_pml(int world_rank, size_t bytes, int tag) {
  (void)tag;
  if (!sent) return;
  ++sent[world_rank];
  sent[size + world_rank] += bytes;
}

/* Returns the variable's old value. */
static int exchange_variable(const char *name, int value) {
  MPI_T_cvar_handle handle;
  int index, elements, old;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) fail("no control variable", name);
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &elements) != MPI_SUCCESS || elements != 1 ||
      MPI_T_cvar_read(handle, &old) != MPI_SUCCESS || MPI_T_cvar_write(handle, &value) != MPI_SUCCESS)
    fail("cannot set", name);
  MPI_T_cvar_handle_free(&handle);
  return old;
}

/* Sets the variables that the settings name and puts what they were into them, so that a second time undoes it. */
static void exchange_settings(char *settings) {
  char copy[2 * sizeof((struct call *)0)->settings], *rest = copy, *word, *out = settings;
  strcpy(copy, settings);
  while ((word = strtok_r(rest, " ", &rest))) {
    char *equals = strchr(word, '=');
    if (!equals) fail("expected VARIABLE=VALUE, found", word);
    *equals = 0;
    out += sprintf(out, "%s=%d ", word, exchange_variable(word, atoi(equals + 1)));
  }
}

/* Keeps the left operand: associative, does not commute. */
static void keep_left(void *left, void *right, int *count, MPI_Datatype *type) {
  int size;
  MPI_Type_size(*type, &size);
  memcpy(right, left, (size_t)*count * (size_t)size);
}

static void run(const struct call *call, MPI_Comm comm, char *in, char *out, int *counts, MPI_Op keep) {
  const MPI_Datatype type = strcmp(call->type, "int") ? MPI_BYTE : MPI_INT;
  const MPI_Op op = strcmp(call->operator, "user") ? MPI_SUM : keep;
  const char *name = call->collective;
  const int n = call->count, root = call->root;
  if (!strcmp(name, "barrier")) MPI_Barrier(comm);
  else if (!strcmp(name, "bcast")) MPI_Bcast(in, n, type, root, comm);
  else if (!strcmp(name, "reduce")) MPI_Reduce(in, out, n, type, op, root, comm);
  else if (!strcmp(name, "allreduce")) MPI_Allreduce(in, out, n, type, op, comm);
  else if (!strcmp(name, "scan")) MPI_Scan(in, out, n, type, op, comm);
  else if (!strcmp(name, "exscan")) MPI_Exscan(in, out, n, type, op, comm);
  else if (!strcmp(name, "reduce_scatter")) MPI_Reduce_scatter(in, out, counts, type, op, comm);
  else if (!strcmp(name, "reduce_scatter_block")) MPI_Reduce_scatter_block(in, out, n, type, op, comm);
  else if (!strcmp(name, "gather")) MPI_Gather(in, n, type, out, n, type, root, comm);
  else if (!strcmp(name, "scatter")) MPI_Scatter(in, n, type, out, n, type, root, comm);
  else if (!strcmp(name, "allgather")) MPI_Allgather(in, n, type, out, n, type, comm);
  else if (!strcmp(name, "alltoall")) MPI_Alltoall(in, n, type, out, n, type, comm);
  else fail("unknown collective", name);
}

static struct call *read_plan(const char *path, int *calls) {
  FILE *file = fopen(path, "r");
  struct call *plan = NULL;
  char line[512];
  if (!file) fail("cannot read", path);
  *calls = 0;
  while (fgets(line, sizeof line, file)) {
    struct call call = {0};
    int used = 0;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%31s %d %d %7s %7s %d %n", call.collective, &call.ranks, &call.count, call.type, call.operator,
               &call.root, &used) < 6 || strlen(line + used) >= sizeof call.settings)
      fail("not a call:", line);
    strcpy(call.settings, line + used);
    plan = realloc(plan, (size_t)(*calls + 1) * sizeof *plan);
    plan[(*calls)++] = call;
  }
  fclose(file);
  return plan;
}

/* Zeroes what was sent; on rank 0, `all` becomes what every rank had sent. */
static void collect(unsigned long long *all) {
  unsigned long long *mine = malloc((size_t)size * 2 * sizeof *mine);
  memcpy(mine, sent, (size_t)size * 2 * sizeof *mine);
  MPI_Gather(mine, size * 2, MPI_UNSIGNED_LONG_LONG, all, size * 2, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  free(mine);
}

static void forget(void) { memset(sent, 0, (size_t)size * 2 * sizeof *sent); }

static void print(int call, const unsigned long long *all) {
  printf("%d", call);
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to) {
      const unsigned long long *row = all + (size_t)from * (size_t)size * 2;
      if (row[to]) printf(" %d>%d:%llu:%llu", from, to, row[to], row[size + to]);
    }
  putchar('\n');
}

int main(int argc, char **argv) {
  int rank, calls, provided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2) fail("usage: probe PLAN, found", "other arguments");
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) fail("cannot start", "MPI_T");
  sent = calloc((size_t)size * 2, sizeof *sent);
  unsigned long long *all = calloc((size_t)size * (size_t)size * 2, sizeof *all);
  MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + 1) % size, 0, NULL, 0, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (sent[(rank + 1) % size] != 1) fail("not told what the library sends: is pml_monitoring_enable 1?", "");

  struct call *plan = read_plan(argv[1], &calls);
  size_t most = 1;
  for (int i = 0; i < calls; ++i) {
    const size_t bytes = (size_t)plan[i].count * 4 * (size_t)plan[i].ranks;
    if (plan[i].ranks < 1 || plan[i].ranks > size) fail("not that many ranks for", plan[i].collective);
    if (bytes > most) most = bytes;
  }
  char *in = calloc(most, 1), *out = calloc(most, 1);
  int *counts = malloc((size_t)size * sizeof *counts);
  if (!sent || !all || !in || !out || !counts) fail("no memory for", "the buffers");
  MPI_Op keep;
  MPI_Op_create(keep_left, 0, &keep);

  MPI_Comm comm = MPI_COMM_NULL;
  char settings[2 * sizeof plan->settings] = "";
  for (int i = 0; i < calls; ++i) {
    const struct call *call = &plan[i];
    if (i == 0 || call->ranks != call[-1].ranks || strcmp(call->settings, call[-1].settings)) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
      exchange_settings(settings); /* back to what they were */
      strcpy(settings, call->settings);
      exchange_settings(settings); /* the library reads some when a communicator is made, some in the call */
      MPI_Comm_split(MPI_COMM_WORLD, rank < call->ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    }
    for (int r = 0; r < call->ranks; ++r) counts[r] = call->count / call->ranks + (r < call->count % call->ranks);
    forget();
    if (rank < call->ranks) run(call, comm, in, out, counts, keep);
    collect(all);
    if (rank == 0) print(i, all);
  }
  MPI_Finalize();
  return 0;
}
