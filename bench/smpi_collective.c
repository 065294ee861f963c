/* One collective under SMPI: smpi_collective allgather|alltoall BYTES_PER_BLOCK. Buffers are folded: no data is
 * simulated. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[2]);
  char* in = SMPI_SHARED_MALLOC((size_t)bytes * size);
  char* out = SMPI_SHARED_MALLOC((size_t)bytes * size);
  const double start = MPI_Wtime();
  if (strcmp(argv[1], "allgather") == 0)
    MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
  else
    MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
  if (rank == 0) printf("%.3f us\n", (MPI_Wtime() - start) * 1e6);
  SMPI_SHARED_FREE(in);
  SMPI_SHARED_FREE(out);
  MPI_Finalize();
  return 0;
}
