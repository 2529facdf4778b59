"""What pandas 0.20 to 3.0 took away. The values are those of pandas 0.25, and of 0.23 for from_csv and reindex_axis."""

# needs: pandas
import io
from datetime import datetime

import numpy as np
import pandas as pd

OLD = pd.__version__ < '1'
table = pd.DataFrame({'a': [1, 2, 3, 4], 'b': [1.5, 2.5, 3.5, 4.5], 'c': list('xyxz')})
named = pd.DataFrame(np.arange(12.0).reshape(4, 3), index=list('pqrs'), columns=list('abc'))

# .ix: labels, and positions where an integer cannot be a label.
assert (
    table.ix[1].tolist() == [2, 2.5, 'y']
    and table.ix[1:2].shape == (2, 3)
    and table.ix[[0, 2], 'c'].tolist() == ['x', 'x']
)
assert table.ix[1, 'b'] == table.ix[1, 1] == 2.5 and table.ix[table.a > 2, 'c'].tolist() == ['x', 'z']
assert (
    list(table.ix[:, 0:2]) == ['a', 'b']
    and list(table.ix[:, [0, 2]]) == ['a', 'c']
    and table.ix[:, -1].tolist() == list('xyxz')
)
assert table.ix[2:9].index.tolist() == [2, 3]
assert (
    named.ix['q'].tolist() == named.ix[1].tolist() == named.ix[np.int64(1)].tolist() == [3, 4, 5]
    and named.ix[-1, 0] == 9
)
assert (
    named.ix['p':'r'].shape == (3, 3)
    and named.ix[0:2].shape == (2, 3)
    and named.ix[[0, 2]].index.tolist() == ['p', 'r']
)
assert named.ix[0, 'b'] == 1 and named.ix['q', 2] == 5 and named.ix[1:3, 0:2].values.tolist() == [[3, 4], [6, 7]]
assert list(named.ix[:, 'a':'b']) == list(named.ix[:, :2]) == ['a', 'b'] and named.ix['p', [0, 1]].tolist() == [0, 1]
assert named.ix[np.array([True, False, True, False])].index.tolist() == ['p', 'r'] and named.a.ix[1:3].tolist() == [
    3,
    6,
]
shifted = pd.DataFrame(np.eye(3), index=[5, 6, 7])
assert shifted.ix[0:2].shape == (0, 3) and shifted.ix[5:6].shape == (2, 3)
assert pd.Series([1, 2, 3], index=['a', 1, 0]).ix[1] == 2 == pd.Series([1, 2, 3], index=['a', 5, 0]).ix[1]
days = pd.Series([1, 2], index=pd.date_range('2018-01-01', periods=2))
assert days.ix['2018-01-02'] == 2 == days.ix[1] == days[1]
for wrong in (lambda: table.ix[9]), (lambda: named.ix['zz']), (lambda: pd.Series([1, 2], index=[0.5, 1.5]).ix[1]):
    try:
        wrong()
    except KeyError:
        pass
    else:
        raise AssertionError('there is no such label')
changed = table.copy()
changed.ix[1, 'b'], changed.ix[2:3, 'a'] = 9, 0
changed.ix[changed.b > 4, 'c'] = 'big'
assert changed.values.tolist() == [[1, 1.5, 'x'], [2, 9, 'big'], [0, 3.5, 'x'], [0, 4.5, 'big']]
changed = named.copy()
changed.ix[0:1, 'b'], changed.ix[1, 0] = 9, 8
changed.ix['t'] = [1, 1, 1]
assert changed.values.tolist()[:2] == [[0, 9, 2], [8, 4, 5]] and changed.index[-1] == 't'

longer = table.append(table[:1])
assert longer.index.tolist() == [0, 1, 2, 3, 0] and longer.dtypes.tolist() == table.dtypes.tolist()
assert (
    table.append({'a': 9}, ignore_index=True).ix[4, 'a'] == 9
    and len(table.append([table, table], ignore_index=True)) == 12
)
one = table.append(pd.Series({'a': 1, 'd': 2}, name='k'))
assert list(one) == ['a', 'b', 'c', 'd'] and one.index[-1] == 'k' and np.isnan(one.b.iloc[-1])
assert pd.DataFrame(columns=['a', 'b']).append({'a': 1, 'b': 'x'}, ignore_index=True).values.tolist() == [[1, 'x']]
# pandas 1.0 to 1.5 have an append of their own that does not sort.
if OLD or pd.__version__ >= '2':
    assert list(named[['c', 'a']].append(named[:1])) == ['a', 'b', 'c']
assert list(named[['c', 'a']].append(named[:1], sort=False)) == ['c', 'a', 'b']
assert table.a.append(table.b, ignore_index=True).tolist() == [1, 2, 3, 4, 1.5, 2.5, 3.5, 4.5]
for wrong in (lambda: table.append({'a': 1})), (lambda: table.append(table, verify_integrity=True)):
    try:
        wrong()
    except (TypeError, ValueError):
        pass
    else:
        raise AssertionError('a row needs a label, and labels may occur once')
assert table[['a', 'b']].as_matrix().tolist() == table.as_matrix(
    ['a', 'b']
).tolist() and table.a.as_matrix().tolist() == [1, 2, 3, 4]
assert table[['a', 'b']].mad().tolist() == [1, 1] and table.b.mad() == 1 and np.allclose(named.mad(axis=1), 2 / 3.0)
assert (
    table.get_value(1, 'b') == 2.5
    and table.copy().set_value(1, 'b', 7).b[1] == 7
    and table.lookup([0, 1], ['a', 'b']).tolist() == [1, 2.5]
)
assert list(table.a.iteritems())[1] == (1, 2) and [name for name, _ in table.iteritems()] == ['a', 'b', 'c']
assert named.applymap(lambda v: v + 1).values[0].tolist() == [1, 2, 3] and table.a.clip_upper(2).tolist() == [
    1,
    2,
    2,
    2,
]

assert (
    list(table.drop('c', 1)) == ['a', 'b']
    and pd.concat([table, table], 1).shape == (4, 6)
    and (named > 5).any(1).tolist() == [False, False, True, True]
)
assert pd.Series([1, None, 3.0]).fillna(method='ffill').tolist() == [1, 1, 3] and table.sort_values(
    'b', 0, False
).a.tolist() == [4, 3, 2, 1]
assert pd.DataFrame({'a': [None, 2.0]}).fillna(method='bfill').a.tolist() == [2, 2] and table.reset_index(
    0, True
).shape == (4, 3)
assert pd.Series([1, None, None, 3.0]).fillna(method='pad', limit=1).isnull().tolist() == [False, False, True, False]
assert table.to_csv(None, ';', index=False, line_terminator='\n').split('\n')[1] == '1;1.5;x'
assert pd.get_dummies(table.c).dtypes.tolist() == [np.uint8] * 3 and pd.get_dummies(table)[:1].values.tolist() == [
    [1, 1.5, 1, 0, 0]
]
assert table.mean().tolist() == [2.5, 3] and table.median().tolist() == [2.5, 3] and table.corr().shape == (2, 2)
assert list(table.groupby('a').mean()) == ['b'] and table.fillna(table.mean()).shape == (4, 3)
assert [name for name in table if table[name].dtype == object] == ['c'] == list(table.select_dtypes(include=['object']))
assert list(table.c.value_counts().reset_index()) == ['index', 'c'] and table.c.value_counts().name == 'c'
assert len(pd.date_range('2018', periods=2, freq='5T')) == 2 and days.resample('12H').ffill().shape == (3,)
assert days.resample('M').sum().tolist() == days.resample('A').sum().tolist() == [3]
assert pd.Series(days.index).dt.weekday_name.tolist() == ['Monday', 'Tuesday'] and pd.Series(
    days.index
).dt.week.tolist() == [1, 1]
assert named.a[1] == 3 and named.a[-1] == 9 and named.a[[0, 1]].tolist() == [0, 3]

text = 'y,m,d,v\n2018,1,2,5\n2018,1,3,6\n'
for dates in [['y', 'm', 'd']], {'when': [0, 1, 2]}, {'when': ['y', 'm', 'd']}:
    read = pd.read_csv(io.StringIO(text), parse_dates=dates, infer_datetime_format=True, index_col=0)
    assert read.index[1] == datetime(2018, 1, 3) and read.v.tolist() == [5, 6] and list(read) == ['v']
assert list(pd.read_csv(io.StringIO(text), parse_dates={'when': [0, 1, 2]}, keep_date_col=True)) == [
    'when',
    'y',
    'm',
    'd',
    'v',
]
read = pd.read_csv(
    io.StringIO(text),
    parse_dates=[['y', 'm', 'd']],
    index_col=0,
    date_parser=lambda t: datetime.strptime(t, '%Y %m %d'),
)
assert read.index[0] == datetime(2018, 1, 2) and read.index.name == 'y_m_d'
read = pd.read_csv(
    io.StringIO('d,v\n1-01,5\n1-02,6\n'),
    header=0,
    parse_dates=[0],
    index_col=0,
    squeeze=True,
    date_parser=lambda t: pd.datetime.strptime('190' + t, '%Y-%m'),
)
assert isinstance(read, pd.Series) and read.tolist() == [5, 6] and read.index[1] == datetime(1901, 2, 1)
assert (
    pd.read_csv(io.StringIO('a;b\n1;2\n'), ';').values.tolist()
    == [[1, 2]]
    == pd.read_table(io.StringIO('1;2\n'), ';', header=None).values.tolist()
)
assert list(pd.read_csv(io.StringIO('1,2\n'), header=None, prefix='X')) == ['X0', 'X1']
assert len(pd.read_csv(io.StringIO('a,b\n1,2\n1,2,3\n'), error_bad_lines=False, warn_bad_lines=False)) == 1
assert list(pd.read_csv(io.StringIO('a b\n1  2\n'), delim_whitespace=True)) == ['a', 'b']
if hasattr(pd.Series, 'from_csv'):  # pandas 0.24 and 0.25 do not have these
    assert pd.Series.from_csv(io.StringIO('2018-01-01,5\n2018-01-02,6\n')).index[1] == datetime(2018, 1, 2)
    assert pd.Series.from_csv(io.StringIO('d,v\n2018-01-01,5\n'), header=0).name == 'v'
    assert pd.DataFrame.from_csv(io.StringIO('d,v\n2018-01-01,5\n')).index[0] == datetime(2018, 1, 1)
    assert named.reindex_axis(['c', 'a'], axis=1).values[0].tolist() == [2, 0]
if not pd.__version__.startswith('0.'):  # 0.22 had these
    assert pd.rolling_mean(table.a, 2).tolist()[1:] == [1.5, 2.5, 3.5] and table.sort(
        'b', ascending=False
    ).a.tolist() == [4, 3, 2, 1]
    assert pd.rolling_std(np.array([1.0, 3.0, 5.0]), 2)[1:].round(4).tolist() == [1.4142, 1.4142]
assert pd.np is np and pd.io.json.json_normalize([{'a': {'b': 1}}]).values.tolist() == [[1]]

# A column that was taken from a table is a part of the table.
changed = named.copy()
changed['a'][1] = 100
changed['b'][changed['a'] > 5] = 0
assert changed.values.tolist() == [[0, 1, 2], [100, 0, 5], [6, 0, 8], [9, 0, 11]]
changed = named.copy()
changed.ix[0, 'a'] = None
changed['a'].fillna(-1, inplace=True)
changed.a.replace(3.0, 33.0, inplace=True)
changed['a'].loc['r'] = 8
column = changed['b']
column[0], column[1] = 50, 60
column.iloc[2] = 70
changed['c'].values[0] = 44
assert changed.values.tolist() == [[-1, 50, 44], [33, 60, 5], [8, 70, 8], [9, 10, 11]], changed
apart = changed['b'].copy()
apart[0] = 0
assert changed['b'].tolist() == [50, 60, 70, 10]
text_table = pd.DataFrame({'s': ['a', None, 'c'], 'n': pd.Categorical(['u', 'v', 'u'])})
text_table['s'].fillna('none', inplace=True)
text_table['n'][0] = 'v'
assert text_table['s'].tolist() == ['a', 'none', 'c'] and text_table['n'].tolist() == ['v', 'v', 'u']
values = named.values
values /= 2
assert named.values[3].tolist() == [4.5, 5, 5.5]
print('cured')
