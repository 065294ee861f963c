"""A selection table against reality, under the project's own runtime: its choices, their rivals and what MPI libraries would
pick, in turn."""
