"""Random draws: their shapes, dtypes and ranges, since the numbers of each library are its own."""

from .case import Topic

TOPIC = Topic()
add = TOPIC.add

CALLS = {
    'random_normal': ('(2, 3)', '[2, 3]', 'shape=(2,)', '(2, 3), 5., .1', '(2,), mean=1., stddev=2., dtype="float64", seed=3', '()', '(0, 2)', '(2,), dtype="float16"', '(2,), dtype="int32"', '(None, 2)', '2', '(2,), "a"', '(-1,)', '(2,), dtype="x"',
                      'K.shape(K.ones((2, 3)))', '(K.shape(K.ones((2, 3)))[0], 2)', '(2,), 0., 0.', '(2,), stddev=-1.', '(2,), seed="a"', 'np.array([2, 3])', '(2.5,)'),
    'random_uniform': ('(2, 3)', '[2, 3]', 'shape=(2,)', '(2, 3), 2., 3.', '(2,), minval=-1, maxval=1, dtype="float64", seed=3', '()', '(0, 2)', '(2,), dtype="float16"', '(2,), 0, 9, "int32"', '(2,), dtype="int32"', '(None, 2)', '2', '(2,), "a"', '(-1,)', '(2,), dtype="x"',
                       'K.shape(K.ones((2, 3)))', '(2,), 1., 0.', '(2,), 1., 1.', 'np.array([2, 3])'),
    'random_binomial': ('(2, 3)', '[2, 3]', 'shape=(2,)', '(2, 3), 1.', '(2,), p=.5, dtype="float64", seed=3', '()', '(0, 2)', '(2,), dtype="int32"', '(2,), .5, "float16"', '(None, 2)', '(2,), 2.', '(2,), -1.', '(2,), dtype="x"', 'K.shape(K.ones((2, 3)))', '(2,), 0.'),
    'truncated_normal': ('(2, 3)', '[2, 3]', 'shape=(2,)', '(2, 3), 5., .1', '(2,), mean=1., stddev=2., dtype="float64", seed=3', '()', '(0, 2)', '(2,), dtype="float16"', '(None, 2)', '2', '(2,), "a"', '(2,), dtype="x"', 'K.shape(K.ones((2, 3)))', '(2,), 0., 0.'),
}
for name, calls in CALLS.items():
    for call in calls:
        add(f'{name}/shape', f'r = K.{name}({call})\n[K.int_shape(r), K.dtype(r), K.eval(r).shape]')
    add(f'{name}/seed', f'K.is_tensor(K.{name}((2,)))', f'r = K.{name}((3,), seed=5)\nlen(set(K.eval(r).tolist()))' if name != 'random_binomial' else 'K.is_tensor(K.random_binomial((2,)))',
        f'f = K.function([], [K.{name}((8, 8))])\nbool((f([])[0] == f([])[0]).all())')
    add(f'{name}/gradient', f'x = K.variable(2.)\nK.int_shape(K.gradients(K.sum(K.{name}((3,)) * x), x)[0])')
add('random_normal/range', 'v = K.eval(K.random_normal((500,), 10., .1, seed=1))\nbool((v > 9).all() and (v < 11).all())', 'v = K.eval(K.random_normal((500,), seed=1))\nbool(abs(v.mean()) < .3 and .7 < v.std() < 1.3)')
add('random_uniform/range', 'v = K.eval(K.random_uniform((500,), 2, 3, seed=1))\nbool((v >= 2).all() and (v < 3).all())', 'v = K.eval(K.random_uniform((500,), 2, 5, "int32", seed=1))\nsorted(set(v.tolist()))',
    'v = K.eval(K.random_uniform((500,), seed=1))\nbool((v >= 0).all() and (v < 1).all())')
add('random_binomial/range', 'v = K.eval(K.random_binomial((500,), .5, seed=1))\nsorted(set(v.tolist()))', 'float(K.eval(K.random_binomial((50,), 1., seed=1)).mean())', 'float(K.eval(K.random_binomial((50,), 0., seed=1)).mean())', 'float(K.eval(K.random_binomial((50,), seed=1)).mean())')
add('truncated_normal/range', 'v = K.eval(K.truncated_normal((500,), 1., 2., seed=1))\nbool((abs(v - 1) <= 4.0001).all())')
for name, bounds in (('random_uniform_variable', '0, 1'), ('random_normal_variable', '0., 1.')):
    for call in (f'(2, 3), {bounds}', f'[2], {bounds}, "float64"', f'(2,), {bounds}, dtype="float16", seed=1', f'(2,), {bounds}, name="n"', f'(), {bounds}', f'(0, 2), {bounds}', f'(None,), {bounds}', '(2,)', f'(2,), {bounds}, dtype="x"', f'"a", {bounds}', f'2, {bounds}'):
        add(f'{name}/shape', f'r = K.{name}({call})\n[K.int_shape(r), K.dtype(r), K.eval(r).shape, K.is_variable(r)]')
    add(f'{name}/kept', f'r = K.{name}((3,), {bounds})\nbool((K.eval(r) == K.eval(r)).all())')
