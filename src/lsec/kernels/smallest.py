"""The smallest values of every row of a matrix."""

from lsec.kernels.compiled import kernel


@kernel()
def smallest_of_rows(values, index, smallest):
    """Smallest values of every row, ascending, and their columns; equal ones in their order.

    Most values are larger than the last one kept and take one comparison.

    IN values float64 (n, p); OUT index uint16 (n, c), smallest float64 (n, c), c <= p.
    """
    n, p = values.shape
    kept = index.shape[1]
    for i in range(n):
        row = values[i]
        best = smallest[i]
        columns = index[i]
        for j in range(p):
            value = row[j]
            if j >= kept and value >= best[kept - 1]:
                continue
            place = min(j, kept - 1)
            while place > 0 and best[place - 1] > value:
                best[place] = best[place - 1]
                columns[place] = columns[place - 1]
                place -= 1
            best[place] = value
            columns[place] = j
