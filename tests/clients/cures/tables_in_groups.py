"""What pandas computed otherwise before 3.0: groups, means, patterns, dates. The values are those of pandas 0.24."""

# needs: pandas
import io

import numpy as np
import pandas as pd

table = pd.DataFrame({'a': [3, 1, 2, 1], 'b': [1.0, 2.0, np.nan, 4.0], 'c': list('xyxy')})

# Groups: the functions of NumPy are methods of pandas, text has no sum, a list of one key is the key.
groups = table.groupby('c')
assert np.allclose(groups['a'].agg(np.std), [np.sqrt(0.5), 0])
assert np.allclose(groups['a'].agg([np.var])['var'], [0.5, 0])
assert np.allclose(table['a'].agg(np.std), table['a'].std()) and table.pivot_table('a', 'c', aggfunc=np.sum).a['x'] == 5
assert list(table.groupby('a').sum()) == ['b'] and list(table.groupby('a').agg(np.sum)) == ['b']
assert list(table.groupby('a').mean()) == ['b'] == list(table.groupby('a').agg(np.mean))
assert table[['c']].groupby(table.a).sum().c[1] == 'yy'
assert [key for key, _ in table.groupby(['c'])] == ['x', 'y'] == list(table.groupby(['c']).groups)
assert len(table.groupby(['c']).get_group('x')) == 2

# Groups: a result with the rows of the groups has their order, and functions see the column of the key.
filled = groups['b'].apply(lambda part: part.fillna(part.mean()))
assert filled.tolist() == [1, 2, 1, 4] and filled.index.tolist() == [0, 1, 2, 3]
whole = groups.apply(lambda part: part.fillna(0))
assert list(whole) == ['a', 'b', 'c'] and whole.b.tolist() == [1, 2, 0, 4]
assert groups.apply(lambda part: part.iloc[:1]).index.tolist() == [('x', 0), ('y', 1)]
assert groups.apply(lambda part: part.a.sum()).tolist() == [5, 2]
without = table.copy()
without.loc[0, 'c'] = None
kept = without.groupby('c')['b'].apply(lambda part: part.fillna(0))
# pandas 1.5 mixes up these rows.
if not pd.__version__.startswith('1.'):
    assert kept.isnull().tolist()[0] and kept.tolist()[1:] == [2, 0, 4]

# Means and sums by column; gaps are filled before changes are computed.
numbers = table[['a', 'b']]
assert np.mean(numbers).tolist() == [1.75, 7 / 3.0] and np.sum(numbers).tolist() == [7, 7]
assert np.max(numbers).tolist() == [3, 4] and np.std(table[['a']]).shape == (1,) and np.mean(table['a']) == 1.75
assert table.sum(axis=1).tolist() == [4, 3, 2, 5] and table.prod().tolist() == [6, 8]
assert table.b.pct_change().tolist()[1:] == [1, 0, 1] and groups['b'].pct_change().tolist()[2:] == [0, 1]

# Patterns, numbers made of text, sets of labels.
text = pd.Series(['a.b', 'C-d', None])
assert text.str.replace('[^a-zA-Z]', ' ').tolist()[:2] == ['a b', 'C d'] and text.str.replace('.', '')[0] == 'ab'
assert text.str.replace('c', 'k', case=False)[1] == 'k-d' and text.str.replace('a|C', lambda m: 'z')[0] == 'z.b'
assert pd.Series(['a b c']).str.split(' ', 1, True).values.tolist() == [['a', 'b c']]
assert table.c.replace(['x', 'y'], [0, 1]).dtype == np.int64 and table.c.replace({'x': 0.5, 'y': 1}).dtype == np.float64
changed = table.copy()
changed['c'].replace(['x', 'y'], [0, 1], inplace=True)
assert changed.values.dtype == np.float64 and pd.Series([True, None]).fillna(False).dtype == bool
assert (pd.Index([1, 2]) & pd.Index([2, 3])).tolist() == [2] and (pd.Index([1]) | pd.Index([3])).tolist() == [1, 3]
column = changed['a']
column += 10
assert changed.a.tolist() == [13, 11, 12, 11]

# Dates: nanoseconds, days as numbers, a form for each text.
moments = pd.to_datetime(pd.Series(['2016-01-05', None, '2016-01-05 06:00', '01/02/2016']))
assert moments.isnull().tolist() == [False, True, False, False] and moments[3].month == 1
assert moments.dropna().astype(np.int64).tolist()[0] == 1451952000 * 10**9 == moments[:1].values.astype(np.int64)[0]
assert pd.date_range('2016-01-01', periods=1).asi8[0] // 10**9 == 1451606400
read = pd.read_csv(io.StringIO('when,v\n2016-01-01,1\n'), parse_dates=['when'], index_col='when')
assert read.index.astype(int)[0] == 1451606400 * 10**9
days = (moments - pd.Timestamp('2016-01-01')).astype('timedelta64[D]')
assert days.dtype == np.float64 and days.tolist()[2] == 4 and np.isnan(days[1])
assert pd.to_datetime('2016-01-01', infer_datetime_format=True).day == 1
assert pd.to_numeric(pd.Series(['1', 'x']), errors='ignore').tolist() == ['1', 'x']
assert len(pd.date_range('2016-01-01', '2016-01-03', closed='left')) == 2
assert len(pd.DatetimeIndex(start='2016-01-01', periods=3, freq='D')) == 3
series = pd.DataFrame({'v': np.arange(6.0), 'w': list('ababab')})
series.index = pd.date_range('2016-01-01', periods=6, freq='12H')
assert series.resample('D', how='mean').v.tolist() == [0.5, 2.5, 4.5] == series.resample('D').mean().v.tolist()
assert list(series.resample('D').sum()) == ['v'] and series.groupby(pd.TimeGrouper('D')).sum().v.tolist() == [1, 5, 9]
assert len(series['2016-01-02']) == 2 and len(series.last('1D')) == 2 == len(series.first('1D'))
assert series.index.week.tolist()[-1] == 53 and series.index.weekday_name[0] == 'Friday'
assert series.v.tshift(1).index[0] == series.index[1] and series.index[0].weekday_name == 'Friday'

# Before pandas 1.0: a label, arrays in windows, sorted columns.
assert pd.Series([3, 9, 1], index=list('pqr')).argmax() == 'q' and pd.Series(list('xyy')).value_counts().argmax() == 'y'
assert pd.Series([3, 9, 1], index=list('pqr')).idxmin() == 'r' and table[table.a < 3].a.argmax() == 2
assert table.a.rolling(2).apply(lambda part: part[0]).tolist()[1:] == [3, 1, 2]
assert list(pd.concat([table[['b', 'a']], table[['a', 'b']]])) == ['a', 'b']
assert list(pd.concat([table[['b', 'a']], table[['b', 'a']]])) == ['b', 'a']

# Names that are gone, and columns that take another type.
assert pd.value_counts([1, 1, 2]).tolist() == [2, 1] and pd.unique([1, 2, 1]).tolist() == [1, 2]
assert table.a.nonzero()[0].tolist() == [0, 1, 2, 3] and table.a.ravel().shape == (4,) == table.a.get_values().shape
assert table.a.ptp() == 2 and table.index.is_monotonic and not table.a.is_monotonic and table.index.contains(3)
assert table.a[:, np.newaxis].shape == (4, 1) and table.a.between(1, 2, inclusive=True).sum() == 3
assert table.to_dict('r')[0]['c'] == 'x' == table.to_dict('row')[2]['c']
assert pd.DataFrame.from_items([('q', [1]), ('p', [2])]).columns.tolist() == ['q', 'p']
assert table.set_index('c').sum(level=0)['a'].tolist() == [5, 2] == table.set_index('c')['a'].sum(level='c').tolist()
assert groups.fillna(0)['b'].tolist() == [1, 2, 0, 4] and groups['b'].fillna(method='ffill').tolist() == [1, 2, 1, 4]
assert table[['a', 'b']].stack().shape == (7,) and table.interpolate().b.tolist() == [1, 2, 3, 4]
changed = table.copy()
changed.loc[0, 'a'] = 1.5
changed.loc[changed.b > 1, 'b'] = 'high'
changed.iloc[0, 2] = 7
changed['a'][1] = 'low'
assert changed.values.tolist()[:2] == [[1.5, 1.0, 7], ['low', 'high', 'y']]
changed = table[['a']].copy()
changed.loc[0] = 0.25
changed.at[1, 'a'] = 0.5
assert changed.a.tolist() == [0.25, 0.5, 2, 1] and changed.a.dtype == np.float64
missing = table.loc[[0, 9]]
assert missing.a.tolist()[0] == 3 and np.isnan(missing.a.tolist()[1]) and table.a.loc[[1, 77]].isnull().tolist()[1]
assert np.isnan(table.loc[:, ['a', 'zz']].values[:, 1].astype(float)).all()
pd.set_option('precision', 3)
pd.set_option('max_colwidth', -1)
print('cured')
