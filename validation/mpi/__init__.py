"""A selection table against the user's own MPI: its default, the table, and the table's rivals, in turn."""
