"""How kernels are compiled."""

from functools import partial

import numba as nb

# Kernels release the interpreter lock and are kept between runs. Leaving out the wrapper for C
# and the check of every divisor makes less to compile; no kernel divides by zero.
kernel = partial(nb.njit, nogil=True, cache=True, no_cfunc_wrapper=True, error_model="numpy")
