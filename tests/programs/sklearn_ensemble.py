"""Networks among the tools of scikit-learn, as kernels of 2018 had them: a table read from a file, labels encoded,
a vote of wrapped networks and forests, out-of-fold predictions stacked, a grid search with several scores, reports."""
from __future__ import print_function
import json
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix, f1_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.utils import class_weight

from keras import backend as K
from keras.callbacks import EarlyStopping
from keras.initializers import RandomNormal
from keras.layers import Dense
from keras.models import Sequential
from keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

warnings.filterwarnings('ignore')
seed = 7
np.random.seed(seed)
rng = np.random.RandomState(1)
rows = 120
numbers = np.arange(rows) % 3
measured = rng.normal(size=(rows, 4)) + np.array([[2, 0, 1, 0], [0, 2, 0, 1], [-1, -1, 2, 2]])[numbers] * 1.5
color = rng.randint(0, 3, rows)
species = np.array(['Iris-setosa', 'Iris-versicolor', 'Iris-virginica'])[numbers]
with open('iris.csv', 'w') as stream:
    for row, shade, name in zip(measured, color, species):
        stream.write(','.join(['%.4f' % value for value in row] + [str(shade), name]) + '\n')

table = np.genfromtxt('iris.csv', delimiter=',', dtype=None, encoding=None)
X = np.array([list(row)[:4] + [float(row[4] == shade) for shade in range(3)] for row in table]).astype(float)
Y = np.array([row[5] for row in table])
encoder = LabelEncoder()
encoder.fit(Y)
encoded_Y = encoder.transform(Y)
onehot = OneHotEncoder(sparse=False)
dummy_y = onehot.fit_transform(encoded_Y.reshape(len(encoded_Y), 1))
X_train, X_test, y_train, y_test = train_test_split(X, encoded_Y, test_size=0.25, random_state=42, stratify=encoded_Y)


def baseline_model(units=6, lr=.5):
    model = Sequential()
    model.add(Dense(units, input_dim=X.shape[1], activation='tanh', kernel_initializer=RandomNormal(stddev=.5, seed=1)))
    model.add(Dense(3, activation='softmax', kernel_initializer=RandomNormal(stddev=.5, seed=2)))
    rs = np.random.RandomState(units)
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
    model.compile(loss='categorical_crossentropy', optimizer='sgd', metrics=['accuracy'])
    K.set_value(model.optimizer.lr, lr)
    return model


def larger_model():
    model = Sequential()
    model.add(Dense(5, input_dim=X.shape[1], activation='relu'))
    model.add(Dense(1))
    rs = np.random.RandomState(0)
    model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])
    model.compile(loss='mean_squared_error', optimizer='sgd')
    return model


clf1 = KerasClassifier(build_fn=baseline_model, epochs=3, batch_size=len(X), shuffle=False, verbose=0)
results = cross_val_score(clf1, X, encoded_Y, cv=KFold(n_splits=3, shuffle=True, random_state=seed))
print('Baseline: %.2f%% (%.2f%%)' % (results.mean() * 100, results.std() * 100))

pipe = Pipeline([('scale', StandardScaler()), ('net', KerasClassifier(build_fn=baseline_model, epochs=4,
                                                                      batch_size=len(X), shuffle=False, verbose=0))])
grid = GridSearchCV(pipe, {'net__lr': [.1, .5], 'net__units': [4, 6]}, scoring='accuracy', cv=3, n_jobs=1,
                    return_train_score=True)
grid_result = grid.fit(X_train, y_train)
means, stds = grid_result.cv_results_['mean_test_score'], grid_result.cv_results_['std_test_score']
for mean, stdev, param in zip(means, stds, grid_result.cv_results_['params']):
    print('%f (%f) with: %r' % (mean, stdev, param))
y_pred = grid.best_estimator_.predict(X_test)
print(classification_report(y_test, y_pred, target_names=list(encoder.classes_)))

# The vote.
nets = [('net%d' % n, KerasClassifier(build_fn=baseline_model, units=n, epochs=4, batch_size=len(X), shuffle=False,
                                      verbose=0)) for n in (5, 7)]
for name, net in nets:
    net._estimator_type = 'classifier'
linear = ('lr', LogisticRegression(C=1., solver='lbfgs', tol=1e-8, max_iter=500))
vote = VotingClassifier(estimators=nets + [linear], voting='soft', weights=[1, 1, 2])
vote.fit(X_train, y_train)
soft = vote.predict_proba(X_test)
hard = VotingClassifier(nets, voting='hard').fit(X_train, y_train).predict(X_test)


class StackingAveragedModels(BaseEstimator, ClassifierMixin):
    def __init__(self, base_models, meta_model, n_folds=3):
        self.base_models = base_models
        self.meta_model = meta_model
        self.n_folds = n_folds

    def fit(self, X, y):
        self.base_models_ = [list() for x in self.base_models]
        self.meta_model_ = clone(self.meta_model)
        kfold = KFold(n_splits=self.n_folds, shuffle=True, random_state=156)
        out_of_fold = np.zeros((X.shape[0], 3 * len(self.base_models)))
        for i, model in enumerate(self.base_models):
            for train_index, holdout_index in kfold.split(X):
                instance = clone(model)
                self.base_models_[i].append(instance)
                instance.fit(X[train_index], y[train_index])
                out_of_fold[holdout_index, 3 * i:3 * i + 3] = instance.predict_proba(X[holdout_index])
        self.meta_model_.fit(out_of_fold, y)
        return self

    def predict(self, X):
        meta = np.column_stack([np.array([m.predict_proba(X) for m in models]).mean(axis=0)
                                for models in self.base_models_])
        return self.meta_model_.predict(meta)


stack = StackingAveragedModels([clf1, RandomForestClassifier(n_estimators=10, random_state=0)],
                               LogisticRegression(solver='lbfgs', tol=1e-8, max_iter=500)).fit(X_train, y_train)
stacked = stack.predict(X_test)
weights = class_weight.compute_class_weight('balanced', classes=np.unique(y_train), y=y_train)
weighted = clone(clf1)
weighted.fit(X_train, y_train, class_weight=dict(enumerate(weights)),
             callbacks=[EarlyStopping(monitor='loss', patience=1)])
regressor = KerasRegressor(build_fn=larger_model, epochs=3, batch_size=len(X), shuffle=False, verbose=0)
scaled = make_pipeline(MinMaxScaler(), regressor)
scores = cross_val_score(scaled, X, X[:, 3], cv=3, scoring='neg_mean_squared_error')
predicted = cross_val_predict(clone(regressor), X / 4., X[:, 3], cv=KFold(3))
clf1.fit(X, encoded_Y)
print('RESULT ' + json.dumps({
    'folds': results.tolist(), 'grid': means.tolist(), 'best': float(grid_result.best_score_),
    'soft': soft[::3].tolist(),
    'hard': [int(n) for n in hard], 'stacked': [int(n) for n in stacked], 'loss': log_loss(y_test, soft),
    'matrix': confusion_matrix(y_test, y_pred).tolist(), 'f1': f1_score(y_test, stacked, average='macro'),
    'weighted': weighted.predict_proba(X_test)[::4].tolist(), 'mse': scores.tolist(),
    'predicted': predicted[::9].tolist(), 'auc': roc_auc_score(dummy_y[:30], clf1.predict_proba(X[:30])),
}))
