"""Compiled functions: arrays in, arrays out, no Python objects, no threads of their own.

Arguments are marked IN, OUT, INOUT or SCRATCH. Every kernel has a plain NumPy counterpart in the
tests. Arrays that belong together are passed as plain tuples, in the order of the fields of a
named one: the type of a named tuple would tie cached kernels, which outlive an upgrade, to the
module of its class.

- `columns`: few features: nearest centers, routing and nearest landmarks, sums by label
- `rows`: many features: nearest centers and landmarks
- `split`: parts of rows, split by k-means
- `filter`: product of a sparse matrix with a block of vectors
- `sorting`: counting sort, the smallest values of rows
- `gram`: affinities of a chunk of rows; fixed-point Gram matrices of all members of a landmark set
- `labels`: base labels and embeddings from tables over landmarks
- `distinct`: distinct rows of a label matrix
- `co_association`: similarity of micro-clusters, from the base clusters they share
- `agglomerate`: hierarchical clustering of a distance matrix
- `prototypes`: k-means on label rows
- `trajectories`: random walks on a graph of micro-clusters
"""

import gc
import warnings
from contextlib import suppress
from functools import wraps

import numba as nb
from numba.core.caching import FunctionCache


class _Cache(FunctionCache):  # type: ignore[misc]
    """Compiled code on the disk; a file that cannot be read or written costs time only.

    Damaged files, a full disk or a folder that has become read-only raise errors of many kinds,
    from the first call of a kernel; the kernel is compiled anew instead.
    """

    def load_overload(self, sig, target_context):
        """Return what was compiled for a signature; None if there is nothing to be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig, data):
        """Keep what was compiled for a signature, if possible."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _warn_of_cache(f"{type(error).__name__}: {error}")


def kernel(**options):
    """Decorate a kernel; `options` are those of `numba.njit`.

    Kernels release the interpreter lock and are kept between runs. Leaving out the wrapper for C
    and the check of every divisor makes less to compile; no kernel divides by zero.
    """

    def decorate(function):
        compiled = nb.njit(nogil=True, no_cfunc_wrapper=True, error_model="numpy", **options)(
            function
        )
        compiled.compile = _without_collections(compiled.compile)
        try:
            compiled._cache = _Cache(function)
        except RuntimeError as error:  # there is no folder that can be written to
            _warn_of_cache(str(error).partition(" for file")[0])
        return compiled

    return decorate


def _without_collections(work):
    """The same work without the garbage collector, if it runs.

    Numba makes millions of objects, and collections while it does take a sixth of the time.
    """

    @wraps(work)
    def done(*args, **options):
        if not gc.isenabled():
            return work(*args, **options)
        gc.disable()
        try:
            return work(*args, **options)
        finally:
            gc.enable()

    return done


def _warn_of_cache(problem):
    warnings.warn(
        f"Compiled kernels cannot be kept for later runs ({problem}), so that each compiles them "
        "again, for 10 to 40 s. Set NUMBA_CACHE_DIR to a folder that can be written to.",
        stacklevel=2,
    )
