"""Which measurements are worth node-hours, and what a table's choices may still lose after them."""
