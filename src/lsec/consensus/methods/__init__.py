"""Consensus functions: one file per function, each with its paper, and the protocol they share."""
