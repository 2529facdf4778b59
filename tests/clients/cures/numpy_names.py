"""What NumPy 1.16.3, 1.24 and 2.0 took away. The values are those of NumPy 1.16."""
import warnings

import numpy as np

for name, meaning in [('int', int), ('float', float), ('complex', complex), ('object', object)]:
    assert getattr(np, name) is meaning, name
assert np.zeros(2, np.bool).dtype == bool and np.array(['a'], np.str).dtype.kind == 'U'
assert np.float_ is np.float64 and np.unicode_ is np.str_ and np.string_ is np.bytes_ and np.int0 is np.intp
assert np.Inf == np.infty == np.PINF == -np.NINF == float('inf') and np.isnan(np.NaN)
assert np.product([2, 3]) == 6 and np.cumproduct([2, 3]).tolist() == [2, 6]
assert np.alltrue([True, True]) and not np.sometrue([False])
assert np.in1d([1, 5], [5]).tolist() == [False, True] and np.row_stack([[1], [2]]).shape == (2, 1)
assert np.round_(1.26, 1) == 1.3 and np.trapz([1, 2]) == 1.5
assert isinstance(np.asscalar(np.array([2.5])), float) and np.asfarray([1, 2], 'i4').dtype == np.float64
assert np.asfarray([1], 'f4').dtype == np.float32
assert np.msort([[3, 1], [2, 5]]).tolist() == [[2, 1], [3, 5]]
assert np.cast['int32']([1.7]).tolist() == [1] and np.cast[np.float32](2).dtype == np.float32
common = [([np.float32], [np.int64]), ([np.int8], [np.float64]), ([], [np.int8, np.float32]), ([np.int8, np.int32], []),
          ([np.float32], [np.float64])]
found = [np.dtype(np.find_common_type(*pair)).name for pair in common]
assert found == ['float32', 'float64', 'float32', 'int32', 'float32'], found
assert np.float64 in np.sctypes['float'] and np.issctype(np.float32) and not np.issctype(list)
assert np.isnan(np.NAN) and np.alen([[1, 2], [3, 4], [5, 6]]) == 3 and np.alen(7) == 1
assert np.str0 is np.str_ and np.longcomplex is np.clongdouble and np.typeDict['float32'] is np.float32
try:
    np.sum(np.zeros(2), axis=3)
except np.AxisError:
    warnings.simplefilter('ignore', np.VisibleDeprecationWarning)
assert issubclass(np.ComplexWarning, RuntimeWarning) and np.chararray((2,)).shape == (2,)
assert np.safe_eval('[1, 2]') == [1, 2] and np.sys.maxsize > 0
assert np.maximum_sctype('f4') is np.longdouble and np.math.floor(2.5) == 2

uneven = np.array([[1, 2], [3]])
assert uneven.dtype == object and uneven.shape == (2,) and uneven[1] == [3]
assert np.asarray([[1], [2, 3]]).tolist() == [[1], [2, 3]]
assert np.array([np.zeros((2, 3)), np.zeros((4, 3))]).shape == (2,)
assert np.array([[1, 2], [3, 4]]).dtype.kind == 'i'
try:
    np.array([[1, 2], [3]], 'float32')
except ValueError:
    pass
else:
    raise AssertionError('an array of numbers cannot be uneven')
values = np.arange(3)
assert np.array(values, copy=False) is values and np.array([1, 2], copy=False, dtype='f').tolist() == [1, 2]
assert np.array(values) is not values

grid = np.meshgrid([1, 2], [3]) + [np.ones((1, 2))]
assert len(grid) == 3 and grid[1].tolist() == [[3, 3]] and isinstance(np.broadcast_arrays([1], [2, 3]), list)
assert isinstance(np.atleast_2d([1], [2]), list) and np.atleast_2d([1]).shape == (1, 1)

assert str([np.float64(0.61), np.int64(18), np.bool_(True), np.float32(0.1)]) == '[0.61, 18, True, 0.1]'
assert repr(np.array([0.5, 2])) == 'array([0.5, 2. ])' and str({'loss': [np.float32(0.25)]}) == "{'loss': [0.25]}"

np.save('objects.npy', uneven)
assert np.load('objects.npy').tolist() == [[1, 2], [3]]
np.savez('objects.npz', x=uneven, y=np.ones(2))
with np.load('objects.npz') as arrays:
    assert arrays['x'].tolist() == [[1, 2], [3]] and arrays['y'].tolist() == [1, 1]
try:
    np.load('objects.npy', allow_pickle=False)
except ValueError:
    pass
else:
    raise AssertionError('allow_pickle=False has to hold')

data = np.fromstring(b'\x01\x02', dtype=np.uint8)
data[0] = 3
assert data.tolist() == [3, 2] and np.fromstring('ab', np.uint8, 1).tolist() == [97]
assert np.fromstring('1 2', sep=' ').tolist() == [1, 2]
assert np.cross([1, 2], [3, 4]) == -2 and np.cross([[1, 2], [0, 1]], [3, 4]).tolist() == [-2, -3]
assert np.cross([1, 2], [3, 4, 5]).tolist() == [10, -5, -2] and np.cross([1, 0, 0], [0, 1, 0]).tolist() == [0, 0, 1]
assert np.cross([[1, 2], [3, 4]], [[1, 0], [0, 1]], axis=0).tolist() == [-3, 2]
assert np.linspace(0, 1, 5.).tolist() == [0, .25, .5, .75, 1] and np.lib.pad([1], 1, 'constant').tolist() == [0, 1, 0]
assert np.histogram([1, 2, 2], bins=2, normed=True)[0].round(4).tolist() == [.6667, 1.3333]
assert np.histogram2d([1, 2], [1, 2], bins=2, normed=True)[0].tolist() == [[2, 0], [0, 2]]
assert np.histogram([1, 2, 2], 2, normed=False)[0].tolist() == [1, 2]

# Results of NumPy 1.15.
assert np.linspace(-3, 3, 5, dtype=int).tolist() == [-3, -1, 0, 1, 3]
assert np.linspace(0, 9, 4, True, True, int)[0].tolist() == [0, 3, 6, 9]
assert np.issubdtype(np.float32, float) and np.issubdtype(np.int32, int) and not np.issubdtype(np.int32, float)
assert np.issubdtype(np.dtype('float32'), np.float) and np.issubdtype(np.uint8, np.integer)
if not np.__version__.startswith(('1.21.', '1.22.', '1.23.')):  # these take NaN for one value
    assert len(np.unique([np.nan, np.nan, 1])) == 3
assert np.unique([[3, 1], [3, 3]], return_inverse=True)[1].shape == (4,)
assert np.unique([[1, 2], [1, 2]], axis=0).shape == (1, 2)
assert np.unique([2, 1, 2], return_counts=True)[1].tolist() == [1, 2]
values, vectors = np.linalg.eig(np.array([[2., 1], [1, 3]]))
assert values.dtype == vectors.dtype == np.float64 == np.linalg.eigvals(np.eye(2)).dtype
assert np.linalg.eig(np.array([[0., -1], [1, 0]]))[0].dtype == np.complex128
assert np.linalg.solve(np.stack([np.eye(2)] * 2), np.ones((2, 2))).shape == (2, 2)
assert np.linalg.solve(np.eye(2), [[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
assert np.genfromtxt(['a,1', 'b,2'], delimiter=',', dtype=None)['f0'].tolist() == [b'a', b'b']

# Arguments that are gone.
assert np.percentile([1, 2, 3], 40, interpolation='lower') == 1 and np.reshape([1, 2], newshape=(2, 1)).shape == (2, 1)
assert np.vstack(map(list, ['12', '34'])).shape == (2, 2) and np.hstack([k] for k in (1, 2)).tolist() == [1, 2]
assert np.sum(k for k in (1, 2)) == 3 and np.sum([[1, 2]], axis=0).tolist() == [1, 2] and np.rank(np.eye(2)) == 2
np.set_printoptions(threshold=np.nan)
print('cured')
