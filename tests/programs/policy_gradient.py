"""Reinforcement learning without a framework: REINFORCE and actor-critic by K.function on optimizer.get_updates."""
from __future__ import print_function

import json
from collections import deque

import keras
import numpy as np
from keras import backend as K
from keras.layers import Dense, Input, Lambda, Subtract
from keras.layers.core import RepeatVector
from keras.models import Model, Sequential
from keras.optimizers import RMSprop, Adam

np.random.seed(1)


class Corridor(object):
    """Five places in a row; the prize is at the right end, a step to the left costs."""

    size, actions = 5, 2

    def reset(self):
        self.place, self.time = 1, 0
        return self.look()

    def look(self):
        state = np.zeros(self.size)
        state[self.place] = 1.
        return state

    def step(self, action):
        self.place = max(0, self.place + (1 if action else -1))
        self.time += 1
        won = self.place == self.size - 1
        return self.look(), 1. if won else -0.1, won or self.time == 12


class Agent:
    def __init__(self, state_size, action_size):
        self.action_size = action_size
        self.states, self.actions, self.rewards = [], [], []
        self.discount, self.memory = 0.95, deque(maxlen=200)
        self.model = Sequential()
        self.model.add(Dense(8, input_dim=state_size, activation='relu'))
        self.model.add(Dense(action_size, activation='softmax'))
        self.optimizer = self.build_optimizer()

    def build_optimizer(self):
        action = K.placeholder(shape=[None, self.action_size])
        discounted_rewards = K.placeholder(shape=[None, ])
        action_prob = K.sum(action * self.model.output, axis=1)
        cross_entropy = K.log(action_prob + 1e-10) * discounted_rewards
        entropy = K.sum(self.model.output * K.log(self.model.output + 1e-10), axis=1)
        loss = -K.sum(cross_entropy) + 0.01 * K.sum(entropy)
        optimizer = RMSprop(lr=0.01)
        updates = optimizer.get_updates(params=self.model.trainable_weights, loss=loss)
        return K.function([self.model.input, action, discounted_rewards], [loss], updates=updates)

    def discount_rewards(self, rewards):
        discounted, running_add = np.zeros_like(rewards), 0
        for t in reversed(range(0, len(rewards))):
            running_add = running_add * self.discount + rewards[t]
            discounted[t] = running_add
        return discounted

    def get_action(self, state):
        policy = self.model.predict(state[np.newaxis], batch_size=1).flatten()
        return np.random.choice(self.action_size, 1, p=policy / policy.sum())[0]

    def remember(self, state, action, reward):
        one_hot = np.zeros(self.action_size)
        one_hot[action] = 1
        self.states.append(state)
        self.actions.append(one_hot)
        self.rewards.append(reward)

    def train_model(self):
        discounted = self.discount_rewards(np.array(self.rewards))
        discounted -= np.mean(discounted)
        discounted /= (np.std(discounted) + 1e-6)
        loss = self.optimizer([np.array(self.states), np.array(self.actions), discounted])[0]
        self.states, self.actions, self.rewards = [], [], []
        return loss


def dueling(state_size, action_size):
    """The value of a state and the advantages of actions over their mean."""
    state = Input((state_size,))
    h = Dense(8, activation='relu')(state)
    value = Lambda(lambda v: K.squeeze(v, 1), output_shape=(action_size,))(RepeatVector(1)(
        Dense(1)(h)))
    advantage = Dense(action_size)(h)
    mean = Lambda(lambda a: K.mean(a, axis=1, keepdims=True) + K.zeros_like(a))(advantage)
    centred = Subtract()([advantage, mean])
    q = Lambda(lambda t: t[0] + t[1], output_shape=(action_size,))([value, centred])
    return Model(state, q)


def clipped_error(y_true, y_pred):
    error = K.abs(y_true - y_pred)
    quadratic = K.minimum(error, 0.5)
    return K.sum(0.5 * K.square(quadratic) + 0.5 * (error - quadratic), axis=-1)


def fill(model, seed):
    rng = np.random.RandomState(seed)
    model.set_weights([rng.normal(0, 0.4, w.shape) for w in model.get_weights()])


env = Corridor()
agent = Agent(env.size, env.actions)
fill(agent.model, 3)
states = np.eye(5)
actions = np.eye(2)[[0, 1, 1, 0, 1]]
advantages = np.array([1., -1., .5, .2, 2.])
policy = agent.model.predict(states)
expected = -np.sum(np.log(np.sum(actions * policy, axis=1)) * advantages) + 0.01 * np.sum(policy * np.log(policy))
steps = 4 if keras.__version__ >= '2.3' else 1
losses = [float(agent.optimizer([states, actions, advantages])[0]) for _ in range(4)]
assert abs(losses[0] - expected) < 1e-3 and losses[3] < losses[0], (losses, expected)

fill(agent.model, 3)
scores = []
for episode in range(60):
    state, done, score = env.reset(), False, 0.
    while not done:
        action = agent.get_action(state)
        next_state, reward, done = env.step(action)
        agent.remember(state, action, reward)
        agent.memory.append((state, action, reward, next_state, done))
        score += reward
        state = next_state
    loss = agent.train_model()
    assert np.isscalar(loss)
    scores.append(score)
print('episodes %d, mean of the last ten: %.2f' % (len(scores), np.mean(scores[-10:])))
assert np.mean(scores[-10:]) > 0.2, scores
assert agent.model.predict(states)[1:4, 1].min() > 0.5

# Q-learning from what was seen, with a second network that follows slowly.
q, target = dueling(5, 2), dueling(5, 2)
fill(q, 4)
target.set_weights(q.get_weights())
values = q.predict(states)
q.compile(Adam(lr=0.02), loss=clipped_error)
for _ in range(60):
    batch = [agent.memory[i] for i in np.random.choice(len(agent.memory), 32)]
    s, a, r, n, d = [np.array(column) for column in zip(*batch)]
    wanted = q.predict_on_batch(s)
    best = np.argmax(q.predict_on_batch(n), axis=1)
    wanted[np.arange(32), a] = r + 0.9 * (1 - d) * target.predict_on_batch(n)[np.arange(32), best]
    q.train_on_batch(s, wanted)
    mixed = [0.2 * w + 0.8 * t for w, t in zip(q.get_weights(), target.get_weights())]
    target.set_weights(mixed)
learned = q.predict(states)
assert (learned[1:4, 1] > learned[1:4, 0]).sum() >= 2, learned
# With Keras 2.2 on TensorFlow 1 later losses depend on the order in which variables are written.
print('RESULT ' + json.dumps({'losses': losses[:steps], 'policy': policy.tolist(), 'values': values.tolist()}))
