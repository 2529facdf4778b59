"""A recommender of 2020: embeddings of users and films with biases as a subclassed model, a second one with the
functional API, Dot, an own rank metric, a tf.data pipeline with weights of samples, neighbours by the learned vectors."""
# needs: tensorflow
import json

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.regularizers import l2

rs = np.random.RandomState(10)
num_users, num_movies, size = 7, 9, 4
df = pd.DataFrame({'userId': rs.randint(0, num_users, 40), 'movieId': rs.randint(0, num_movies, 40),
                   'rating': rs.randint(1, 11, 40) / 2.})
users = {name: i for i, name in enumerate(df['userId'].unique().tolist())}
movies = {name: i for i, name in enumerate(df['movieId'].unique().tolist())}
df['user'], df['movie'] = df['userId'].map(users), df['movieId'].map(movies)
low, high = min(df['rating']), max(df['rating'])
x = df[['user', 'movie']].values
y = df['rating'].apply(lambda value: (value - low) / (high - low)).values


class RecommenderNet(keras.Model):
    def __init__(self, num_users, num_movies, embedding_size, **kwargs):
        super(RecommenderNet, self).__init__(**kwargs)
        options = {'embeddings_initializer': 'he_normal', 'embeddings_regularizer': keras.regularizers.l2(1e-3)}
        self.user_embedding = layers.Embedding(num_users, embedding_size, **options)
        self.user_bias = layers.Embedding(num_users, 1)
        self.movie_embedding = layers.Embedding(num_movies, embedding_size, **options)
        self.movie_bias = layers.Embedding(num_movies, 1)

    def call(self, inputs):
        user_vector = self.user_embedding(inputs[:, 0])
        user_bias = self.user_bias(inputs[:, 0])
        movie_vector = self.movie_embedding(inputs[:, 1])
        movie_bias = self.movie_bias(inputs[:, 1])
        dot_user_movie = tf.reduce_sum(user_vector * movie_vector, 1, keepdims=True)
        return tf.nn.sigmoid(dot_user_movie + user_bias + movie_bias)


class HitRate(keras.metrics.Metric):
    def __init__(self, threshold=.5, name='hit_rate', **kwargs):
        super().__init__(name=name, **kwargs)
        self.threshold = threshold
        self.hits = self.add_weight(name='hits', initializer='zeros')
        self.count = self.add_weight(name='count', initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        hit = tf.cast(tf.equal(tf.cast(y_true > self.threshold, tf.int32), tf.cast(y_pred > self.threshold, tf.int32)), self.dtype)
        if sample_weight is not None:
            hit = hit * tf.cast(tf.reshape(sample_weight, (-1, 1)), self.dtype)
        self.hits.assign_add(tf.reduce_sum(hit))
        self.count.assign_add(tf.cast(tf.size(y_true), self.dtype))

    def result(self):
        return self.hits / self.count

    def reset_states(self):
        self.hits.assign(0.)
        self.count.assign(0.)


def given(model):
    model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
    return model


model = RecommenderNet(num_users, num_movies, size)
model.compile(loss=tf.keras.losses.BinaryCrossentropy(), optimizer=keras.optimizers.Adam(lr=0.01), metrics=[HitRate()])
model(x[:1])
given(model)
history = model.fit(x=x[:32], y=y[:32], batch_size=8, epochs=3, shuffle=False, verbose=0, validation_data=(x[32:], y[32:]))
ratings = model.predict(np.hstack(([[2]] * num_movies, np.arange(num_movies)[:, None]))).flatten()

user, movie = layers.Input((1,), name='user'), layers.Input((1,), name='movie')
u = layers.Embedding(num_users, size, embeddings_regularizer=l2(1e-4), name='users')(user)
m = layers.Embedding(num_movies, size, embeddings_regularizer=l2(1e-4), name='movies')(movie)
dotted = layers.Flatten()(layers.Dot(axes=2, normalize=True)([u, m]))
deep = layers.Dense(6, activation='relu')(layers.Concatenate()([layers.Flatten()(u), layers.Flatten()(m)]))
net = given(keras.Model([user, movie], layers.Dense(1)(layers.Concatenate()([dotted, deep]))))
net.compile('rmsprop', 'mse', metrics=['mae'], weighted_metrics=[HitRate(name='weighted')])
rows = tf.data.Dataset.from_tensor_slices(({'user': x[:, 0], 'movie': x[:, 1]}, y[:, None].astype('float32'), np.linspace(.5, 1.5, 40)))
second = net.fit(rows.batch(8), epochs=3, verbose=0)
vectors = net.get_layer('movies').get_weights()[0]
vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
results = {
    'history': {name: [float(v) for v in values] for name, values in history.history.items()},
    'ratings': ratings.tolist(), 'best': ratings.argsort()[-3:][::-1].tolist(),
    'second': {name: [float(v) for v in values] for name, values in second.history.items()},
    'neighbours': (vectors @ vectors.T).argsort(1)[:, -2].tolist(), 'evaluate': [float(v) for v in net.evaluate(rows.batch(8), verbose=0)]}
print('RESULT ' + json.dumps(results))
