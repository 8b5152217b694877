"""Asserts that an array has the type, the shape and the values that NumPy itself gives."""

import sys
import numpy as np
a, got = np.load(sys.argv[1]), np.load(sys.argv[2])
want = {'sum': np.sum, 'std': np.std, 'arg-max': np.argmax, 'any': np.any, 'count': np.count_nonzero}[sys.argv[3]](a, axis=int(sys.argv[4]))
assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
assert np.allclose(got, want), (got, want)
