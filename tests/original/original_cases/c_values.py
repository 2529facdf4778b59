"""Values of variables, read and written."""

from .case import DTYPES, Topic, data_of, fed, variable

TOPIC = Topic()
add = TOPIC.add

for dtype in DTYPES:
    one = variable((2,), data_of(dtype), dtype)
    add(f'get_value/{dtype}', 'K.get_value(v)', 'K.eval(v)', 'K.batch_get_value([v, v])', v=one, gradient=False)
    add(f'set_value/{dtype}', 'K.set_value(v, [1, 0])\nv', 'K.set_value(v, np.array([1., 0.]))\nv', 'K.batch_set_value([(v, np.array([0, 1]))])\nv', v=one, gradient=False)
    if dtype != 'bool':
        add(f'update/{dtype}', 'K.function([], [], [K.update_add(v, K.constant([1, 1], dtype=K.dtype(v)))])([])\nv', 'K.function([], [], [K.update_sub(v, v)])([])\nv', 'K.eval(K.update_add(v, 1))', v=one, gradient=False)
    add(f'update/{dtype}', 'K.function([], [], [K.update(v, K.identity(v))])([])\nv', v=one, gradient=False)
add('set_value/values', *[f'K.set_value(v, {value})\nv' for value in ('[1., 2.]', '(1, 2)', 'np.array([1, 2])', 'np.array([1., 2.])', '[1.]', '1.', '[[1., 2.]]', '[1., 2., 3.]', 'None', '"a"', 'K.eval(v) + 1', '[True, False]', '[float("nan"), 1.]', 'K.constant([1., 2.])', 'range(2)', '["a", "b"]', '[1j, 2]')], v=variable((2,)), gradient=False)
add('set_value/scalar', 'K.set_value(v, 3.)\nv', 'K.set_value(v, [3.])\nv', 'K.set_value(v, np.float64(3))\nv', 'K.set_value(v, 3)\nK.get_value(v)', 'K.set_value(x=v, value=2)\nv', 'type(K.get_value(v)).__name__', 'type(K.eval(v)).__name__', 'K.eval(K.sum(v))', v=variable(()), gradient=False)
add('set_value/tensor', 'K.set_value(x, [1., 2.])', 'K.set_value(x * 2, [1., 2.])', 'K.get_value(x)', 'K.get_value(K.constant([1.]))', 'K.set_value(1., 2.)', 'K.get_value(1.)', x=fed((2,)), gradient=False)
add('batch_set_value/values', 'K.batch_set_value([(v, [1., 2.]), (w, 3.)])\n[v, w]', 'K.batch_set_value([])', 'K.batch_set_value(tuples=[(v, [5., 6.])])\nv', 'K.batch_set_value([[v, [1., 2.]]])\nv', 'K.batch_set_value(((v, [1., 2.]),))\nv', 'K.batch_set_value([(v, [1.])])\nv', 'K.batch_set_value([v])', 'K.batch_set_value(None)',
    'K.batch_set_value([(v, [1., 2.]), (v, [3., 4.])])\nv', 'K.batch_set_value(zip([v, w], [[1., 2.], 0.]))\n[v, w]', v=variable((2,)), w=variable(()), gradient=False)
add('batch_get_value/values', 'K.batch_get_value([v, w])', 'K.batch_get_value([])', 'K.batch_get_value((v, w))', 'K.batch_get_value([v * 2])', 'K.batch_get_value(ops=[v])', 'K.batch_get_value(None)', 'K.batch_get_value([1.])', 'K.batch_get_value(v)', v=variable((2,)), w=variable(()), gradient=False)
for call in ('K.update(v, [3., 4.])', 'K.update(v, v * 2)', 'K.update(v, 1.)', 'K.update(v, [1.])', 'K.update(x=v, new_x=K.zeros((2,)))', 'K.update_add(v, [1., 2.])', 'K.update_add(v, 1.)', 'K.update_add(x=v, increment=v)', 'K.update_sub(v, [1., 2.])', 'K.update_sub(x=v, decrement=1.)', 'K.update_sub(v, 1)', 'K.moving_average_update(v, [1., 1.], .9)',
             'K.moving_average_update(v, v * 2, momentum=.5)', 'K.moving_average_update(x=v, value=K.zeros((2,)), momentum=1.)', 'K.moving_average_update(v, [1., 1.], 0)', 'K.update(v, None)', 'K.update(v, "a")', 'K.update(K.identity(v), [1., 2.])', 'K.update(v, K.constant([1, 2], dtype="int32"))', 'K.update_add(v, K.constant([[1., 2.]]))', 'K.moving_average_update(v, [1., 1.], "a")',
             'K.update(v, np.array([1., 2.]))', 'K.update_add(v, np.array([1., 2.]))', 'K.moving_average_update(v, [1., 1.], K.constant(.25))', 'K.moving_average_update(v, 1., .5)', 'K.update(v, [1, 2])', '(v, v + 1)', 'K.update(v, K.constant([1., 2.], dtype="float64"))', 'K.moving_average_update(v, [1., 1.], 2.)'):
    add('update/calls', f'u = {call}\nK.function([], [], [u])([])\nv', f'u = {call}\nr = K.function([], [v * 1], updates=[u])([])\n[r, v]', f'K.eval({call})', v=variable((2,)), gradient=False)
add('update/several', 'f = K.function([], [], [K.update_add(v, 1.), K.update_add(v, 2.)])\nf([])\nv', 'f = K.function([], [], [K.update_add(v, 1.), K.update_sub(v, 3.)])\nf([])\nv', 'f = K.function([], [], [K.moving_average_update(v, [1., 1.], .5), K.moving_average_update(v, [1., 1.], .5)])\nf([])\nv', 'f = K.function([], [], [K.update(v, [1., 1.]), K.update(w, 3.)])\nf([])\n[v, w]',
    'f = K.function([], [], [(v, v + 1), (w, w * 2)])\nf([])\nf([])\n[v, w]', 'f = K.function([], [], [K.update_add(w, 1.)])\nf([]); f([]); f([])\nw', 'f = K.function([x], [x * 2], updates=[K.update_add(w, K.sum(x))])\nf([np.array([1., 2.])])\nf([np.array([1., 2.])])\nw', 'f = K.function([x], [], updates=[K.update(v, x)])\nf([np.array([5., 6.])])\nv', x=fed((2,)), v=variable((2,)), w=variable(()), gradient=False)
add('update/errors', 'K.update(x, x)', 'K.update_add(x, 1.)', 'K.update_sub(1., 1.)', 'K.update(v)', 'K.moving_average_update(v, 1.)', 'K.update([v], [1.])', x=fed((2,)), v=variable((2,)), gradient=False)
add('print_tensor/message', 'K.print_tensor(x)', 'K.print_tensor(x, "m ")', 'K.print_tensor(x=x, message="a")', 'K.print_tensor(x, message="")', 'K.print_tensor(x, None)', 'K.print_tensor(x, 1)', 'K.print_tensor(x) is x', x=fed((2,)))
add('print_tensor/other', 'K.print_tensor([1., 2.])', 'K.print_tensor(1.)', 'K.print_tensor(None)')
add('get_session/value', 'K.get_session() is K.get_session()', 'K.get_session() is not None')
