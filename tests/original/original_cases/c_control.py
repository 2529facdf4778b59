"""Functions, gradients, branches and loops."""

from .case import DTYPES, FLOATS, Topic, batch, data_of, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add
MADE = (variable, batch, unknown)

add('function/calls', *[f'{text}' for text in (
    'K.function([x], [x * 2])([np.array([1., 2.])])', 'K.function([x], [x * 2])([[1., 2.]])', 'K.function([x], x * 2)([np.array([1., 2.])])', 'K.function(inputs=[x], outputs=[x])([np.array([1., 2.])])', 'K.function((x,), (x, x))([np.array([1., 2.])])', 'K.function([x], [])([np.array([1., 2.])])', 'K.function([], [])([])', 'K.function([x], [x, x + 1], updates=[])([np.array([1., 2.])])',
    'K.function([x, y], [x + y])([np.array([1., 2.]), np.array([3., 4.])])', 'K.function([x, y], [x])([np.array([1., 2.]), np.array([3., 4.])])', 'K.function([x], [y])([np.array([1., 2.])])', 'K.function([x], [x])([])', 'K.function([x], [x * 1])([np.array([1., 2.]), 3.])', 'K.function([x], [x])([[1., 2., 3.]])', 'K.function([x], [x])([1.])', 'K.function([x], [x])(["a"])', 'K.function([x], [x])([None])',
    'K.function(x, [x])([np.array([1., 2.])])', 'K.function([x], [x])(np.array([1., 2.]))', 'K.function([x], [x])([[1, 2]])', 'K.function([x], [x])([np.array([1, 2], "int64")])', 'K.function([x], [x])(([1., 2.],))', 'K.function([x], [1.])([np.array([1., 2.])])', 'K.function([x], [None])([np.array([1., 2.])])', 'K.function([None], [x])([np.array([1., 2.])])', 'K.function([x], [[x]])([np.array([1., 2.])])',
    'K.function([x], [x], name="n")([np.array([1., 2.])])', 'K.function([x], [x], what=1)', 'K.function([x * 2], [x * 2 + 1])([np.array([1., 2.])])', 'K.function([x], [K.sum(x)])([np.array([1., 2.])])', 'K.function([x], [K.sum(x)])([np.array([1., 2.])])[0]', 'type(K.function([x], [K.sum(x)])([np.array([1., 2.])])[0]).__name__', 'K.function([x, x], [x])([np.array([1., 2.]), np.array([3., 4.])])', 'type(K.function([x], [x])([np.array([1., 2.])])).__name__',
    'type(K.function([x], x)([np.array([1., 2.])])).__name__', 'K.function([x], [K.cast(x, "int32"), x > 0])([[1., -2.]])', 'K.function([x], [x])([K.constant([1., 2.])])', 'K.function([x], [x], updates=None)([np.array([1., 2.])])', 'K.function([x], [K.shape(x), K.learning_phase()])([np.array([1., 2.])])',
)], x=fed((2,)), y=fed((2,)), gradient=False)
add('function/unknown', 'K.function([x], [x])([np.array([[1., 2.]])])', 'K.function([x], [x])([np.array([1., 2.])])', 'K.function([x], [K.sum(x, 0)])([np.ones((3, 1))])', 'f = K.function([x], [x * 2])\n[f([np.ones((1, 2))]), f([np.ones((2, 1))])]', 'K.function([x], [x])([np.zeros((0, 2))])', 'K.function([x], [x])([1.])', x=unknown((2, 2)), gradient=False)
for call in ('K.gradients(K.sum(x * x), x)', 'K.gradients(K.sum(x * x), [x])', 'K.gradients(K.sum(x * x), [x, y])', 'K.gradients(loss=K.sum(x), variables=[x])', 'K.gradients(x * x, x)', 'K.gradients(K.sum(x * y), [x, y])', 'K.gradients(K.sum(x), [])', 'K.gradients([K.sum(x), K.sum(x * y)], x)', 'K.gradients(K.sum(K.stop_gradient(x) * x), x)', 'K.gradients(K.sum(y), x)',
             'K.gradients(K.sum(K.gradients(K.sum(x ** 3), x)[0]), x)', 'K.gradients(K.sum(x), (x,))', 'K.gradients(K.sum(x), 1.)', 'K.gradients(1., x)', 'K.gradients(K.sum(x), None)', 'K.gradients(None, x)', 'K.gradients(K.argmax(x), x)', 'K.gradients(K.sum(K.cast(x > 0, "float32")), x)', 'K.gradients(K.sum(K.cast(x, "int32")), x)', 'K.gradients(K.sum(K.cast(x, "float64")), x)',
             'z = x * 2\nK.gradients(K.sum(z * z), z)', 'K.gradients(K.sum(K.round(x)), x)', 'K.gradients(K.sum(x * 2 + K.shape(x)[0] * 0.) if False else K.sum(x), x)', 'K.gradients(K.max(x), x)', 'K.gradients(K.sum(x[0]), x)', 'K.gradients(K.square(x)[0], [x])', 'K.gradients(K.mean(x * y), [y])', 'K.gradients(x, x)'):
    for made in (variable, fed, unknown):
        add('gradients/calls', call, x=made((3,)), y=variable((3,)), gradient=False)
add('stop_gradient/calls', 'K.stop_gradient([x, x])', 'K.stop_gradient(variables=x)', 'K.stop_gradient((x,))', 'K.stop_gradient(x) * x', x=variable((2,)))

for made in MADE:
    for condition in ('K.constant(1)', 'K.constant(0)', 'K.constant(True, dtype="bool")', 'K.constant(0.)', 'K.sum(x) > 0', 'True', '0', '1', 'np.bool_(False)', 'K.constant([1, 0], dtype="int32")', 'K.constant([True, False], dtype="bool")', 'x > 0', 'K.greater(x, 0.)', 'K.constant([[1], [0]])', 'K.constant(2)', 'K.constant([1., 0.])', '"a"', 'None', 'K.variable(1)', 'np.array([True, False])', 'K.constant([1, 0, 1])'):
        add('switch/condition', f'K.switch({condition}, x, y)', f'K.switch({condition}, lambda: x * 2, lambda: y)', x=made((2, 2)), y=variable((2, 2)))
    add('switch/rank', 'K.switch(K.constant([1, 0]), x, y)', 'K.switch(K.constant([1, 0]), lambda: x, y)', x=made((2, 3)), y=variable((2, 3)))
    add('switch/rank', 'K.switch(x > 0, x, y)', 'K.switch(K.constant(1), x, 0.)', 'K.switch(K.constant(0), x, 0.)', 'K.switch(x > 0, x, 0.)', 'K.switch(x > 0, 1., 0.)', 'K.switch(K.constant(1), x, K.sum(x))', 'K.switch(K.constant(0), lambda: x, lambda: K.sum(x, 1))', 'K.switch(condition=K.constant(1), then_expression=x, else_expression=y)',
        'K.switch(x > 0, K.sum(x), 0.)', 'K.switch(K.any(x > 0), 1., 0.)', 'K.switch(K.constant(1), [x, y], [y, x])', 'K.switch(K.constant(0), lambda: [x, y], lambda: [y, x])', 'K.switch(K.constant(1), lambda: 2., lambda: 3.)', x=made((2, 3)), y=variable((2, 3)))
    add('switch/dtype', 'K.switch(K.constant(1), x, K.cast(x, "int32"))', 'K.switch(K.constant(0), K.cast(x, "int32"), K.cast(x, "int32"))', 'K.switch(x > 0, np.ones((2, 3), "float32"), x)', 'K.switch(x > 0, x)', 'K.switch(x > 0, x, None)', x=made((2, 3)))
    for function in ('lambda e: e * 2', 'lambda e: K.sum(e)', 'lambda e: K.expand_dims(e)', 'K.square', 'lambda e: e[0]', 'lambda e: 1.', 'lambda e: K.cast(e, "int32")', 'lambda e: None', 'lambda e: [e, e]', '1', 'lambda: 1', 'lambda e: e + y'):
        add('map_fn/function', f'K.map_fn({function}, x)', x=made((2, 3)), y=variable((3,)))
    add('map_fn/dtype', 'K.map_fn(lambda e: K.cast(e, "int32"), x, dtype="int32")', 'K.map_fn(lambda e: e > 0, x, dtype="bool")', 'K.map_fn(lambda e: e, x, name="n")', 'K.map_fn(fn=K.sum, elems=x)', 'K.map_fn(lambda e: e[0] + e[1], (x, x), dtype="float32")', 'K.map_fn(lambda e: e[0], [x, x], dtype="float32")', 'K.map_fn(lambda e: (e, e * 2), x, dtype=("float32", "float32"))',
        'K.map_fn(lambda e: e, K.sum(x))', 'K.map_fn(lambda i: x[i], K.arange(2), dtype="float32")', 'K.map_fn(lambda e: K.dot(K.expand_dims(e, 0), K.transpose(x)), x)', 'K.map_fn(lambda e: K.map_fn(lambda a: a * 2, e), x)', x=made((2, 3)))
    for name in ('foldl', 'foldr'):
        for arguments in ('lambda a, e: a + e, x', 'lambda a, e: a * .5 + e, x', 'lambda a, e: a + K.sum(e), x, K.constant(0.)', 'lambda a, e: a - e, x, initializer=y', 'lambda a, e: a + e, x, name="n"', 'fn=lambda a, e: a * e, elems=x', 'lambda a, e: a + e, K.sum(x)', 'lambda a, e: K.maximum(a, e), x', 'lambda a, e: K.concatenate([a, e]), x',
                          'lambda a: a, x', 'lambda a, e: a + e[0] * e[1], (x, x), initializer=y', 'lambda a, e: a + e, [[1., 2.], [3., 4.]]', 'lambda a, e: a + e, [x[0], x[1]]', 'lambda a, e: a + K.sum(e), x, 0.', 'lambda a, e: K.cast(a, "int32"), x', 'lambda a, e: a + 1, x, initializer=0', 'lambda a, e: (a[0] + e, a[1] * e), x, initializer=(y, y)'):
            add(f'{name}/arguments', f'K.{name}({arguments})', x=made((3, 2)), y=variable((2,)))
for name in ('map_fn', 'foldl', 'foldr'):
    call = 'lambda e: e * 2' if name == 'map_fn' else 'lambda a, e: a + e'
    for dtype in DTYPES:
        add(f'{name}/{dtype}', f'K.{name}({call}, x)', x=variable((3,), data_of(dtype), dtype))
    add(f'{name}/other', f'K.{name}({call}, [1., 2.])', f'K.{name}({call}, np.array([1., 2.]))', f'K.{name}({call}, None)', f'K.{name}({call}, 1.)', f'K.{name}({call}, [])')
    add(f'{name}/empty', f'K.{name}({call}, x)', x=fed((0, 2)))

STEP = 'def step(x, states):\n    new = x + states[0] * .5\n    return new, [new]\n'
CELL = 'def step(x, states):\n    new = K.tanh(K.dot(x, w) + states[0])\n    return new * 2., [new]\n'
TWO = 'def step(x, states):\n    new = x + states[0]\n    return new + states[1], [new, states[1] * x]\n'
NONE = 'def step(x, states):\n    return x * 2., []\n'
CONSTANTS = 'def step(x, states):\n    new = x * states[1] + states[0]\n    return new, [new]\n'
WIDE = 'def step(x, states):\n    return K.concatenate([x, states[0]]), [states[0] + x]\n'
for made in (variable, batch, unknown):
    for arguments in ('', ', go_backwards=True', ', unroll=True', ', unroll=True, go_backwards=True', ', input_length=3', ', False', ', constants=[]', ', time_major=True', ', mask=None', ', unroll=True, input_length=3'):
        add('rnn/arguments', f'{STEP}K.rnn(step, x, [s]{arguments})', x=made((2, 3, 2)), s=variable((2, 2)) if 'time_major' not in arguments else variable((3, 2)))
    for arguments in ('', ', go_backwards=True', ', unroll=True', ', unroll=True, go_backwards=True', ', zero_output_for_mask=True', ', zero_output_for_mask=True, unroll=True', ', input_length=3'):
        add('rnn/mask', f'{STEP}K.rnn(step, x, [s], mask=m{arguments})', x=made((2, 3, 2)), s=variable((2, 2)), m=made((2, 3), [1, 0, 1, 0, 1, 1], 'bool'))
        add('rnn/mask_float', f'{STEP}K.rnn(step, x, [s], mask=m{arguments})', x=made((2, 3, 2)), s=variable((2, 2)), m=made((2, 3), [1, 0, 1, 0, 1, 1]), gradient=False)
        add('rnn/mask_rank', f'{STEP}K.rnn(step, x, [s], mask=m{arguments})', x=made((2, 3, 2)), s=variable((2, 2)), m=made((2, 3, 1), [1, 0, 1, 0, 1, 1], 'bool'))
    for program in (CELL + 'K.rnn(step, x, [s])', CELL + 'K.rnn(step, x, [s], unroll=True)', TWO + 'K.rnn(step, x, [s, s])', TWO + 'K.rnn(step, x, (s, s * 2), go_backwards=True)', NONE + 'K.rnn(step, x, [])', NONE + 'K.rnn(step, x, [], unroll=True)', CONSTANTS + 'K.rnn(step, x, [s], constants=[w[0]])', CONSTANTS + 'K.rnn(step, x, [s], constants=[w[0]], unroll=True)',
                    WIDE + 'K.rnn(step, x, [s])', WIDE + 'K.rnn(step, x, [s], unroll=True)', STEP + 'K.rnn(step, x, [K.zeros_like(x[:, 0])])', STEP + 'K.rnn(step_function=step, inputs=x, initial_states=[s])', STEP + 'K.rnn(step, x, [s])[0]', STEP + 'K.rnn(step, x, s)', STEP + 'K.rnn(step, x[:, :1], [s])', STEP + 'K.rnn(step, x[:, 0], [s])',
                    STEP + 'K.rnn(step, x, [])', STEP + 'K.rnn(None, x, [s])', STEP + 'K.rnn(step, x, None)', 'def step(x, states):\n    return x\nK.rnn(step, x, [s])', NONE + 'K.rnn(step, x, [], mask=K.ones((2, 3)))', NONE + 'K.rnn(step, x, [], mask=K.ones((2, 3)), unroll=True)'):
        add('rnn/steps', program, x=made((2, 3, 2)), s=variable((2, 2)), w=variable((2, 2)))
add('rnn/rank', STEP + 'K.rnn(step, x, [s])', x=fed((2, 2, 1, 2)), s=variable((2, 1, 2)))
add('rnn/rank', STEP + 'K.rnn(step, x, [s], mask=m)', x=fed((2, 2, 1, 2)), s=variable((2, 1, 2)), m=fed((2, 2), [1, 0, 1, 1], 'bool'))
add('rnn/empty', STEP + 'K.rnn(step, x, [s])', STEP + 'K.rnn(step, x, [s], unroll=True)', x=fed((2, 0, 2)), s=variable((2, 2)))
add('rnn/empty', STEP + 'K.rnn(step, x, [s])', x=unknown((0, 2, 2)), s=unknown((0, 2)))
for dtype in FLOATS:
    add(f'rnn/{dtype}', STEP + 'K.rnn(step, x, [s])', STEP + 'K.rnn(step, x, [s], unroll=True)', x=variable((1, 3, 2), 'normal', dtype), s=variable((1, 2), 'normal', dtype))
