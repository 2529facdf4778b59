"""The costs and readings of CTC on arrays, as an evaluation script of 2021 calls them; no model."""
import json

import numpy as np

import keras_backend.keras3 as K


def paths_cost(p, label):
    """-log of the sum over all paths that read as `label`; the blank is the last class."""
    total, blank = 0., p.shape[1] - 1
    for code in np.ndindex(*[p.shape[1]] * len(p)):
        read = [k for i, k in enumerate(code) if (i == 0 or code[i - 1] != k) and k != blank]
        if read == list(label):
            total += np.prod([p[t, k] for t, k in enumerate(code)])
    return -np.log(total)


rs = np.random.RandomState(37)
p = rs.uniform(.1, 1, (4, 5, 4)).astype('float32')
p /= p.sum(-1, keepdims=True)
labels = np.array([[0, 1, 0], [2, 2, 0], [1, 0, 2], [0, 0, 0]])
lengths, steps = np.array([[2], [2], [3], [1]]), np.array([[5], [5], [4], [3]])
costs = K.get_value(K.ctc_batch_cost(K.constant(labels), K.constant(p), K.constant(steps, dtype='int32'),
                                     K.constant(lengths, dtype='int32')))
truth = [[paths_cost(p[i, :steps[i, 0]].astype('float64'), labels[i, :lengths[i, 0]])] for i in range(4)]
np.testing.assert_allclose(costs, truth, rtol=1e-4)
greedy, scores = K.ctc_decode(p, steps[:, 0], greedy=True)
beams, log_probabilities = K.ctc_decode(p, steps[:, 0], greedy=False, beam_width=50, top_paths=2)
dense = K.get_value(greedy[0])
read = [[int(k) for k in row if k >= 0] for row in dense]
best = [[int(k) for k in row if k >= 0] for row in K.get_value(beams[0])]
for i in range(4):
    assert abs(paths_cost(p[i, :steps[i, 0]].astype('float64'), best[i]) + K.get_value(log_probabilities)[i, 0]) < 1e-3
print('RESULT ' + json.dumps({'costs': costs.tolist(), 'greedy': read, 'scores': K.get_value(scores).tolist(),
                              'best': best, 'log_probabilities': K.get_value(log_probabilities).tolist()}))
