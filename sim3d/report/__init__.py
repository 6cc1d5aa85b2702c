"""A Report as people and programs want it."""
