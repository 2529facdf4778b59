"""Nodes of a graph told apart: graph convolutions with a sparse adjacency as Input(sparse=True), Chebyshev
polynomials, graph attention with dense masks, scipy.sparse around it, a loss over the nodes with labels."""
# keras: 2.2.4
# Keras 2.3.1 on TensorFlow 1.15 takes no sparse matrices here.
from __future__ import print_function

import json

import numpy as np
import scipy.sparse as sp
from keras import activations, constraints, initializers, regularizers
import keras.backend as K
from keras.engine import Layer
from keras.layers import Dense, Dropout, Input, LeakyReLU
from keras.models import Model
from keras.optimizers import SGD
from keras.regularizers import l2

N, F, CLASSES = 16, 6, 3


class GraphConvolution(Layer):
    """The mean of a layer over neighbours, for some matrices of neighbours."""

    def __init__(self, units, support=1, activation=None, use_bias=True, kernel_initializer='glorot_uniform',
                 kernel_regularizer=None, kernel_constraint=None, **kwargs):
        super(GraphConvolution, self).__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.supports_masking = True
        self.support = support

    def compute_output_shape(self, input_shapes):
        return (input_shapes[0][0], self.units)

    def build(self, input_shapes):
        input_dim = input_shapes[0][1]
        self.kernel = self.add_weight(shape=(input_dim * self.support, self.units), name='kernel',
                                      initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
                                      constraint=self.kernel_constraint)
        self.bias = self.add_weight(shape=(self.units,), initializer='zeros', name='bias') if self.use_bias else None
        self.built = True

    def call(self, inputs, mask=None):
        features = inputs[0]
        basis = inputs[1:]
        supports = [K.dot(basis[i], features) for i in range(self.support)]
        output = K.dot(K.concatenate(supports, axis=1), self.kernel)
        if self.use_bias:
            output += self.bias
        return self.activation(output)


class GraphAttention(Layer):
    def __init__(self, F_, attn_heads=1, attn_heads_reduction='concat', activation='elu', **kwargs):
        self.F_, self.attn_heads, self.reduction = F_, attn_heads, attn_heads_reduction
        self.activation = activations.get(activation)
        super(GraphAttention, self).__init__(**kwargs)

    def build(self, input_shape):
        self.kernels, self.attn_kernels = [], []
        for head in range(self.attn_heads):
            self.kernels.append(self.add_weight(shape=(input_shape[0][-1], self.F_), initializer='glorot_uniform',
                                                name='kernel_{}'.format(head)))
            self.attn_kernels.append([self.add_weight(shape=(self.F_, 1), initializer='glorot_uniform',
                                                      name='attn_kernel_%s_%d' % (which, head))
                                      for which in ('self', 'neigh')])
        self.built = True

    def call(self, inputs):
        X, A = inputs
        outputs = []
        for head in range(self.attn_heads):
            features = K.dot(X, self.kernels[head])
            attn_for_self = K.dot(features, self.attn_kernels[head][0])
            attn_for_neighs = K.dot(features, self.attn_kernels[head][1])
            dense = LeakyReLU(alpha=0.2)(attn_for_self + K.transpose(attn_for_neighs))
            mask = -10e9 * (1.0 - A)
            dense += mask
            outputs.append(K.dot(K.softmax(dense), features))
        output = K.concatenate(outputs) if self.reduction == 'concat' else K.mean(K.stack(outputs), axis=0)
        return self.activation(output)

    def compute_output_shape(self, input_shape):
        return input_shape[0][0], self.F_ * (self.attn_heads if self.reduction == 'concat' else 1)


def normalize_adj(adj):
    d = sp.diags(np.power(np.array(adj.sum(1)), -0.5).flatten(), 0)
    return adj.dot(d).transpose().dot(d).tocsr()


def chebyshev_polynomial(X, k):
    T_k = [sp.eye(X.shape[0]).tocsr(), X]
    for _ in range(2, k + 1):
        X_ = sp.csr_matrix(X, copy=True)
        T_k.append(2 * X_.dot(T_k[-1]) - T_k[-2])
    return T_k


rs = np.random.RandomState(5)
labels = np.arange(N) % CLASSES
edges = np.triu(rs.rand(N, N) < np.where(labels[:, None] == labels, .6, .08), 1)
adj = sp.coo_matrix(edges.astype('float32')).tocsr()
adj = adj + adj.T
X = (np.eye(CLASSES)[labels].dot(rs.rand(CLASSES, F)) + .5 * rs.rand(N, F)).astype('float32')
X /= X.sum(1).reshape(-1, 1)
y = np.eye(CLASSES)[labels]
train_mask = np.arange(N) < 9
A_ = normalize_adj(adj + sp.eye(N)).astype('float32')
laplacian = (sp.eye(N) - normalize_adj(adj + sp.eye(N) * 1e-3))
polynomials = [T.astype('float32') for T in chebyshev_polynomial((laplacian - sp.eye(N)).tocsr(), 2)]


def train(model, inputs, epochs=60):
    model.set_weights([rs.normal(0, .6, w.shape) if w.ndim > 1 else w for w in model.get_weights()])
    before = model.predict(inputs, batch_size=N)
    model.compile(loss='categorical_crossentropy', optimizer=SGD(lr=.3, momentum=.9), weighted_metrics=['acc'])
    steps = [float(model.train_on_batch(inputs, y, sample_weight=train_mask.astype(float))[0]) for _ in range(3)]
    history = model.fit(inputs, y, sample_weight=train_mask.astype(float), batch_size=N, epochs=epochs, shuffle=False,
                        verbose=0)
    preds = model.predict(inputs, batch_size=N)
    accuracy = np.mean((preds.argmax(1) == labels)[~train_mask])
    print('loss %.3f, accuracy of the rest %.2f' % (history.history['loss'][-1], accuracy))
    assert history.history['loss'][-1] < .5 * steps[0] and accuracy > .5
    return before, steps


result = {}
X_in = Input(shape=(F,))
for name, support, matrices in (('localpool', 1, [A_]), ('chebyshev', 3, polynomials)):
    G = [Input(shape=(None, None), batch_shape=(None, None), sparse=True) for _ in range(support)]
    H = Dropout(0.)(X_in)
    H = GraphConvolution(8, support, activation='relu', kernel_regularizer=l2(5e-4))([H] + G)
    H = Dropout(0.)(H)
    Y = GraphConvolution(CLASSES, support, activation='softmax')([H] + G)
    model = Model(inputs=[X_in] + G, outputs=Y)
    before, steps = train(model, [X] + matrices)
    result[name] = [before[::3].ravel().tolist(), steps]
    if support == 1:
        k1, b1, k2, b2 = model.get_weights()
        hidden = np.maximum(A_.dot(X).dot(k1) + b1, 0)
        z = A_.dot(hidden).dot(k2) + b2
        e = np.exp(z - z.max(1, keepdims=True))
        np.testing.assert_allclose(model.predict([X, A_], batch_size=N), e / e.sum(1, keepdims=True), atol=1e-4)

# A dense mask, and heads that attend.
A_in = Input(shape=(N,))
H = GraphAttention(4, attn_heads=2)([X_in, A_in])
Y = Dense(CLASSES, activation='softmax')(GraphAttention(4, attn_heads=2, attn_heads_reduction='average')([H, A_in]))
attention = Model([X_in, A_in], Y)
dense = (adj + sp.eye(N)).toarray()
before, steps = train(attention, [X, dense])
result['attention'] = [before[::3].ravel().tolist(), steps]
print('RESULT ' + json.dumps(result))
