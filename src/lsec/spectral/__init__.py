"""The stages of the method, in the order in which rows pass through them.

sample -> landmarks -> neighbors -> affinity -> Gram -> eigenvectors -> base labels

Two sweeps over the row blocks do all that depends on the number of rows
(`generation`, `sweep`); everything between and after works on small things.
"""
