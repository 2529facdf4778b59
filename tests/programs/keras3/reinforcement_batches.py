"""Reinforcement learning of 2019 to 2021 by small calls: deep Q learning with predict of one state and train_on_batch,
a target network, an actor and a critic with tapes, REINFORCE with sample weights, all on an environment of NumPy."""
# backends: torch tf_keras
import json
import random
from collections import deque

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Model, Sequential, clone_model
from tensorflow.keras.optimizers import Adam

rs = np.random.RandomState(18)
random.seed(18)


class Corridor:
    def reset(self):
        self.place, self.steps = 0., 0
        return np.array([self.place, 1.])

    def step(self, action):
        self.steps += 1
        self.place += .5 if action else -.5
        done = abs(self.place) >= 2 or self.steps >= 8
        return np.array([self.place, 1. / self.steps]), float(self.place >= 2) - .1, done, {}


def given(model):
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
    return model


def huber(target, prediction):
    error = prediction - target
    return K.mean(K.sqrt(1 + K.square(error)) - 1, axis=-1)


class DQNAgent:
    def __init__(self):
        self.memory, self.gamma, self.epsilon = deque(maxlen=50), .95, 1.0
        self.model = given(Sequential([Dense(8, input_dim=2, activation='relu'), Dense(2, activation='linear')]))
        self.model.compile(loss=huber, optimizer=Adam(lr=.01))
        self.target_model = clone_model(self.model)
        self.update_target_model()
        self.losses = []

    def update_target_model(self):
        self.target_model.set_weights(self.model.get_weights())

    def act(self, state):
        if rs.rand() <= self.epsilon:
            return rs.randint(2)
        return int(np.argmax(self.model.predict(state)[0]))

    def replay(self, batch_size):
        states, targets = [], []
        for state, action, reward, next_state, done in random.sample(self.memory, batch_size):
            target = self.model.predict(state)
            if done:
                target[0][action] = reward
            else:
                t = self.target_model.predict(next_state)[0]
                target[0][action] = reward + self.gamma * np.amax(t)
            states.append(state[0])
            targets.append(target[0])
        self.losses.append(float(self.model.train_on_batch(np.array(states), np.array(targets))))
        self.losses.append(self.model.fit(states[0][None], targets[0][None], epochs=1, verbose=0).history['loss'][0])
        if self.epsilon > .1:
            self.epsilon *= .9


env, agent, scores = Corridor(), DQNAgent(), []
for episode in range(8):
    state, score, done = env.reset()[None], 0., False
    while not done:
        action = agent.act(state)
        next_state, reward, done, _ = env.step(action)
        agent.memory.append((state, action, reward, next_state[None], done))
        state, score = next_state[None], score + reward
    scores.append(score)
    agent.update_target_model()
    if len(agent.memory) > 6:
        agent.replay(6)

# An actor and a critic in one model, trained by a tape for each episode.
inputs = Input(shape=(2,))
common = Dense(8, activation='relu')(inputs)
both = given(Model(inputs, [Dense(2, activation='softmax')(common), Dense(1)(common)]))
optimizer, huber_loss = Adam(learning_rate=.01), tf.keras.losses.Huber()
totals = []
for episode in range(3):
    state, log_probs, values, rewards, done = env.reset(), [], [], [], False
    with tf.GradientTape() as tape:
        while not done:
            action_probs, critic_value = both(tf.expand_dims(tf.convert_to_tensor(state), 0))
            values.append(critic_value[0, 0])
            action = rs.choice(2, p=np.squeeze(action_probs) / np.sum(action_probs))
            log_probs.append(tf.math.log(action_probs[0, action]))
            state, reward, done, _ = env.step(action)
            rewards.append(reward)
        returns, discounted = [], 0
        for reward in rewards[::-1]:
            discounted = reward + .99 * discounted
            returns.insert(0, discounted)
        actor = [-p * (r - v) for p, v, r in zip(log_probs, values, returns)]
        critic = [huber_loss(tf.expand_dims(v, 0), tf.expand_dims(r, 0)) for v, r in zip(values, returns)]
        loss_value = sum(actor) + sum(critic)
    grads = tape.gradient(loss_value, both.trainable_variables)
    optimizer.apply_gradients(zip(grads, both.trainable_variables))
    totals.append(float(loss_value))

# REINFORCE by weights of samples.
policy = given(Sequential([Dense(6, activation='tanh', input_shape=(2,)), Dense(2, activation='softmax')]))
policy.compile(Adam(lr=.02), 'sparse_categorical_crossentropy')
steps = []
for episode in range(3):
    state, seen, actions, rewards, done = env.reset(), [], [], [], False
    while not done:
        p = policy.predict_on_batch(state[None])[0].astype('float64')
        action = int(rs.rand() < p[1])
        seen.append(state)
        actions.append(action)
        state, reward, done, _ = env.step(action)
        rewards.append(reward)
    gains = np.cumsum(rewards[::-1])[::-1].copy()
    steps.append(float(policy.train_on_batch(np.array(seen), np.array(actions), sample_weight=gains)))
results = {
    'scores': scores, 'losses': [float(v) for v in agent.losses], 'q': agent.model.predict(np.array([[0., 1.], [1., .5]])).tolist(),
    'totals': totals, 'steps': steps, 'policy': policy.predict(np.array([[0., 1.]])).tolist(), 'epsilon': agent.epsilon}
print('RESULT ' + json.dumps(results))
