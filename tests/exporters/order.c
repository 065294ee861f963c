/* order BYTES...: an allreduce of so many bytes each (ORDER_REDUCE_TO: a reduce to this rank), by an operator that
 * writes down in which order it was applied (ORDER_COMMUTES=0: one that does not commute). Prints a line for each size:
 * what rank 0 or the root has of the first element. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kElement = 128 };

static void join(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    char *left = (char*)in + i * kElement, *right = (char*)inout + i * kElement, both[2 * kElement + 4];
    snprintf(both, sizeof both, "(%s%s)", left, right);
    both[kElement - 1] = 0;
    memcpy(right, both, kElement);
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype text;
  MPI_Type_contiguous(kElement, MPI_CHAR, &text);
  MPI_Type_commit(&text);
  MPI_Op op;
  const char *commutes = getenv("ORDER_COMMUTES"), *to = getenv("ORDER_REDUCE_TO");
  const int root = to ? atoi(to) : 0;
  MPI_Op_create(join, !commutes || atoi(commutes), &op);
  for (int i = 1; i < argc; ++i) {
    const int count = atoi(argv[i]) / kElement;
    char *in = calloc((size_t)count, kElement), *out = calloc((size_t)count, kElement);
    for (int k = 0; k < count; ++k) snprintf(in + k * kElement, kElement, "%d", rank);
    if (to)
      MPI_Reduce(in, out, count, text, op, root, MPI_COMM_WORLD);
    else
      MPI_Allreduce(in, out, count, text, op, MPI_COMM_WORLD);
    if (rank == root) printf("%s %s\n", argv[i], out);
    free(in);
    free(out);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&text);
  MPI_Finalize();
  return 0;
}
