"""Writes arrays of every type, both orders and one to four dimensions, and what NumPy makes of each axis."""

import json, sys
import numpy as np
random = np.random.default_rng(11)
folder = sys.argv[1]
out = []

def answers(a, b, kind, axis):
    # Floats of 16 bits give 32-bit results here, hence more digits.
    x, y = (a.astype('f8'), b.astype('f8')) if kind[0] == 'f' else (a, b)
    wide = a.astype(object)
    f = a.astype('f8')
    found = {
        'sum': np.sum(x, axis), 'product': np.prod(x, axis), 'mean': np.mean(x, axis),
        'min': np.min(x, axis), 'max': np.max(x, axis),
        'min-max': np.stack([np.min(x, axis), np.max(x, axis)], -1),
        'arg-min': np.argmin(a, axis), 'arg-max': np.argmax(a, axis),
        'variance': np.var(f, axis), 'sample-variance': np.var(f, axis, ddof=1),
        'std': np.std(f, axis), 'sample-std': np.std(f, axis, ddof=1),
        'dot': np.sum(x * y, axis, dtype=x.dtype),
        'l2': np.linalg.norm(f, 2, axis), 'count': np.count_nonzero(a, axis),
        'any': np.any(a, axis), 'all': np.all(a, axis),
        'log-sum-exp': np.logaddexp.reduce(f, axis),
    }
    if kind[0] == 'f':
        found['l1'] = np.linalg.norm(f, 1, axis)
        found['max-norm'] = np.linalg.norm(f, np.inf, axis)
    else:
        found['l1'] = np.sum(np.abs(wide), axis)
        found['max-norm'] = np.max(np.abs(wide), axis)
        found['wide-sum'] = np.sum(wide, axis)
        found['and'] = np.bitwise_and.reduce(a, axis)
        found['or'] = np.bitwise_or.reduce(a, axis)
        found['xor'] = np.bitwise_xor.reduce(a, axis)
    return {op: np.asarray(value).tolist() for op, value in found.items()}

for kind in ['u4', 'i4', 'f4', 'f8', 'i8', 'u8', 'f2']:
    for layout in 'CF':
        for shape in [(23,), (7, 9), (4, 3, 5), (3, 4, 2, 5)]:
            def make():
                if kind[0] == 'f':
                    return np.asarray(random.uniform(0.5, 2, shape), dtype=kind, order=layout)
                info = np.iinfo(kind)
                a = random.integers(info.min, info.max, shape, kind, endpoint=True)
                return np.asarray(np.where(random.random(shape) < 0.1, 0, a).astype(kind), order=layout)
            a, b = make(), make()
            names = ['%s/%s-%d-%s.npy' % (folder, kind, len(out), which) for which in 'ab']
            np.save(names[0], a)
            np.save(names[1], b)
            axes = [answers(a, b, kind, axis) for axis in range(len(shape))]
            out.append({'files': names, 'dtype': kind, 'scale': float(np.mean(np.abs(a.astype('f8')))), 'axes': axes})
print(json.dumps(out))
