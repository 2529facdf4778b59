"""Two outputs: a list of metrics for both, weights of samples and targets by names, results zipped with their names."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.metrics import MeanAbsoluteError
from tensorflow.keras.models import Model


def largest(y_true, y_pred):
    return K.max(K.abs(y_true - y_pred), axis=-1)


def build(**options):
    inputs = Input((3,))
    model = Model(inputs, [Dense(1, name='zeta')(inputs), Dense(2, name='alpha')(inputs)])
    model.compile('sgd', 'mse', **options)
    model.set_weights([np.ones(w.shape) * .5 * k for k, w in enumerate(model.get_weights())])
    return model


rs = np.random.RandomState(0)
x, y = rs.rand(8, 3), [rs.rand(8, 1), rs.rand(8, 2)]
named, weights = {'zeta': y[0], 'alpha': y[1]}, {'alpha': np.arange(8.), 'zeta': np.ones(8)}
results = {}
for key, options in {
    'functions': dict(metrics=['mae', largest]),
    'an object': dict(metrics=[MeanAbsoluteError(name='error')]),
    'both': dict(metrics=['mse'], weighted_metrics=['mae'], loss_weights=[1., .5]),
    'by names': dict(metrics={'alpha': ['mae', largest]}),
}.items():
    model = build(**options)
    first = model.evaluate(x, y, verbose=0)
    results[key] = [dict(zip(model.metrics_names, first)), model.metrics_names.index('alpha_loss')]
    results[key].append(model.evaluate(x, y, batch_size=4, sample_weight=weights, verbose=0))
    results[key].append(model.test_on_batch(x, named, sample_weight={'alpha': np.arange(8.)}))
    history = model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0, sample_weight=weights).history
    results[key].append({name: [float(v) for v in values] for name, values in history.items()})
    results[key].append([float(v) for v in model.train_on_batch(x, y, weights)])

model = build(metrics=[['MeanSquaredError', 'KLDivergence'], ['CosineSimilarity', 'MSE', 'RootMeanSquaredError']])
results['classes'] = {name: [float(v) for v in values] for name, values in model.fit(x, y, verbose=0).history.items()}
one = Model(model.input, model.outputs[0])
one.compile('sgd', 'mse', metrics=['mae'])
results['one'] = [one.metrics_names, one.evaluate(x, y[0], verbose=0), one.metrics_names]
results['one'] = [len(results['one'][0]), results['one'][1], results['one'][2].index('mae')]
print('RESULT ' + json.dumps(results))
