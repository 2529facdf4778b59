"""KerasClassifier and KerasRegressor in scikit-learn."""
# needs: sklearn
import numpy as np
from keras.layers import Dense
from keras.models import Sequential
from keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

np.random.seed(0)
x = np.random.randn(90, 4)
y = (x[:, 0] + x[:, 1] > 0).astype(int)


def classifier(units=4):
    model = Sequential([Dense(units, activation='tanh', input_dim=4), Dense(1, activation='sigmoid')])
    model.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
    return model


def regressor():
    model = Sequential([Dense(1, input_dim=4)])
    model.compile('sgd', 'mse')
    return model


grid = GridSearchCV(KerasClassifier(classifier, epochs=2, batch_size=10, verbose=0), {'units': [2, 6]}, cv=2)
grid.fit(x, y)
assert grid.best_params_['units'] in (2, 6) and grid.predict(x).shape == (90, 1)
scores = cross_val_score(make_pipeline(StandardScaler(), KerasRegressor(regressor, epochs=5, verbose=0)), x,
                         x.dot([1., 2., 3., 4.]), cv=3)
assert scores.shape == (3,) and np.isfinite(scores).all()
print('cured')
