"""Asserts that an array has the type, the shape and the values that NumPy itself gives."""

import sys
import numpy as np
a, got = np.load(sys.argv[1]), np.load(sys.argv[2])
axes = tuple(range(a.ndim)) if sys.argv[4] == 'all' else tuple(map(int, sys.argv[4].split(',')))
axis = axes[0] if len(axes) == 1 else axes
keep = {'keepdims': True} if len(sys.argv) > 5 else {}
want = {'sum': np.sum, 'std': np.std, 'arg-max': np.argmax, 'any': np.any, 'count': np.count_nonzero}[sys.argv[3]](a, axis=axis, **keep)
assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
assert np.allclose(got, want), (got, want)
