# Compares a step of a grid with NumPy: the grid padded by the border's own mode, and its windows by the weights.
import sys

import numpy

grid, weights, boundary, result = sys.argv[1:]
name, _, value = boundary.partition("=")
mode = {"reflect": "symmetric", "mirror": "reflect", "wrap": "wrap", "constant": "constant"}[name]
grid, weights = numpy.load(grid), numpy.load(weights)
reach = weights.shape[0] // 2
more = {"constant_values": float(value)} if value else {}
windows = numpy.lib.stride_tricks.sliding_window_view(numpy.pad(grid, reach, mode, **more), weights.shape)
axes = tuple(range(grid.ndim, 2 * grid.ndim))
numpy.testing.assert_array_equal(numpy.load(result), (windows * weights).sum(axes))
