"""Selection tables against reality."""


class ValidationError(Exception):
    """Its text is one line for the user: what was expected, and what there is."""
