/* What an MPI library sends: runs the calls of a plan and prints, for each, the messages and bytes from rank to rank.
 *
 * usage: probe --hosts, under mpirun: prints the host of each rank and the library that it runs, a line each, and
 *          nothing else.
 *        probe PLAN [--twice]: PLAN has one call per line:
 *   COLLECTIVE RANKS COUNT TYPE OPERATOR ROOT [VARIABLE=VALUE ...]
 * RANKS: the first so many ranks make the call, on a communicator of their own. COUNT: the count argument (of
 * reduce_scatter: the whole vector, its remainder spread over the first ranks). TYPE: byte, int, or text: elements of
 * 16 characters, the rank as a letter, which operators join. OPERATOR: sum, or user for one that does not commute.
 * VARIABLE=VALUE: control variables (MPI_T) of the library that hold for the call. --twice: each call is made twice,
 * and told of the second time.
 *
 * Every rank prints a line per call, rank 0 first: the call's number from 0 on, FROM>TO:MESSAGES:BYTES for every rank
 * that it sent to, and of texts RANK=ELEMENT*TIMES,... if it has a result: in which order contributions were joined.
 *
 * Open MPI's component pml_monitoring reports every message that the library sends, those inside collectives too, to
 * mca_common_monitoring_record_pml. The probe defines that function itself (link with -rdynamic), so that it sees each
 * message of each call. The performance variables that should tell the same are invalid in 4.1.4. The component
 * coll/monitoring, which comes with it, must be off: it puts itself before coll/han, which then cannot take itself out
 * of a communicator that it does not serve, and asks all ranks in every call. For MPICH, sent_by_mpich.c is linked with
 * it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
  char collective[32], type[8], op[8];
  char settings[256];
  int ranks, count, root;
};

static void fail(const char* what, const char* name) {
  fprintf(stderr, "probe: %s %s\n", what, name);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* What this rank sent since the last look: messages to each rank, then bytes to each. */
static unsigned long long* sent;
static int size;

void mca_common_monitoring_record_pml(int world_rank, size_t bytes, int tag) {
  (void)tag;
  if (!sent) return;
  ++sent[world_rank];
  sent[size + world_rank] += bytes;
}

/* Without coll/monitoring pml_monitoring looks its communicators up in a table that is not there when one is freed. */
int mca_common_monitoring_coll_cache_name(void* comm) {
  (void)comm;
  return MPI_SUCCESS;
}

/* Where it is linked: learns which messages go to which rank; whether those to `neighbour` are seen. */
__attribute__((weak)) int learn_endpoints(int rank, int ranks, int neighbour);

/* Returns the variable's old value. */
static int exchange_variable(const char* name, int value) {
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
static void exchange_settings(char* settings) {
  char copy[2 * sizeof((struct call*)0)->settings], *rest = copy, *word, *out = settings;
  strcpy(copy, settings);
  while ((word = strtok_r(rest, " ", &rest))) {
    char* equals = strchr(word, '=');
    if (!equals) fail("expected VARIABLE=VALUE, found", word);
    *equals = 0;
    out += sprintf(out, "%s=%d ", word, exchange_variable(word, atoi(equals + 1)));
  }
}

/* Keeps the left operand: associative, does not commute. */
static void keep_left(void* left, void* right, int* count, MPI_Datatype* type) {
  int size;
  MPI_Type_size(*type, &size);
  memcpy(right, left, (size_t)*count * (size_t)size);
}

#define TEXT 16

static void join(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    const char* first = (char*)left + i * TEXT;
    char* second = (char*)right + i * TEXT;
    char joined[2 * TEXT] = {0}; /* all of it is compared, beyond the text's end, too */
    snprintf(joined, sizeof joined, "%.15s%.15s", first, second);
    memcpy(second, joined, TEXT - 1);
  }
}

static int is(const char* a, const char* b) { return !strcmp(a, b); }
static size_t element_bytes(const struct call* call) {
  return is(call->type, "text") ? TEXT : is(call->type, "int") ? sizeof(int) : 1;
}

static MPI_Datatype text_type;
static MPI_Op keep_op, join_op, join_commuting_op;

static void make_types_and_operators(void) {
  MPI_Type_contiguous(TEXT, MPI_CHAR, &text_type);
  MPI_Type_commit(&text_type);
  MPI_Op_create(keep_left, 0, &keep_op);
  MPI_Op_create(join, 0, &join_op);
  MPI_Op_create(join, 1, &join_commuting_op);
}

/* Those that end in v, of equal blocks. */
static int run_v(const struct call* call, MPI_Comm comm, MPI_Datatype type, char* in, char* out) {
  const int n = call->count, ranks = call->ranks, root = call->root;
  int *counts = malloc((size_t)ranks * sizeof *counts), *places = malloc((size_t)ranks * sizeof *places);
  int status = MPI_ERR_OTHER;
  if (!counts || !places) fail("no memory for", "counts");
  for (int r = 0; r < ranks; ++r) counts[r] = n, places[r] = r * n;
  if (is(call->collective, "allgatherv")) status = MPI_Allgatherv(in, n, type, out, counts, places, type, comm);
  if (is(call->collective, "alltoallv"))
    status = MPI_Alltoallv(in, counts, places, type, out, counts, places, type, comm);
  if (is(call->collective, "gatherv")) status = MPI_Gatherv(in, n, type, out, counts, places, type, root, comm);
  if (is(call->collective, "scatterv")) status = MPI_Scatterv(in, counts, places, type, out, n, type, root, comm);
  free(counts);
  free(places);
  return status;
}

static int run(const struct call* call, MPI_Comm comm, char* in, char* out, int* counts) {
  const int ordered = is(call->op, "user"), text = is(call->type, "text");
  const MPI_Datatype type = text ? text_type : is(call->type, "int") ? MPI_INT : MPI_BYTE;
  const MPI_Op op = text ? (ordered ? join_op : join_commuting_op) : ordered ? keep_op : MPI_SUM;
  const char* name = call->collective;
  const int n = call->count, root = call->root;
  if (is(name, "barrier")) return MPI_Barrier(comm);
  if (is(name, "bcast")) return MPI_Bcast(in, n, type, root, comm);
  if (is(name, "reduce")) return MPI_Reduce(in, out, n, type, op, root, comm);
  if (is(name, "allreduce")) return MPI_Allreduce(in, out, n, type, op, comm);
  if (is(name, "scan")) return MPI_Scan(in, out, n, type, op, comm);
  if (is(name, "exscan")) return MPI_Exscan(in, out, n, type, op, comm);
  if (is(name, "reduce_scatter")) return MPI_Reduce_scatter(in, out, counts, type, op, comm);
  if (is(name, "reduce_scatter_block")) return MPI_Reduce_scatter_block(in, out, n, type, op, comm);
  if (is(name, "gather")) return MPI_Gather(in, n, type, out, n, type, root, comm);
  if (is(name, "scatter")) return MPI_Scatter(in, n, type, out, n, type, root, comm);
  if (is(name, "allgather")) return MPI_Allgather(in, n, type, out, n, type, comm);
  if (is(name, "alltoall")) return MPI_Alltoall(in, n, type, out, n, type, comm);
  if (is(name, "allgatherv") || is(name, "alltoallv") || is(name, "gatherv") || is(name, "scatterv"))
    return run_v(call, comm, type, in, out);
  fail("unknown collective", name);
  return MPI_ERR_OTHER;
}

static struct call* read_plan(const char* path, int* calls) {
  FILE* file = fopen(path, "r");
  struct call* plan = NULL;
  char line[512];
  if (!file) fail("cannot read", path);
  *calls = 0;
  while (fgets(line, sizeof line, file)) {
    struct call call = {0};
    int used = 0;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%31s %d %d %7s %7s %d %n", call.collective, &call.ranks, &call.count, call.type, call.op,
               &call.root, &used) < 6 ||
        strlen(line + used) >= sizeof call.settings)
      fail("not a call:", line);
    strcpy(call.settings, line + used);
    plan = realloc(plan, (size_t)(*calls + 1) * sizeof *plan);
    plan[(*calls)++] = call;
  }
  fclose(file);
  return plan;
}

/* How many elements of `out` the call gives to the rank. */
static int results(const struct call* call, int rank, const int* counts) {
  const char* name = call->collective;
  if (is(name, "reduce_scatter")) return counts[rank];
  if (is(name, "exscan") && rank == 0) return 0;
  if (is(name, "reduce") && rank != call->root) return 0;
  return call->count;
}

/* What the rank sent since `sent` was cleared, and the result, equal neighbours as one. */
static void describe(FILE* file, const struct call* call, int rank, const int* counts, const char* out) {
  for (int to = 0; to < size; ++to)
    if (sent[to]) fprintf(file, " %d>%d:%llu:%llu", rank, to, sent[to], sent[size + to]);
  const int n = is(call->type, "text") && rank < call->ranks ? results(call, rank, counts) : 0;
  if (n > 0) fprintf(file, " %d=", rank);
  for (int i = 0, same; i < n; i += same) {
    for (same = 1; i + same < n && !memcmp(out + i * TEXT, out + (i + same) * TEXT, TEXT);) ++same;
    fprintf(file, "%s%s*%d", i ? "," : "", out + i * TEXT, same);
  }
  fputc('\n', file);
}

/* Rank 0 prints the text of every rank. */
static void print_all(int rank, char* text, size_t length) {
  if (rank > 0) {
    MPI_Send(text, (int)length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  fwrite(text, 1, length, stdout);
  for (int other = 1; other < size; ++other) {
    MPI_Status status;
    int bytes;
    MPI_Probe(other, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    char* theirs = malloc((size_t)bytes);
    MPI_Recv(theirs, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fwrite(theirs, 1, (size_t)bytes, stdout);
    free(theirs);
  }
}

int main(int argc, char** argv) {
  int rank, calls, provided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int is_twice = argc == 3 && is(argv[2], "--twice"); /* some components talk in a communicator's first calls */
  if (argc != 2 + is_twice) fail("usage: probe PLAN [--twice], found", "other arguments");
  if (is(argv[1], "--hosts")) {
    char host[MPI_MAX_PROCESSOR_NAME + 1 + MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int letters, more;
    MPI_Get_processor_name(host, &letters);
    host[letters++] = ' ';
    MPI_Get_library_version(host + letters, &more);
    letters += (int)strcspn(host + letters, "\n"); /* of several lines the first */
    host[letters++] = '\n';
    print_all(rank, host, (size_t)letters);
    MPI_Finalize();
    return 0;
  }
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) fail("cannot start", "MPI_T");
  sent = calloc((size_t)size * 2, sizeof *sent);
  const int is_seen = !learn_endpoints || learn_endpoints(rank, size, (rank + 1) % size);
  memset(sent, 0, (size_t)size * 2 * sizeof *sent);
  MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + 1) % size, 0, NULL, 0, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (sent[(rank + 1) % size] != (unsigned)is_seen)
    fail("not told what the library sends: is pml_monitoring_enable 1?", "");

  struct call* plan = read_plan(argv[1], &calls);
  size_t most = 1;
  for (int i = 0; i < calls; ++i) {
    const size_t bytes = (size_t)plan[i].count * element_bytes(&plan[i]) * (size_t)plan[i].ranks;
    if (plan[i].ranks < 1 || plan[i].ranks > size) fail("not that many ranks for", plan[i].collective);
    if (bytes > most) most = bytes;
  }
  char *in = calloc(most, 1), *out = calloc(most, 1), *text;
  int* counts = malloc((size_t)size * sizeof *counts);
  size_t length;
  FILE* file =
      open_memstream(&text, &length); /* printed at the end: ranks that wait for nobody do not slow each other */
  if (!in || !out || !counts || !file) fail("no memory for", "the buffers");
  make_types_and_operators();

  MPI_Comm comm = MPI_COMM_NULL;
  char settings[2 * sizeof plan->settings] = "";
  for (int i = 0; i < calls; ++i) {
    const struct call* call = &plan[i];
    if (i == 0 || call->ranks != call[-1].ranks || strcmp(call->settings, call[-1].settings)) {
      if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
      exchange_settings(settings); /* back to what they were */
      strcpy(settings, call->settings);
      exchange_settings(settings); /* the library reads some when a communicator is made, some in the call */
      MPI_Comm_split(MPI_COMM_WORLD, rank < call->ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    }
    for (int r = 0; r < call->ranks; ++r) counts[r] = call->count / call->ranks + (r < call->count % call->ranks);
    const int is_text = is(call->type, "text");
    memset(in, 0, is_text ? most : 0);
    for (size_t k = 0; is_text && k < most; k += TEXT) in[k] = (char)('a' + rank);
    if (is_twice && rank < call->ranks && run(call, comm, in, out, counts) != MPI_SUCCESS)
      fail(call->collective, "is refused by the library");
    memset(sent, 0, (size_t)size * 2 * sizeof *sent);
    if (rank < call->ranks && run(call, comm, in, out, counts) != MPI_SUCCESS)
      fail(call->collective, "is refused by the library");
    fprintf(file, "%d", i);
    describe(file, call, rank, counts, out);
  }
  fclose(file);
  print_all(rank, text, length);
  MPI_Finalize();
  return 0;
}
