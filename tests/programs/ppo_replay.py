"""Two agents of 2018: PPO with the clipped ratio, the advantage and the old probabilities as inputs that a loss closes
over, and a dueling double deep Q network with prioritised replay in a sum tree."""
from __future__ import print_function

import json

import numpy as np
from keras import backend as K
from keras.layers import Add, Dense, Input, Lambda
from keras.models import Model, clone_model
from keras.optimizers import SGD

ACTIONS, STATE, GAMMA, CLIP, ENTROPY = 3, 4, .9, .2, 1e-2
rs = np.random.RandomState(0)


class Track(object):
    """A walk on a line; the state is one of four places, the middle one pays."""

    def reset(self):
        self.place = 0
        return np.eye(STATE)[self.place]

    def step(self, action):
        self.place = int(np.clip(self.place + action - 1, 0, STATE - 1))
        return np.eye(STATE)[self.place], 1. if self.place == 2 else -.1, False, {}


def proximal_policy_optimization_loss(advantage, old_prediction):
    def loss(y_true, y_pred):
        prob = K.sum(y_true * y_pred, axis=-1)
        old_prob = K.sum(y_true * old_prediction, axis=-1)
        r = prob / (old_prob + 1e-10)
        adv = K.squeeze(advantage, 1)
        return -K.mean(K.minimum(r * adv, K.clip(r, min_value=1 - CLIP, max_value=1 + CLIP) * adv) +
                       ENTROPY * -(prob * K.log(prob + 1e-10)))
    return loss


class PPO(object):
    def __init__(self):
        state_input, advantage = Input((STATE,)), Input((1,))
        old_prediction = Input((ACTIONS,))
        x = Dense(8, activation='tanh')(state_input)
        out = Dense(ACTIONS, activation='softmax', name='output')(x)
        self.actor = Model(inputs=[state_input, advantage, old_prediction], outputs=[out])
        self.actor.compile(SGD(lr=.5), loss=[proximal_policy_optimization_loss(advantage, old_prediction)])
        state_input = Input((STATE,))
        x = Dense(8, activation='tanh')(state_input)
        self.critic = Model(state_input, Dense(1)(x))
        self.critic.compile(SGD(lr=.05), loss='mse')
        for model in (self.actor, self.critic):
            model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])

    def play(self, env, steps, random):
        s, states, actions, preds, rewards = env.reset(), [], [], [], []
        for _ in range(steps):
            p = self.actor.predict([s[None], np.zeros((1, 1)), np.zeros((1, ACTIONS))])[0].astype('float64')
            a = int(np.searchsorted(np.cumsum(p / p.sum()), random.rand()))
            states.append(s)
            actions.append(np.eye(ACTIONS)[a])
            preds.append(p)
            s, reward, _, _ = env.step(a)
            rewards.append(reward)
        returns = np.array(rewards)
        for j in range(len(rewards) - 2, -1, -1):
            returns[j] += returns[j + 1] * GAMMA
        return np.array(states), np.array(actions), np.array(preds), returns[:, None], np.mean(rewards)


ppo, env, random = PPO(), Track(), np.random.RandomState(1)
log, means = [], []
for episode in range(8):
    obs, action, pred, reward, mean = ppo.play(env, 24, random)
    advantage = reward - ppo.critic.predict(obs)
    actor_losses = [float(ppo.actor.train_on_batch([obs, advantage, pred], [action])) for _ in range(4)]
    critic_losses = [float(ppo.critic.train_on_batch([obs], [reward])) for _ in range(4)]
    means.append(mean)
    if not episode:
        log = [actor_losses, critic_losses]
print('mean rewards', np.round(means, 2))
assert np.mean(means[-2:]) > np.mean(means[:2])
policy = ppo.actor.predict([np.eye(STATE), np.zeros((4, 1)), np.zeros((4, ACTIONS))])
print(policy)
assert (policy[:2].argmax(1) == 2).all(), policy


class SumTree(object):
    write = 0

    def __init__(self, capacity):
        self.capacity = capacity
        self.tree = np.zeros(2 * capacity - 1)
        self.data = np.zeros(capacity, dtype=object)

    def add(self, p, data):
        self.data[self.write] = data
        self.update(self.write + self.capacity - 1, p)
        self.write = (self.write + 1) % self.capacity

    def update(self, idx, p):
        change = p - self.tree[idx]
        self.tree[idx] = p
        while idx:
            idx = (idx - 1) // 2
            self.tree[idx] += change

    def get(self, s):
        idx = 0
        while 2 * idx + 1 < len(self.tree):
            left = 2 * idx + 1
            if s <= self.tree[left]:
                idx = left
            else:
                s -= self.tree[left]
                idx = left + 1
        return idx, self.tree[idx], self.data[idx - self.capacity + 1]


def huber_loss(y_true, y_pred):
    err = y_true - y_pred
    cond = K.abs(err) < 1.0
    return K.mean(K.switch(cond, 0.5 * K.square(err), K.abs(err) - 0.5), axis=-1)


inp = Input((STATE,))
x = Dense(8, activation='relu')(inp)
value = Lambda(lambda s: K.expand_dims(s[:, 0], -1), output_shape=(1,))(Dense(1)(x))
edge = Lambda(lambda a: a[:, :] - K.mean(a[:, :], axis=1, keepdims=True), output_shape=(ACTIONS,))(Dense(ACTIONS)(x))
spread = Lambda(lambda v: K.repeat_elements(v, 3, 1), output_shape=(ACTIONS,))(value)
brain = Model(inp, Add()([spread, edge]))
brain.set_weights([rs.normal(0, .5, w.shape) for w in brain.get_weights()])
brain.compile(loss=huber_loss, optimizer=SGD(lr=.1))
target = clone_model(brain)
target.set_weights(brain.get_weights())
first = brain.predict(np.eye(STATE))


def get_targets(batch):
    states, next_states = np.array([o[0] for o in batch]), np.array([o[3] for o in batch])
    p, chosen, of_target = brain.predict(states), brain.predict(next_states), target.predict(next_states)
    errors = np.zeros(len(batch))
    for i, (_, a, r, _) in enumerate(batch):
        old = p[i, a]
        p[i, a] = r + GAMMA * of_target[i, np.argmax(chosen[i])]
        errors[i] = abs(old - p[i, a])
    return states, p, errors


memory, s, losses, priorities = SumTree(32), env.reset(), [], []
for t in range(120):
    a = random.randint(ACTIONS)
    s2, r, _, _ = env.step(a)
    errors = get_targets([(s, a, r, s2)])[2]
    memory.add((errors[0] + .01) ** .6, (s, a, r, s2))
    s = s2 if t % 10 else env.reset()
    if t >= 16:
        segment = memory.tree[0] / 8
        sample = [memory.get(segment * (i + random.rand())) for i in range(8)]
        states, q, errors = get_targets([found[2] for found in sample])
        weights = np.array([(found[1] / memory.tree[0] * 32) ** -.4 for found in sample])
        losses.append(float(brain.train_on_batch(states, q, sample_weight=weights / weights.max())))
        for (idx, _, _), error in zip(sample, errors):
            memory.update(idx, (error + .01) ** .6)
        priorities.append(float(memory.tree[0]))
    if t % 20 == 19:
        target.set_weights(brain.get_weights())
np.testing.assert_allclose(memory.tree[0], memory.tree[31:].sum(), rtol=1e-6)
best = brain.predict(np.eye(STATE)).argmax(1)
assert best[0] == 2 and best[1] == 2, best
print('RESULT ' + json.dumps({'log': log, 'first': first.ravel().tolist(),
                              'losses': losses[:4], 'priorities': priorities[:4]}))
