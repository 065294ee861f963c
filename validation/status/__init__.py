"""tutti status of MPI jobs."""
