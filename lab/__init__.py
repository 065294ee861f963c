"""An emulated cluster on one Linux machine. Hosts and switches are network namespaces, cables are pairs of virtual
Ethernet devices, each direction held to its rate by a token bucket of one frame. Routes are static, those that Tutti's
own topology code computes. Nothing of a lab is ever in the machine's own network."""


class LabError(Exception):
    """Its text is one line for the user: what was expected, and what there is."""
