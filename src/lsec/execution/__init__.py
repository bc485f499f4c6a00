"""Runs block functions over blocks, on one pool of threads, and reports progress."""
