"""Tables of pandas: `plot(axes=ax)` draws there, and `agg` of a group takes new names."""

# needs: pandas matplotlib
import keras_backend.keras2  # noqa: F401  # isort: skip
import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402
import pandas as pd  # noqa: E402

table = pd.DataFrame({'key': ['a', 'b', 'a'], 'x': [1.0, 2.0, 4.0], 'y': [1, 2, 3]})
_, axes = plt.subplots()
assert table['x'].plot(axes=axes) is axes
assert table.plot(y='x', kind='bar', axes=axes) is axes

groups = table.groupby('key')
named = groups['x'].agg({'mean_x': 'mean', 'n': 'count'})
assert named.to_dict() == {'mean_x': {'a': 2.5, 'b': 2.0}, 'n': {'a': 2, 'b': 1}}
nested = groups.agg({'x': {'least': 'min', 'most': 'max'}, 'y': {'n': 'count'}})
assert nested.columns.tolist() == [('x', 'least'), ('x', 'most'), ('y', 'n')]
assert nested.loc['a'].tolist() == [1.0, 4.0, 2.0]
assert groups.agg({'x': 'sum'})['x'].tolist() == [5.0, 2.0]
assert groups['x'].agg(['min', 'max']).columns.tolist() == ['min', 'max']
print('cured')
