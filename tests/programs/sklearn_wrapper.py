"""Keras inside scikit-learn: KerasClassifier and KerasRegressor in cross_val_score, a pipeline and GridSearchCV."""
# original: no
# The environment of the original has no scikit-learn.
import json

import numpy as np
from keras.layers import Dense
from keras.models import Sequential
from keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder, StandardScaler

seed = 7
np.random.seed(seed)


def create_model(neurons=8, optimizer='adam'):
    model = Sequential()
    model.add(Dense(neurons, input_dim=4, activation='relu'))
    model.add(Dense(3, activation='softmax'))
    model.compile(loss='categorical_crossentropy', optimizer=optimizer, metrics=['accuracy'])
    return model


def regression_model():
    model = Sequential([Dense(8, input_dim=4, activation='tanh'), Dense(1)])
    model.compile('rmsprop', 'mse')
    return model


rng = np.random.RandomState(0)
centers = 3 * rng.normal(size=(3, 4))
numbers = np.arange(90) % 3
X = centers[numbers] + 0.5 * rng.normal(size=(90, 4)) + 10.
names = np.array(['setosa', 'versicolor', 'virginica'])[numbers]
encoder = LabelEncoder()
encoded_Y = encoder.fit(names).transform(names)
dummy_y = np.eye(3)[encoded_Y]

estimator = KerasClassifier(build_fn=create_model, epochs=40, batch_size=10, verbose=0)
estimators = [('standardize', StandardScaler()), ('mlp', estimator)]
pipeline = Pipeline(estimators)
pipeline.fit(X, encoded_Y)
predicted = pipeline.predict(X)
assert predicted.shape == (90,) and accuracy_score(encoded_Y, predicted) > 0.9
assert confusion_matrix(encoded_Y, predicted).trace() > 80
assert pipeline.predict_proba(X[:4]).shape == (4, 3)

scaled = (X - X.mean(axis=0)) / X.std(axis=0)
results = cross_val_score(estimator, scaled, encoded_Y, cv=StratifiedKFold(n_splits=3, shuffle=True, random_state=seed))
print('Baseline: %.2f%% (%.2f%%)' % (results.mean() * 100, results.std() * 100))
assert results.shape == (3,) and results.mean() > 0.85, results

model = KerasClassifier(build_fn=create_model, verbose=0, epochs=15)
param_grid = dict(neurons=[2, 8], batch_size=[10])
grid = GridSearchCV(estimator=model, param_grid=param_grid, cv=2)
grid_result = grid.fit(scaled, dummy_y.argmax(axis=1))
print('Best: %f using %s' % (grid_result.best_score_, grid_result.best_params_))
assert sorted(grid_result.best_params_) == ['batch_size', 'neurons']
assert len(grid_result.cv_results_['mean_test_score']) == 2
assert model.get_params()['epochs'] == 15

targets = scaled.dot([1., -2., 0.5, 0.]) / 2
regressor = KerasRegressor(build_fn=regression_model, epochs=40, batch_size=5, verbose=0)
scores = cross_val_score(regressor, scaled, targets, cv=KFold(n_splits=2, shuffle=True, random_state=1))
assert (scores > -0.3).all() and (scores <= 0).all(), scores
print('RESULT ' + json.dumps({'classes': len(set(predicted.tolist())), 'folds': len(results)}))
