"""Selection tables against reality."""
