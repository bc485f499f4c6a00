"""Consensus: many base clusterings of the same rows are combined into one.

label matrix -> micro-clusters (distinct label rows with weights) -> consensus function
-> label of every micro-cluster -> label of every row.
"""
