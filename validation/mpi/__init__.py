"""A selection table against the user's own MPI: its default, the table, and the table's rivals, in turn."""


class ValidationError(Exception):
    """Its text is one line for the user: what was expected, and what there is."""
