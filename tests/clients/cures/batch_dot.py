"""K.batch_dot of Keras 2.2, with the shapes and sums that the original gave."""
# keras: 2.2.4
import numpy as np
from keras import backend as K

# x, y, axes, the shape of the result, and what is summed, as numpy.einsum says it; all by the original.
CASES = [
    ((3, 4, 5), (3, 4, 2, 5), [2, 3], (3, 4, 2), 'abc,abec->abe'),
    ((3, 4, 4), (3, 4, 4, 4), None, (3, 4, 4), 'abc,abce->abe'),
    ((3, 4, 4), (3, 4, 4, 4), [2, 3], (3, 4, 4), 'abc,abec->abe'),
    ((3, 2, 4, 5), (3, 2, 5, 4), None, (3, 2, 4, 4), 'abcd,abde->abce'),
    ((3, 2, 4, 5), (3, 2, 4, 5), 3, (3, 2, 4, 4), 'abcd,abed->abce'),
    ((3, 2, 4, 5), (3, 2, 4, 5), 1, (3, 2, 5, 5), 'abcd,abce->abde'),
    ((3, 2, 4, 5), (3, 2, 4, 5), [2, 2], (3, 2, 5, 5), 'abcd,abce->abde'),
    ((3, 2, 4, 5), (3, 2, 5, 4), [1, 3], (3, 2, 5, 5), 'abcd,abec->abde'),
    ((3, 2, 4, 5), (3, 2, 5, 4), [3, 1], (3, 2, 4, 4), 'abcd,abde->abce'),
    ((3, 4, 4, 4), (3, 4, 4, 4, 4), [1, 4], (3, 4, 4, 4), 'abcd,abced->abce'),
    ((3, 4, 5), (3, 4), 1, (3, 5), 'abc,ab->ac'),
    ((3, 4), (3, 4), 1, (3, 1), None),
    ((3, 4), (3, 4), -1, (3, 1), None),
    ((3, 4, 5), (3, 4, 2), -1, (3, 5, 2), 'abc,abd->acd'),
    ((3, 4, 5), (3, 4, 2), (-1, -1), (3, 5, 2), 'abc,abd->acd'),
    ((3, 4, 5), (3, 5, 2), (2, -1), (3, 4, 2), 'abc,acd->abd'),
]
random = np.random.RandomState(0)
for shape_x, shape_y, axes, shape, rule in CASES:
    x, y = random.rand(*shape_x), random.rand(*shape_y)
    expected = np.einsum(rule, x, y) if rule else (x * y).sum(1, keepdims=True)
    known = K.batch_dot(K.variable(x), K.variable(y), axes)
    assert K.int_shape(known) == shape, (shape_x, shape_y, axes, K.int_shape(known))
    assert np.allclose(K.eval(known), expected, atol=1e-5), (shape_x, shape_y, axes)
    unknown = [K.placeholder((None,) + s[1:]) for s in (shape_x, shape_y)]
    value = K.function(unknown, [K.batch_dot(unknown[0], unknown[1], axes)])([x, y])[0]
    assert value.shape == shape and np.allclose(value, expected, atol=1e-5), (shape_x, shape_y, axes)
    every = [K.placeholder((None,) * len(s)) for s in (shape_x, shape_y)]
    value = K.function(every, [K.batch_dot(every[0], every[1], axes)])([x, y])[0]
    assert value.shape == shape and np.allclose(value, expected, atol=1e-5), (shape_x, shape_y, axes)
print('cured')
