"""The scikit-learn face: parameters, validation, fitted attributes; no maths.

Stages and kernels (and with them numba) are imported when an estimator is fitted.
"""
