"""Functions of each element, comparisons, and the operators of tensors."""

from .case import DTYPES, FLOATS, Topic, array, batch, constant, data_of, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add

UNARY = ['square', 'abs', 'sqrt', 'exp', 'log', 'round', 'sign', 'sin', 'cos', 'sigmoid', 'tanh', 'softplus', 'softsign',
         'hard_sigmoid', 'elu', 'relu', 'identity', 'stop_gradient']
for name in UNARY:
    data = 'positive' if name in ('sqrt', 'log') else 'normal'
    call = f'K.{name}(x)'
    for made in (variable, constant, fed, batch, unknown, array):
        add(f'{name}/made', call, x=made((2, 3), data))
    for dtype in DTYPES:
        add(f'{name}/{dtype}', call, x=fed((4,), data_of(dtype, data), dtype))
    add(f'{name}/scalar', call, x=variable((), data))
    add(f'{name}/empty', call, x=variable((0, 2), data))
    add(f'{name}/rank', call, x=variable((1, 2, 1, 2, 1), data))
    add(f'{name}/edges', call, x=variable((17,), 'edges'))
    add(f'{name}/edges64', call, x=fed((17,), 'edges', 'float64'))
    add(f'{name}/large', call, x=variable((4,), 'large'), gradient=False)
    add(f'{name}/halves', call, x=variable((6,), 'halves'))
    add(f'{name}/list', f'K.{name}([1., 2.5])', f'K.{name}((1., .5))', f'K.{name}(2.)', f'K.{name}(2)', f'K.{name}(True)')
    add(f'{name}/list', f'K.{name}([x, x])', x=variable((2,), data))
    add(f'{name}/errors', f'K.{name}(None)', f"K.{name}('text')", f'K.{name}()', f'K.{name}([[1.], [2., 3.]])')
    add(f'{name}/twice', f'K.{name}(K.{name}(x))', f'K.sum(K.{name}(x) * x)', x=fed((3,), data))
    add(f'{name}/second', f'K.gradients(K.sum(K.square(K.gradients(K.sum(K.{name}(x)), x)[0])), x)', x=fed((3,), data), gradient=False)

COMPARISONS = ['equal', 'not_equal', 'greater', 'greater_equal', 'less', 'less_equal', 'maximum', 'minimum']
for name in COMPARISONS:
    call = f'K.{name}(x, y)'
    add(f'{name}/made', call, x=variable((2, 3), 'ties'), y=variable((2, 3), 'ties'))
    add(f'{name}/made', call, x=fed((2, 3), 'ties'), y=constant((2, 3), 'ties'))
    add(f'{name}/made', call, x=unknown((2, 3), 'ties'), y=unknown((2, 3), 'ties'))
    add(f'{name}/made', call, x=batch((2, 3), 'ties'), y=fed((2, 3), 'ties'))
    add(f'{name}/broadcast', call, x=variable((2, 3), 'ties'), y=variable((3,), 'ties'))
    add(f'{name}/broadcast', call, x=variable((2, 1), 'ties'), y=fed((1, 3), 'ties'))
    add(f'{name}/broadcast', call, x=unknown((2, 1), 'ties'), y=unknown((3,), 'ties'))
    add(f'{name}/broadcast', call, x=batch((1, 3), 'ties'), y=batch((2, 1), 'ties'))
    add(f'{name}/broadcast', call, x=variable((), 'ties'), y=fed((0, 2), 'ties'))
    add(f'{name}/number', f'K.{name}(x, 0.)', f'K.{name}(x, 1)', f'K.{name}(0., x)', f'K.{name}(x, [0., 1., -1.])', f'K.{name}(x, True)',
        f'K.{name}(x, np.float64(1.))', f'K.{name}(x, .5)', x=variable((2, 3), 'ties'))
    add(f'{name}/number', f'K.{name}(1., 2.)', f'K.{name}([1, 2], [2, 1])')
    add(f'{name}/array', call, x=variable((2, 3), 'ties'), y=array((2, 3), 'ties'))
    add(f'{name}/array', call, x=array((2, 3), 'ties', 'float64'), y=variable((2, 3), 'ties'))
    add(f'{name}/array', call, x=array((2, 3), 'ties'), y=array((2, 3), 'ties'))
    for dtype in DTYPES:
        add(f'{name}/{dtype}', call, x=variable((4,), data_of(dtype, 'ties'), dtype), y=fed((4,), data_of(dtype, 'ties'), dtype))
        add(f'{name}/{dtype}', f'K.{name}(x, 1)', x=variable((4,), data_of(dtype, 'ties'), dtype))
    add(f'{name}/mixed', call, x=variable((3,), 'ties', 'int32'), y=variable((3,), 'ties'))
    add(f'{name}/mixed', f'K.{name}(x, .5)', x=variable((3,), 'ties', 'int32'))
    add(f'{name}/edges', call, x=variable((17,), 'edges'), y=constant((17,), 'zero'), gradient=False)
    add(f'{name}/edges', call, x=variable((17,), 'edges'), y=constant((17,), 'edges'), gradient=False)
    add(f'{name}/errors', call, x=variable((2, 3)), y=variable((2, 2)))
    add(f'{name}/errors', f'K.{name}(x, None)', f"K.{name}(x, 'a')", f'K.{name}(x)', x=variable((2, 3)))
    add(f'{name}/errors', call, x=unknown((2, 3)), y=unknown((2, 2)))

for a in ('2', '2.', '.5', '-1', '0', '3', '-2.', '1'):
    add('pow/number', f'K.pow(x, {a})', x=variable((2, 2), 'positive'))
add('pow/negative', 'K.pow(x, 2)', 'K.pow(x, 3.)', 'K.pow(x, .5)', 'K.pow(x, 0)', x=variable((3,), [-2.0, -0.5, 1.5]))
add('pow/zero', 'K.pow(x, 2.)', 'K.pow(x, 1.)', 'K.pow(x, 0.)', 'K.pow(x, -1.)', x=variable((2,), 'zero'), gradient=False)
for dtype in DTYPES:
    add(f'pow/{dtype}', 'K.pow(x, 2)', 'K.pow(x, 0)', x=variable((3,), data_of(dtype, 'positive'), dtype))
add('pow/tensor', 'K.pow(x, y)', x=variable((2, 3), 'positive'), y=variable((3,)))
add('pow/tensor', 'K.pow(x, y)', x=unknown((2, 1), 'positive'), y=fed((3,)))
add('pow/tensor', 'K.pow(2., x)', 'K.pow(x, x)', 'K.pow(x, [1., 2., 3.])', x=fed((3,), 'positive'))
add('pow/errors', "K.pow(x, 'a')", 'K.pow(x, None)', 'K.pow(x, [1., 2.])', 'K.pow(x)', x=fed((3,), 'positive'))
add('pow/edges', 'K.pow(x, 2.)', 'K.pow(x, -1.)', x=variable((17,), 'edges'), gradient=False)

for bounds in ('-.5, .5', '-1, 1', '0., 1.', '0, None', 'None, 1.', 'None, None', '1., -1.', '.5, .5', 'min_value=-1., max_value=1.',
               'float("-inf"), .5', '-.5, float("inf")', '0, np.inf', 'np.float32(0), np.float64(1)', 'K.variable(-.5), K.constant(.5)',
               'K.constant([0., .1, .2]), 1.', '[0., .1, .2], [1., 1., 1.]', '0., float("nan")', '"a", 1.', '0.', '-1., max_value=None'):
    add('clip/bounds', f'K.clip(x, {bounds})', x=variable((2, 3)))
    add('clip/int', f'K.clip(x, {bounds})', x=variable((2, 3), 'integer', 'int32'))
for made in (variable, constant, fed, batch, unknown, array):
    add('clip/made', 'K.clip(x, -.5, .5)', x=made((2, 3)))
for dtype in DTYPES:
    add(f'clip/{dtype}', 'K.clip(x, 0, 1)', 'K.clip(x, -1., 1.)', x=fed((4,), data_of(dtype), dtype))
add('clip/edges', 'K.clip(x, -1., 1.)', 'K.clip(x, 0., np.inf)', x=variable((17,), 'edges'))
add('clip/ties', 'K.clip(x, -1., 1.)', 'K.clip(x, 0., 1.)', x=variable((2, 4), 'ties'))
add('clip/list', 'K.clip([1., 3.], 0., 2.)', 'K.clip(3., 0., 2.)', 'K.clip(3, 0, 2)')

OPERATORS = ['+', '-', '*', '/', '**', '//', '%', '<', '>', '<=', '>=']
for sign in OPERATORS:
    word = {'+': 'add', '-': 'sub', '*': 'mul', '/': 'div', '**': 'pow', '//': 'floordiv', '%': 'mod', '<': 'lt', '>': 'gt', '<=': 'le', '>=': 'ge'}[sign]
    kind = 'positive' if sign in ('**', '//', '%') else 'normal'
    add(f'operator/{word}', f'x {sign} y', x=variable((2, 3), kind), y=variable((2, 3), kind), gradient=sign not in ('//', '%'))
    add(f'operator/{word}', f'x {sign} y', x=fed((2, 1), kind), y=unknown((3,), kind), gradient=sign not in ('//', '%'))
    add(f'operator/{word}', f'x {sign} y', x=batch((2, 3), kind), y=fed((1, 3), kind), gradient=sign not in ('//', '%'))
    add(f'operator/{word}', f'x {sign} 2', f'x {sign} 1.5', f'2 {sign} x', f'1.5 {sign} x', f'x {sign} [1., 2., 3.]', f'[1., 2., 3.] {sign} x',
        f'x {sign} np.float32(2)', f'x {sign} np.array([1., 2., 3.])', f'x {sign} (1., 2., 3.)', x=fed((2, 3), kind), gradient=sign not in ('//', '%'))
    for dtype in DTYPES:
        add(f'operator/{word}_{dtype}', f'x {sign} y', x=variable((3,), data_of(dtype, kind), dtype), y=fed((3,), [1, 2, 1] if dtype != 'bool' else [1, 1, 1], dtype),
            gradient=sign not in ('//', '%'))
    add(f'operator/{word}_mixed', f'x {sign} y', x=variable((3,), kind), y=variable((3,), [1, 2, 1], 'int32'))
    add(f'operator/{word}_mixed', f'x {sign} 2', f'x {sign} .5', f'2 {sign} x', f'x {sign} np.int64(2)', x=variable((3,), [1, 2, 3], 'int32'))
    add(f'operator/{word}_mixed', f'x {sign} y', x=variable((3,), kind), y=variable((3,), kind, 'float64'))
    add(f'operator/{word}_array', f'x {sign} y', f'y {sign} x', x=variable((3,), kind), y=array((3,), kind))
    add(f'operator/{word}_array', f'x {sign} y', f'y {sign} x', x=fed((2, 3), kind), y=array((3,), kind, 'float64'))
    add(f'operator/{word}_errors', f'x {sign} None', f"x {sign} 'a'", x=fed((2, 3), kind))
    add(f'operator/{word}_errors', f'x {sign} y', x=fed((2, 3), kind), y=fed((2,), kind))
for sign in '&|^':
    add('operator/bits', f'x {sign} y', x=variable((4,), 'bits', 'bool'), y=fed((4,), 'bits', 'bool'))
    add('operator/bits', f'x {sign} True', f'x {sign} [True, False, True, False]', x=variable((4,), 'bits', 'bool'))
    add('operator/bits_int', f'x {sign} y', x=variable((4,), 'index', 'int32'), y=fed((4,), 'index', 'int32'))
add('operator/unary', '-x', 'abs(x)', '+x', '~x', x=fed((3,)))
add('operator/unary', '-x', 'abs(x)', x=fed((3,), 'integer', 'int32'))
add('operator/unary', '~x', '-x', x=fed((3,), 'bits', 'bool'))
add('operator/truth', 'bool(x)', '1 if x else 0', 'x and 1', 'not x', x=fed((3,)))
add('operator/truth', 'bool(x)', 'float(x)', 'int(x)', x=variable(()))
add('operator/iterate', '[item for item in x]', 'len(x)', 'list(x)[0]', x=fed((3,)))
add('operator/iterate', 'a, b = x\na + b', x=fed((2, 3)))
for made in (variable, fed, unknown, batch):
    for index in ('0', '-1', '1:', ':2', ':, 0', ':, 1:3', '..., 0', '..., -1:', '0, 1', ':, None', 'None', '::-1', ':, ::2', '1:2, ::-1', '...',
                  '0, ..., None', ':-1', '5:', ':9'):
        add('index/basic', f'x[{index}]', x=made((3, 4)))
add('index/tensor', 'x[i]', x=fed((3, 4)), i=variable((), [1], 'int32'))
add('index/tensor', 'x[i:]', 'x[:i]', 'x[:, i]', x=fed((3, 4)), i=constant((), [1], 'int32'))
add('index/tensor', 'x[:K.shape(x)[0] - 1]', 'x[:, K.shape(x)[1] - 1]', x=unknown((3, 4)))
add('index/list', 'x[[0, 1]]', 'x[(0, 1)]', 'x[np.array([0, 1])]', 'x[x > 0]', 'x[[True, False, True]]', 'x[np.int64(1)]', x=fed((3, 4)))
add('index/errors', 'x[3]', 'x[-4]', 'x[0, 0, 0]', "x['a']", 'x[1.]', 'x[..., ...]', 'x[:, 4]', 'x[::0]', x=fed((3, 4)))
add('index/errors', 'x[3]', 'x[0, 0, 0]', x=unknown((3, 4)))
add('index/errors', 'x[0]', x=variable(()))
for dtype in FLOATS:
    add('mixed/number', 'x * 2 + 1', '1 - x', 'x / 3', '2. ** x', 'x * K.epsilon()', x=fed((3,), 'positive', dtype))
