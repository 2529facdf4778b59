"""Makes errors in a copy of the package, one at a time, and says which of them the tests find.

    python tools/mutants.py                 every mutant
    python tools/mutants.py rows loader     those with one of these words in the path of their file

First run the tests that are near, then `python -m pytest`, as a developer types it: a mutant that passes both survives.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 900  # seconds; a loop that never ends is found, too
CONFORMANCE = 'keras_backend/conformance/'
# The start of a path -> the tests that are near. All others: the conformance tests.
NEAR = {
    'config/': ['tests/config'],
    'graph/primitives/': [
        CONFORMANCE + 'test_gradient_table.py',
        CONFORMANCE + 'test_gradients.py',
        'tests/user_module',
        'tests/graph',
    ],
    'graph/': ['tests/graph', CONFORMANCE + 'test_rnn.py', CONFORMANCE + 'test_lookups.py'],
    'kernels/': [
        'tests/kernels',
        'tests/graph/test_row_updates.py',
        CONFORMANCE + 'test_random.py',
        CONFORMANCE + 'test_lookups.py',
    ],
    'dtypes': ['tests/front/test_promotion.py'],
    'engines/': [CONFORMANCE + 'test_sparse.py'],
    'loader': ['tests/package/test_loader.py'],
    'front/nn': [CONFORMANCE + 'test_losses.py', CONFORMANCE + 'test_nn.py', CONFORMANCE + 'test_relu.py'],
    'front/loops': [CONFORMANCE + 'test_rnn.py'],
}
# file, text that occurs once in it, wrong text
MUTANTS = [
    ('kernels/rows.py', 'return None, function(x, sums)', 'return None, function(sums, x)'),
    ('kernels/rows.py', 'whole = function(x, rest)', 'whole = function(x, -rest)'),
    ('kernels/rows.py', 'result = copy(x) if out is None else out', 'result = x if out is None else out'),
    ('kernels/conv.py', 'start = (n * geo.out[0] + r) * row', 'start = (n * geo.out[0] + r + 1) * row'),
    ('kernels/windows.py', 'all(k == s == 1 for k, s in', 'all(k == 1 for k, s in'),
    ('kernels/windows.py', 'k <= s for _n, k, s, d in axes)', 'k <= s + 1 for _n, k, s, d in axes)'),
    ('kernels/windows.py', 'first = max(-((o - lo) // s), 0)', 'first = max(-((o - lo) // s), 1)'),
    ('kernels/pool.py', 'return -np.inf', 'return 0.0'),
    ('kernels/depthwise.py', 'if multiplier == 1:\n        return np', 'if multiplier >= 1:\n        return np'),
    ('kernels/ctc.py', 'counts & (best != classes - 1)', 'counts & (best != classes)'),
    ('kernels/ctc.py', 'label != path[i - 1]]', 'label != path[i - 2]]'),
    ('kernels/reduction.py', "(x.reshape(-1, x.shape[-1]).T, order='C'), 0)", "(x.reshape(-1, x.shape[-1]), order='C'), 0)"),
    ('kernels/reduction.py', 'return _softmax(x, (axis % x.ndim,))', 'return _softmax(x, (x.ndim - 1,))'),
    ('kernels/shape.py', 'axis + rank + 1) + (None,)', 'axis + rank) + (None,)'),
    ('kernels/shape.py', 'slice(start, start + g.shape[axis])', 'slice(0, g.shape[axis])'),
    ('kernels/linalg.py', 'pairs = sorted(zip(axes_x, axes_y))', 'pairs = list(zip(sorted(axes_x), sorted(axes_y)))'),
    ('kernels/elementwise.py', 'np.log1p(np.exp(-np.abs(x)))', 'np.log(1 + np.exp(-np.abs(x)))'),
    ('kernels/elementwise.py', 'return g * (one - d)', 'return g * (one + d)'),
    ('kernels/random.py', 'counter[2], counter[3] = number, step', 'counter[2], counter[3] = number, 0'),
    ('kernels/random.py', 'seed >> 64 & _WORD', '0'),
    ('graph/primitives/elementwise.py', "('cos', lambda F, x, y, g: -g * F.sin(x))", "('cos', lambda F, x, y, g: g * F.sin(x))"),
    ('graph/primitives/elementwise.py', 'return h * g * (1 - 2 * y), F', 'return h * g * (1 - y), F'),
    ('graph/primitives/elementwise.py', "('sub', lambda F, x, y, z, g: (lambda: g, lambda: -g)", "('sub', lambda F, x, y, z, g: (lambda: g, lambda: g)"),
    ('graph/primitives/elementwise.py', 'positive = F.greater(x, zero)', 'positive = F.greater(a, zero)'),
    ('graph/primitives/reduction.py', 'F.less_equal(i, k)', 'F.less(i, k)'),
    ('graph/primitives/reduction.py', 'rest = [i for i in range(len(x.dims)) if i not in axes]', 'rest = [i for i in range(len(x.dims)) if i in axes]'),
    ('graph/primitives/linalg.py', 'for j in sorted(axes_y)]', 'for j in axes_y]'),
    ('graph/primitives/linalg.py', 'return F.matmul(y, g, transpose_x=ty, transpose_y=True)', 'return F.matmul(y, g, transpose_x=not ty, transpose_y=True)'),
    ('graph/differentiate/gradient.py', 'g if before is None else before + g', 'g'),
    ('graph/differentiate/gradient.py', 'not scan.reverse, session.name', 'scan.reverse, session.name'),
    ('graph/run/lowering.py', 'fed = [t for t in self.program.inputs if t.id in self.program.used]', 'fed = []'),
    ('graph/nodes/traversal.py', 'if tensor.id in seen.inside or tensor.id in seen.outside:', 'if tensor.id in seen.outside:'),
    ('graph/run/python.py', """lines.append(f'{" = ".join(spent)} = None')""", 'pass'),
    ('graph/run/python.py', "lines += [f'{collected}.reverse()'", "lines += [f'{collected}'"),
    ('graph/nodes/tensor.py', 'is not known while the graph is built. {misuse.LENGTH}.', 'is not known.'),
    ('graph/run/row_updates.py', 'if x is not None and y is not None:', 'if x is not None or y is not None:'),
    ('front/nn.py', 'if axis in (-1, (self.library.rank(x) or 0) - 1):', 'if True:'),
    ('front/nn.py', 'max_value is None and threshold == 0', 'threshold == 0'),
    ('front/loops.py', 'if outputs and not zero_output else', 'if outputs else'),
    ('front/loops.py', 'new = [_selected(K, masks[t], n, s) for n, s in zip(new, states)]', 'new = list(new)'),
    ('front/shape.py', 'self.axis(tensors[0], axis, 1)', 'self.axis(tensors[0], axis)'),
    ('front/conv.py', 'perm=(0, self.rank + 1, *range(1, self.rank + 1))', 'perm=(0, *range(self.rank + 1, 0, -1))'),
    ('shapes.py', 'if not -ndim <= axis < ndim:', 'if not -ndim <= axis <= ndim:'),
    ('dtypes.py', "return joined if not joined.startswith('float') else 'int64'", 'return joined'),
    ('config/checks.py', 'if 0 < number < math.inf:', 'if 0 <= number < math.inf:'),
    ('config/checks.py', 'return name.lower() if name.lower() in ENGINES else name', 'return name.lower()'),
    ('config/__init__.py', 'return self._pinned or self._backend()', 'return self._backend()'),
    ('config/trust.py', "not in (os.getuid(), 0):\n        return f'the file", "in (os.getuid(), 0):\n        return f'the file"),
    ('loader.py', 'if not all(part.isidentifier() for part in', 'if not any(part.isidentifier() for part in'),
    ('loader.py', 'step = (own or steps)[-1]', 'step = (own or steps)[0]'),
    ('engines/numpy_backend/library.py', 'any(d is not None and d != n for', 'any(d is not None and d < n for'),
]  # fmt: skip


def copied(folder):
    """A copy of the files of the checkout."""
    names = subprocess.check_output(['git', 'ls-files', '-z'], cwd=ROOT).decode().split('\0')
    for name in filter(None, names):
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), target)
    return folder


def finds(copy, tests):
    """The first test that fails, or None."""
    command = [sys.executable, '-m', 'pytest', '-x', '-q', '-p', 'no:cacheprovider', *tests]
    try:
        done = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return 'it never ends'
    if not done.returncode:
        return None
    said = done.stdout.decode(errors='replace')
    return (re.findall(r'^(?:FAILED|ERROR) (\S+)', said, re.M) or [said[-200:]])[0]


def main(words):
    """Tries the mutants, prints a line for each, and returns 1 if one survives."""
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant[0] for word in words)]
    found, lost = {'near': 0, 'all': 0}, []
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(os.path.join(folder, 'a copy'))
        for name, right, wrong in chosen:
            path = os.path.join(copy, 'keras_backend', *name.split('/'))
            with open(path, encoding='utf-8') as stream:
                text = stream.read()
            if text.count(right) != 1:
                lost.append(f'{name}: {right!r} occurs {text.count(right)} times; correct the table')
                print(lost[-1], flush=True)
                continue
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(text.replace(right, wrong))
            near = next((NEAR[start] for start in NEAR if name.startswith(start)), [CONFORMANCE])
            started = time.time()
            for which, tests in (('near', near), ('all', [])):
                test = finds(copy, tests)
                if test:
                    found[which] += 1
                    break
            else:
                which = 'SURVIVES'
                lost.append(f'{name}: {right}')
            print(f'{which:8} {time.time() - started:6.1f} s  {name}: {right!r} -> {wrong!r}  {test or ""}', flush=True)
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(text)
    print(f'{len(chosen)} mutants: {found["near"]} found by near tests, {found["all"]} by all, {len(lost)} not found')
    return bool(lost)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
