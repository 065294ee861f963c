"""Measuring messages under an MPI, for tutti calibrate."""
