"""Deep Q learning as of 2019: a dueling network by Lambda, a target network by get_weights and set_weights and by a soft
update, replay, train_on_batch, a loss with a mask of the action as a second input, Huber by tf.where, epsilon decay."""
import json
import random
from collections import deque

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Add, Dense, Input, Lambda, Multiply
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam


class Corridor:
    """A walk on seven places; the right end gives a reward."""

    def reset(self):
        self.place = 3
        return self.state()

    def state(self):
        return np.array([self.place / 3. - 1, (self.place % 2) - .5, 1.], 'float32')

    def step(self, action):
        self.place += 1 if action == 1 else -1
        done = self.place in (0, 6)
        return self.state(), (1. if self.place == 6 else -.1), done


class DQNAgent:
    def __init__(self, state_size, action_size, weights):
        self.state_size, self.action_size = state_size, action_size
        self.memory = deque(maxlen=200)
        self.gamma, self.epsilon, self.epsilon_min, self.epsilon_decay = 0.9, 1.0, 0.1, 0.95
        self.learning_rate, self.tau = 0.01, 0.1
        self.model, self.trainable = self._build_model()
        self.target_model, _ = self._build_model()
        self.model.set_weights([weights.normal(0, .4, w.shape) for w in self.model.get_weights()])
        self.update_target_model()

    def _huber_loss(self, y_true, y_pred, clip_delta=1.0):
        error = y_true - y_pred
        cond = K.abs(error) <= clip_delta
        squared_loss = 0.5 * K.square(error)
        quadratic_loss = 0.5 * K.square(clip_delta) + clip_delta * (K.abs(error) - clip_delta)
        return K.mean(tf.where(cond, squared_loss, quadratic_loss))

    def _build_model(self):
        state = Input(shape=(self.state_size,))
        x = Dense(8, activation='relu')(state)
        value = Lambda(lambda s: K.expand_dims(s[:, 0], -1), output_shape=(self.action_size,))(Dense(1)(x))
        advantage = Lambda(lambda a: a[:, :] - K.mean(a[:, :], axis=1, keepdims=True),
                           output_shape=(self.action_size,))(Dense(self.action_size)(x))
        q = Add()([value, advantage])
        actions = Input(shape=(self.action_size,), name='mask')
        chosen = Lambda(lambda t: K.sum(t, axis=1, keepdims=True))(Multiply()([q, actions]))
        trainable = Model([state, actions], chosen)
        trainable.compile(loss=self._huber_loss, optimizer=Adam(learning_rate=self.learning_rate))
        return Model(state, q), trainable

    def update_target_model(self):
        self.target_model.set_weights(self.model.get_weights())

    def soft_update(self):
        pairs = zip(self.model.get_weights(), self.target_model.get_weights())
        self.target_model.set_weights([self.tau * w + (1 - self.tau) * t for w, t in pairs])

    def act(self, state):
        if np.random.rand() <= self.epsilon:
            return random.randrange(self.action_size)
        return int(np.argmax(self.model.predict_on_batch(state[None])[0]))

    def replay(self, batch_size):
        minibatch = random.sample(self.memory, batch_size)
        states, actions, rewards, following, dones = [np.array(each) for each in zip(*minibatch)]
        best = np.argmax(self.model.predict_on_batch(following), axis=1)
        future = np.asarray(self.target_model.predict_on_batch(following))[np.arange(batch_size), best]
        target = rewards + self.gamma * future * (1 - dones)
        loss = self.trainable.train_on_batch([states, np.eye(self.action_size)[actions]], target)
        if self.epsilon > self.epsilon_min:
            self.epsilon *= self.epsilon_decay
        return float(loss)


random.seed(3)
np.random.seed(3)
env, agent = Corridor(), DQNAgent(3, 2, np.random.RandomState(29))
first = agent.model.predict(np.eye(3, dtype='float32'), verbose=0)
losses, lengths = [], []
for episode in range(12):
    state, done, steps = env.reset(), False, 0
    while not done and steps < 12:
        action = agent.act(state)
        following, reward, done = env.step(action)
        agent.memory.append((state, action, reward, following, float(done)))
        state, steps = following, steps + 1
    lengths.append(steps)
    if len(agent.memory) >= 16:
        losses.append(agent.replay(16))
        agent.soft_update()
    if episode % 5 == 4:
        agent.update_target_model()
print('RESULT ' + json.dumps({
    'first': first.tolist(), 'losses': losses, 'lengths': lengths, 'epsilon': agent.epsilon,
    'q': agent.model.predict(np.eye(3, dtype='float32'), verbose=0).tolist(),
    'target': agent.target_model.predict(np.eye(3, dtype='float32'), verbose=0).tolist()}))
