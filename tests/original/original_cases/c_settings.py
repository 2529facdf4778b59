"""Settings, ids, the learning phase, scopes."""

from .case import Topic, fed

TOPIC = Topic()
add = TOPIC.add

add('epsilon/value', 'K.epsilon()', 'K.set_epsilon(1e-3)\nK.epsilon()', 'K.set_epsilon(1)\nK.epsilon()', "K.set_epsilon('1e-3')\nK.epsilon()", 'K.set_epsilon(None)', 'K.set_epsilon(0)', 'K.set_epsilon(-1.)', 'K.set_epsilon(e=1e-2)\nK.epsilon()', 'K.set_epsilon(np.float32(.5))\nK.epsilon()')
add('floatx/value', 'K.floatx()', *[f'K.set_floatx({value})\nK.floatx()' for value in ('"float16"', '"float32"', '"float64"', 'floatx="float64"', '"int32"', '"x"', 'None', 'np.float32', '16')])
for floatx in ('float16', 'float64'):
    for call in ('K.variable(1.)', 'K.constant([1., 2.])', 'K.zeros((2,))', 'K.ones((2,))', 'K.eye(2)', 'K.placeholder((2,))', 'K.variable([1])', 'K.cast_to_floatx([1, 2])', 'K.one_hot([1], 2)', 'K.cast(K.equal(K.ones((2,)), 1.), K.floatx())', 'K.random_uniform((2,))',
                 'K.mean(K.constant([1, 2], dtype="int32"))', 'K.mean(K.constant([True, False], dtype="bool"))', 'K.var(K.constant([1, 2], dtype="int32"))', 'K.arange(3)', 'K.variable(np.ones(2, "float32"))', 'K.variable(np.ones(2, "int64"))', 'K.constant(np.ones(2, "float32"))'):
        add(f'floatx/{floatx}', f"K.set_floatx('{floatx}')\nK.dtype({call})" if 'cast_to' not in call else f"K.set_floatx('{floatx}')\n{call}")
add('image_data_format/value', 'K.image_data_format()', *[f'K.set_image_data_format({value})\nK.image_data_format()' for value in ('"channels_first"', '"channels_last"', 'data_format="channels_first"', '"th"', '"x"', 'None', '1')])
add('image_dim_ordering/value', 'K.image_dim_ordering()', 'K.set_image_dim_ordering("th")\nK.image_data_format()', 'K.set_image_dim_ordering("tf")\nK.image_dim_ordering()', 'K.set_image_dim_ordering("th")\nK.image_dim_ordering()', 'K.set_image_dim_ordering("x")', 'K.set_image_data_format("channels_first")\nK.image_dim_ordering()')
add('image_data_format/used', 'K.set_image_data_format("channels_first")\nK.int_shape(K.spatial_2d_padding(x))', 'K.set_image_data_format("channels_first")\nK.int_shape(K.pool2d(x, (1, 2)))', 'K.set_image_data_format("channels_first")\nK.int_shape(K.bias_add(x, K.ones((3,))))', x=fed((1, 3, 3, 2)))
add('normalize_data_format/value', *[f'K.normalize_data_format({value})' for value in ('None', '"channels_first"', '"channels_last"', '"CHANNELS_LAST"', '"th"', '1')])
add('cast_to_floatx/value', *[f'K.cast_to_floatx({value})' for value in ('[1, 2]', '1', '1.5', 'True', 'np.array([1, 2])', 'np.array([1.5], "float64")', 'np.float64(2.5)', '(1, 2)', '[[1], [2]]', '[]', '"a"', '"1.5"', 'None', 'np.array([True])', 'range(3)', '[1j]')])
add('cast_to_floatx/tensor', 'K.cast_to_floatx(x)', x=fed((2,), [1, 2], 'int32'))
add('get_uid/value', 'K.reset_uids()\n[K.get_uid("a"), K.get_uid("a"), K.get_uid("b")]', 'K.reset_uids()\nK.get_uid()', 'K.reset_uids()\n[K.get_uid(prefix="a"), K.get_uid("")]', 'K.get_uid("a")\nK.reset_uids()\nK.get_uid("a")', 'K.get_uid("a")\nK.clear_session()\nK.get_uid("a")', 'K.reset_uids()\nK.get_uid(None)')
add('learning_phase/value', 'K.set_learning_phase(1)\nK.learning_phase()', 'K.set_learning_phase(0)\nK.learning_phase()', 'K.set_learning_phase(True)\nK.learning_phase()', 'K.set_learning_phase(2)', 'K.set_learning_phase("a")', 'K.set_learning_phase(None)', 'K.is_placeholder(K.learning_phase())', 'K.is_tensor(K.learning_phase())',
    'K.int_shape(K.learning_phase())', 'K.ndim(K.learning_phase())', 'K.dtype(K.learning_phase())', 'K.learning_phase() is K.learning_phase()', 'K.set_learning_phase(1)\nK.clear_session()\nK.is_tensor(K.learning_phase())', 'K.set_learning_phase(value=1)\nK.learning_phase()', 'K.set_learning_phase(1.)\nK.learning_phase()', 'K.set_learning_phase(np.int64(1))\nK.learning_phase()',
    'K.eval(K.learning_phase())', 'K.function([K.learning_phase()], [K.learning_phase()])([1])')
for training in ('', ', training=None', ', training=1', ', training=0', ', True', ', False', ', training=2', ', training=K.variable(1.)', ', training=K.constant(0)', ', training="a"', ', training=np.bool_(True)', ', training=K.constant(True, dtype="bool")'):
    for name in ('in_train_phase', 'in_test_phase'):
        add(f'{name}/phase', f'K.{name}(x, x * 2{training})', f'K.{name}(lambda: x, lambda: -x{training})', x=fed((2,)))
for phase in (0, 1):
    for name in ('in_train_phase', 'in_test_phase'):
        add(f'{name}/phase_set', f'K.set_learning_phase({phase})\nK.{name}(x, x * 2)', f'K.set_learning_phase({phase})\nK.{name}(x, alt=lambda: x * 2)', f'K.set_learning_phase({phase})\nK.{name}(x, 0.)', f'K.set_learning_phase({phase})\nK.{name}(1., 0.)', x=fed((2,)))
        add(f'{name}/phase_fed', f'K.function([x, K.learning_phase()], [K.{name}(x, x * 2)])([np.array([1., 2.]), {phase}])', f'K.function([x, K.learning_phase()], [K.{name}(lambda: x, lambda: 3 * x)])([np.array([1., 2.]), {phase}])',
            f'K.function([x], [K.{name}(x, x * 2)])([np.array([1., 2.])])', f'K.function([x, K.learning_phase()], [K.{name}(x, 0.)])([np.array([1., 2.]), {phase}])', f'getattr(K.{name}(x, x * 2), "_uses_learning_phase", False)', x=fed((2,)), gradient=False)
add('uses_learning_phase/phase', 'getattr(K.dropout(x, .5), "_uses_learning_phase", False)', 'getattr(K.in_train_phase(x, 2 * x, training=1), "_uses_learning_phase", False)', 'K.int_shape(K.in_train_phase(x, x * 2))', x=fed((2,)))
add('name_scope/value', 'with K.name_scope("a"):\n    y = x * 2\ny', 'with K.name_scope("a"):\n    with K.name_scope("b"):\n        v = K.variable(1., name="v")\nv.name', 'v = K.variable(1., name="w")\nv.name', x=fed((2,)))
add('control_dependencies/value', 'v = K.variable(1.)\nwith K.control_dependencies([K.update(v, 2.)]):\n    y = x * 2\ny', x=fed((2,)))
add('backend/value', 'isinstance(K.backend(), str)', 'K.manual_variable_initialization(False)')
add('symbolic/value', 'K.symbolic(lambda a: a)(3)', 'K.eager(lambda a: a)(3)', 'K.symbolic(lambda a, b=2: (a, b))(1, b=3)')
