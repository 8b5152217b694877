"""Writes files of every type and layout, and what NumPy makes of each."""

import json, sys
import numpy as np
random = np.random.default_rng(7)
out = []
for kind in ['u4', 'i4', 'f4', 'f8', 'i8', 'u8', 'f2']:
    for order in '<>':
        for layout in 'CF':
            for shape in [(), (1,), (1013,), (31, 33), (7, 11, 13)]:
                if kind[0] == 'f':
                    a = np.asarray(1 + 0.02 * random.standard_normal(shape))
                    a = a * random.choice([-1, 1], shape)
                else:
                    info = np.iinfo(kind)
                    a = np.asarray(random.integers(info.min, info.max, shape, kind, endpoint=True)) | np.array(1, kind)
                a = np.asarray(a, dtype=order + kind, order=layout)
                file = '%s/%s-%s-%d.npy' % (sys.argv[1], kind, 'big' if order == '>' else 'little', len(out))
                np.save(file, a)
                out.append({
                    'file': file, 'dtype': kind, 'n': a.size, 'scale': np.mean(np.abs(a.astype('f8'))),
                    'sum': np.sum(a).item(), 'min': np.min(a).item(), 'max': np.max(a).item(),
                    'product': np.prod(a).item(), 'mean': np.mean(a).item(),
                })
print(json.dumps(out))
