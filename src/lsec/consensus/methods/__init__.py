"""Consensus functions: one file per function, each with its paper."""
