"""Deep Q-learning: target network, replay memory, the Huber loss by tf.where, a dueling head by Lambda."""
# engines: tensorflow
import json
import os
import random
from collections import deque

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import Dense, Lambda
from keras.models import Sequential, Model, clone_model
from keras.optimizers import RMSprop

EPISODES = 60


class Corridor:
    """Five rooms; the prize is in the last one."""

    def reset(self):
        self.room = 0
        return self.state()

    def state(self):
        return np.eye(5)[[self.room]]

    def step(self, action):
        self.room = min(4, max(0, self.room + (1 if action else -1)))
        done = self.room == 4
        return self.state(), 1. if done else -.05, done


class DQNAgent:
    def __init__(self, state_size, action_size):
        self.action_size = action_size
        self.memory = deque(maxlen=500)
        self.gamma, self.epsilon, self.epsilon_min, self.epsilon_decay = .9, 1., .05, .9
        self.model = self._build_model(state_size)
        self.target_model = self._build_model(state_size)
        self.update_target_model()

    def _huber_loss(self, target, prediction, clip_delta=1.0):
        error = target - prediction
        cond = tf.abs(error) < clip_delta
        squared_loss = 0.5 * tf.square(error)
        linear_loss = clip_delta * (tf.abs(error) - 0.5 * clip_delta)
        return tf.where(cond, squared_loss, linear_loss)

    def _build_model(self, state_size):
        model = Sequential()
        model.add(Dense(16, input_dim=state_size, activation='relu', kernel_initializer='he_uniform'))
        model.add(Dense(self.action_size, activation='linear'))
        layer = model.layers[-1]
        y = Dense(self.action_size + 1, activation='linear', name='dueling')(layer.output)
        y = Lambda(lambda a: K.expand_dims(a[:, 0], -1) + a[:, 1:] - K.mean(a[:, 1:], axis=1, keepdims=True),
                   output_shape=(self.action_size,))(y)
        model = Model(model.input, y)
        model.compile(loss=self._huber_loss, optimizer=RMSprop(lr=.01))
        return model

    def update_target_model(self):
        self.target_model.set_weights(self.model.get_weights())

    def remember(self, *step):
        self.memory.append(step)

    def act(self, state):
        if np.random.rand() <= self.epsilon:
            return random.randrange(self.action_size)
        return np.argmax(self.model.predict(state)[0])

    def replay(self, batch_size):
        minibatch = random.sample(self.memory, batch_size)
        states = np.concatenate([step[0] for step in minibatch])
        next_states = np.concatenate([step[3] for step in minibatch])
        targets = self.model.predict(states)
        a, t = self.model.predict(next_states), self.target_model.predict(next_states)
        for i, (_, action, reward, _, done) in enumerate(minibatch):
            targets[i][action] = reward if done else reward + self.gamma * t[i][np.argmax(a[i])]
        self.model.fit(states, targets, epochs=1, verbose=0)
        if self.epsilon > self.epsilon_min:
            self.epsilon *= self.epsilon_decay


np.random.seed(0)
random.seed(0)
tf.set_random_seed(0)
config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
K.set_session(tf.Session(graph=tf.get_default_graph(), config=config))

# What the loss computes, against the one of TensorFlow, and three steps from known weights.
agent = DQNAgent(5, 2)
rs = np.random.RandomState(3)
agent.model.set_weights([rs.normal(0, .5, w.shape) for w in agent.model.get_weights()])
a, b = rs.normal(0, 2, (6, 2)), rs.normal(0, 2, (6, 2))
ours = K.eval(agent._huber_loss(K.constant(a), K.constant(b)))
theirs = tf.losses.huber_loss(a, b, delta=1.0, reduction=tf.losses.Reduction.NONE)
assert np.allclose(ours, theirs.eval(session=K.get_session()), atol=1e-6)
probe = agent.model.predict(np.eye(5))
steps = [float(agent.model.train_on_batch(np.eye(5), np.tile([[0., 3.]], (5, 1)))) for _ in range(3)]
copy = clone_model(agent.model)
copy.set_weights(agent.model.get_weights())
assert np.allclose(copy.predict(np.eye(5)), agent.model.predict(np.eye(5)))
assert not np.allclose(agent.target_model.predict(np.eye(5)), agent.model.predict(np.eye(5)))

agent = DQNAgent(5, 2)
env = Corridor()
lengths = []
for e in range(EPISODES):
    state = env.reset()
    for time in range(30):
        action = agent.act(state)
        next_state, reward, done = env.step(action)
        agent.remember(state, action, reward, next_state, done)
        state = next_state
        if done:
            agent.update_target_model()
            break
        if len(agent.memory) > 16:
            agent.replay(16)
    lengths.append(time + 1)
agent.model.save_weights('dqn.h5')
agent.target_model.load_weights('dqn.h5')
values = agent.target_model.predict(np.eye(5))
assert (np.argmax(values[:4], axis=1) == 1).all(), values
agent.epsilon = 0
state, path = env.reset(), 0
while env.room < 4 and path < 10:
    state, _, _ = env.step(agent.act(state))
    path += 1
assert path == 4, path
print('mean length %.1f, then %.1f' % (np.mean(lengths[:5]), np.mean(lengths[-5:])))
print('RESULT ' + json.dumps({'huber': ours.ravel().tolist(), 'probe': probe.ravel().tolist(), 'steps': steps}))
