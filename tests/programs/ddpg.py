"""Continuous control by DDPG: actor and critic with target networks, gradients of the critic's action handed to
tf.gradients of the actor, an optimizer of TensorFlow beside one of Keras."""
# engines: tensorflow
import json
import random
from collections import deque

import numpy as np
import tensorflow as tf
import keras.backend as K
from keras.initializers import RandomUniform, normal  # noqa: F401
from keras.layers import Dense, Input, Lambda, add, concatenate  # noqa: F401
from keras.models import Model
from keras.optimizers import Adam

HIDDEN = 24


class ActorNetwork(object):
    def __init__(self, sess, state_size, action_size, batch_size, tau, learning_rate):
        self.sess, self.batch_size, self.tau, self.learning_rate = sess, batch_size, tau, learning_rate
        K.set_session(sess)
        self.model, self.weights, self.state = self.create_actor_network(state_size, action_size)
        self.target_model, self.target_weights, self.target_state = self.create_actor_network(state_size, action_size)
        self.action_gradient = tf.placeholder(tf.float32, [None, action_size])
        self.params_grad = tf.gradients(self.model.output, self.weights, -self.action_gradient)
        grads = zip(self.params_grad, self.weights)
        self.optimize = tf.train.AdamOptimizer(learning_rate).apply_gradients(grads)
        self.sess.run(tf.initialize_all_variables())

    def train(self, states, action_grads):
        self.sess.run(self.optimize, feed_dict={self.state: states, self.action_gradient: action_grads})

    def target_train(self):
        actor_weights = self.model.get_weights()
        actor_target_weights = self.target_model.get_weights()
        for i in range(len(actor_weights)):
            actor_target_weights[i] = self.tau * actor_weights[i] + (1 - self.tau) * actor_target_weights[i]
        self.target_model.set_weights(actor_target_weights)

    def create_actor_network(self, state_size, action_dim):
        S = Input(shape=[state_size])
        h0 = Dense(HIDDEN, activation='relu')(S)
        h1 = Dense(HIDDEN, activation='relu')(h0)
        init = lambda shape, dtype=None, name=None: K.random_normal(shape, stddev=1e-2, dtype=dtype)
        V = Dense(action_dim, activation='tanh', kernel_initializer=init)(h1)
        model = Model(input=S, output=V)
        return model, model.trainable_weights, S


class CriticNetwork(object):
    def __init__(self, sess, state_size, action_size, batch_size, tau, learning_rate):
        self.sess, self.batch_size, self.tau = sess, batch_size, tau
        self.learning_rate, self.action_size = learning_rate, action_size
        K.set_session(sess)
        self.model, self.action, self.state = self.create_critic_network(state_size, action_size)
        self.target_model, self.target_action, self.target_state = self.create_critic_network(state_size, action_size)
        self.action_grads = tf.gradients(self.model.output, self.action)
        self.sess.run(tf.initialize_all_variables())

    def gradients(self, states, actions):
        return self.sess.run(self.action_grads, feed_dict={self.state: states, self.action: actions})[0]

    def target_train(self):
        for source, target in zip(self.model.weights, self.target_model.weights):
            K.set_value(target, self.tau * K.get_value(source) + (1 - self.tau) * K.get_value(target))

    def create_critic_network(self, state_size, action_dim):
        S = Input(shape=[state_size])
        A = Input(shape=[action_dim], name='action2')
        w1 = Dense(HIDDEN, activation='relu')(S)
        a1 = Dense(HIDDEN, activation='linear')(A)
        h1 = Dense(HIDDEN, activation='linear')(w1)
        h2 = add([h1, a1])
        h3 = Dense(HIDDEN, activation='relu')(h2)
        V = Dense(action_dim, activation='linear')(h3)
        model = Model(input=[S, A], output=V)
        model.compile(loss='mse', optimizer=Adam(lr=self.learning_rate))
        return model, A, S


class Point(object):
    """A point on a line that has to come to zero; the action moves it."""

    def __init__(self):
        self.random = np.random.RandomState(0)

    def reset(self):
        self.x = self.random.uniform(-1, 1)
        return np.array([self.x, abs(self.x)])

    def step(self, action):
        self.x = float(np.clip(self.x + .5 * action[0], -1.5, 1.5))
        return np.array([self.x, abs(self.x)]), -self.x ** 2


np.random.seed(1337)
random.seed(1337)
config = tf.ConfigProto()
config.gpu_options.allow_growth = True
sess = tf.Session(config=config)
K.set_session(sess)
actor = ActorNetwork(sess, 2, 1, 32, .05, .003)
critic = CriticNetwork(sess, 2, 1, 32, .05, .01)

# From known weights: the gradient for the action, and what it makes of the actor's weights, by hand.
rs = np.random.RandomState(2)
for network in (actor, critic):
    for model in (network.model, network.target_model):
        model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
states = rs.uniform(-1, 1, (5, 2))
actions = actor.model.predict(states)
slopes = critic.gradients(states, actions)
eps = 1e-2
above, below = [critic.model.predict([states, actions + step]) for step in (eps, -eps)]
by_difference = (above - below) / (2 * eps)
assert np.allclose(slopes, by_difference, atol=5e-3), (slopes, by_difference)
gradient = sess.run(actor.params_grad, {actor.state: states, actor.action_gradient: slopes})
assert np.allclose(gradient[-1], -np.sum(slopes * (1 - actions ** 2)), atol=1e-4)
probe = float(sum((g ** 2).sum() for g in gradient))
kept = actor.target_model.get_weights()
actor.target_train()
assert np.allclose(actor.target_model.get_weights()[0], .05 * actor.model.get_weights()[0] + .95 * kept[0], atol=1e-6)
critic.target_train()
actor.model.summary(print_fn=lambda line: None)

env, buff, means = Point(), deque(maxlen=600), []
for episode in range(40):
    s_t, rewards = env.reset(), []
    for step in range(8):
        a_t = actor.model.predict(s_t.reshape(1, 2))[0] + np.random.normal(0, max(.05, .5 - episode / 40.), 1)
        a_t = a_t.clip(-1, 1)
        s_t1, r_t = env.step(a_t)
        buff.append((s_t, a_t, r_t, s_t1))
        rewards.append(r_t)
        s_t = s_t1
        if len(buff) < 32:
            continue
        batch = random.sample(list(buff), 32)
        states, actions, rewards_of, new_states = [np.asarray(part) for part in zip(*batch)]
        target_q = critic.target_model.predict([new_states, actor.target_model.predict(new_states)])
        critic.model.train_on_batch([states, actions], rewards_of[:, None] + .8 * target_q)
        actor.train(states, critic.gradients(states, actor.model.predict(states)))
        actor.target_train()
        critic.target_train()
    means.append(np.mean(rewards))
moves = actor.model.predict(np.array([[.8, .8], [-.8, .8]]))[:, 0]
assert moves[0] < -.2 and moves[1] > .2, moves
total = 0
for x in (-.9, -.4, .4, .9):
    env.x = x
    for _ in range(6):
        env.step(actor.model.predict(np.array([[env.x, abs(env.x)]]))[0])
    total += abs(env.x)
assert total / 4 < .3, total
actor.model.save_weights('actormodel.h5', overwrite=True)
with open('actormodel.json', 'w') as outfile:
    json.dump(actor.model.to_json(), outfile)
print('RESULT ' + json.dumps({'slopes': slopes.ravel().tolist(), 'probe': probe}))
