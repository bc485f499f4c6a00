"""How kernels are compiled."""

from functools import partial

import numba as nb

# Kernels release the interpreter lock and are kept between runs. They are only called from
# Python and from each other (no wrapper for C), and divide as NumPy does: a check of every
# divisor would keep loops from becoming vector instructions.
kernel = partial(nb.njit, nogil=True, cache=True, no_cfunc_wrapper=True, error_model="numpy")
