"""Data preparation as of 2019: a table of pandas, encoders of scikit-learn, an embedding for each kind of column, and K
in the loss. The pandas and scikit-learn of today have other names for it; NumPy computes what the table should be."""
# original: no
import json

import numpy as np
import pandas as pd
from sklearn.externals import joblib
from sklearn.model_selection import KFold
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import class_weight
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Concatenate, Dense, Embedding, Flatten, Input
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import SGD

rs = np.random.RandomState(11)
N = 60
ages = rs.randint(20, 60, N).astype(float)
ages[::7] = np.nan
df = pd.DataFrame({'age': ages, 'job': rs.choice(['clerk', 'nurse', 'pilot'], N), 'town': rs.choice(['A', 'B'], N),
                   'hours': rs.randint(10, 50, N)})
df['age'].fillna(df['age'].mean(), inplace=True)
df = df.append(pd.DataFrame({'age': [33.], 'job': ['pilot'], 'town': ['B'], 'hours': [40]}), ignore_index=True)
assert not df['age'].isnull().any() and len(df) == N + 1
assert abs(df['age'][0] - np.nanmean(ages)) < 1e-9
texts = df.select_dtypes(include=['object']).columns
assert list(texts) == ['job', 'town'], list(texts)
y = ((df['hours'] > 30) & (df['job'] != 'clerk')).astype(np.int).values

towns = pd.get_dummies(df['town'], prefix='town')
df = pd.concat([df.drop('town', 1), towns], axis=1)
codes = {job: code for code, job in enumerate(sorted(df['job'].unique()))}
jobs = df['job'].map(codes).values.astype(np.int)
numbers = df[['age', 'hours', 'town_A', 'town_B']].as_matrix().astype(np.float)
scaler = MinMaxScaler()
numbers = scaler.fit_transform(numbers)
joblib.dump(scaler, 'scaler.pkl')
again = joblib.load('scaler.pkl')
assert np.allclose(again.inverse_transform(numbers)[:, 1], df['hours'])
weights = class_weight.compute_class_weight('balanced', np.unique(y), y)
assert np.allclose(weights, len(y) / (2. * np.bincount(y)))


def weighted_crossentropy(y_true, y_pred):
    y_true = K.cast(y_true, K.floatx())
    w = y_true * weights[1] + (1 - y_true) * weights[0]
    return K.mean(w * K.binary_crossentropy(y_true, y_pred), axis=-1)


def build():
    code, rest = Input((1,), dtype='int32'), Input((4,))
    h = Concatenate()([Flatten()(Embedding(len(codes), 2)(code)), rest])
    out = Dense(1, activation='sigmoid')(Dense(6, activation='tanh')(h))
    model = Model([code, rest], out)
    seeds = np.random.RandomState(5)
    model.set_weights([seeds.normal(0, .5, w.shape) for w in model.get_weights()])
    model.compile(SGD(lr=.3), loss=weighted_crossentropy)
    return model


scores, rounds = [], []
for train, test in KFold(n_splits=3, shuffle=True, random_state=1).split(numbers):
    model = build()
    p = model.predict([jobs[train], numbers[train]], verbose=0)[:, 0].astype(np.float)
    w = np.where(y[train] == 1, weights[1], weights[0])
    expected = -np.mean(w * np.where(y[train] == 1, np.log(p), np.log(1 - p)))
    first = model.evaluate([jobs[train], numbers[train]], y[train], batch_size=len(train), verbose=0)
    assert abs(first - expected) < 1e-4, (first, expected)
    history = model.fit([jobs[train], numbers[train]], y[train], batch_size=len(train), epochs=30, verbose=0)
    rounds.append(float(history.history['loss'][-1]))
    scores.append(float(np.mean((model.predict([jobs[test], numbers[test]], verbose=0)[:, 0] > .5) == y[test])))
assert max(rounds) < .6

print('RESULT', json.dumps({'weights': list(weights), 'losses': rounds, 'scores': scores}))
