"""Asynchronous advantage actor-critic: workers in threads with environments of their own, one model, and updates from
optimizer.get_updates in K.function."""
# engines: tensorflow
# keras: 2.2.4
import json
import threading
import time

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import Dense, Input
from keras.models import Model
from keras.optimizers import Adam, RMSprop

episode = 0
scores = []
lock = threading.Lock()


class Corridor(object):
    """Six rooms, the prize at the right end."""

    def __init__(self):
        self.observation_space, self.action_space = np.zeros(6), range(2)

    def reset(self):
        self.room, self.steps = 2, 0
        return np.eye(6)[self.room]

    def step(self, action):
        self.room = min(5, max(0, self.room + (1 if action == 1 else -1)))
        self.steps += 1
        done = self.room == 5 or self.steps >= 20
        return np.eye(6)[self.room], 1. if self.room == 5 else -.1, done, {}


class A3CAgent:
    def __init__(self, state_size, action_size):
        self.state_size, self.action_size = state_size, action_size
        self.actor_lr, self.critic_lr, self.discount_factor = .01, .02, .95
        self.threads = 4
        self.actor, self.critic = self.build_model()
        self.optimizer = [self.actor_optimizer(), self.critic_optimizer()]
        self.sess = tf.InteractiveSession()
        K.set_session(self.sess)
        self.sess.run(tf.global_variables_initializer())

    def build_model(self):
        state = Input(batch_shape=(None, self.state_size))
        shared = Dense(16, input_dim=self.state_size, activation='relu', kernel_initializer='glorot_uniform')(state)
        actor_hidden = Dense(12, activation='relu', kernel_initializer='glorot_uniform')(shared)
        action_prob = Dense(self.action_size, activation='softmax', kernel_initializer='glorot_uniform')(actor_hidden)
        value_hidden = Dense(12, activation='relu', kernel_initializer='he_uniform')(shared)
        state_value = Dense(1, activation='linear', kernel_initializer='he_uniform')(value_hidden)
        actor = Model(inputs=state, outputs=action_prob)
        critic = Model(inputs=state, outputs=state_value)
        actor._make_predict_function()
        critic._make_predict_function()
        return actor, critic

    def actor_optimizer(self):
        action = K.placeholder(shape=(None, self.action_size))
        advantages = K.placeholder(shape=(None, ))
        policy = self.actor.output
        good_prob = K.sum(action * policy, axis=1)
        eligibility = K.log(good_prob + 1e-10) * K.stop_gradient(advantages)
        loss = -K.sum(eligibility)
        entropy = K.sum(policy * K.log(policy + 1e-10), axis=1)
        entropy = K.sum(entropy)
        actor_loss = loss + 0.01 * entropy
        optimizer = Adam(lr=self.actor_lr)
        updates = optimizer.get_updates(self.actor.trainable_weights, [], actor_loss)
        return K.function([self.actor.input, action, advantages], [actor_loss], updates=updates)

    def critic_optimizer(self):
        discounted_reward = K.placeholder(shape=(None, ))
        value = self.critic.output
        loss = K.mean(K.square(discounted_reward - K.squeeze(value, 1)))
        optimizer = RMSprop(lr=self.critic_lr)
        updates = optimizer.get_updates(loss=loss, params=self.critic.trainable_weights)
        return K.function([self.critic.input, discounted_reward], [loss], updates=updates)

    def train(self):
        graph = tf.get_default_graph()
        agents = [Agent(i, self.actor, self.critic, self.optimizer, graph, self.discount_factor)
                  for i in range(self.threads)]
        for agent in agents:
            time.sleep(0.01)
            agent.start()
        for agent in agents:
            agent.join()
        assert not any(agent.failed for agent in agents)


class Agent(threading.Thread):
    def __init__(self, index, actor, critic, optimizer, graph, discount_factor):
        threading.Thread.__init__(self)
        self.index, self.actor, self.critic, self.optimizer = index, actor, critic, optimizer
        self.graph, self.discount_factor = graph, discount_factor
        self.states, self.rewards, self.actions = [], [], []
        self.random = np.random.RandomState(index)
        self.failed = True

    def run(self):
        global episode
        env = Corridor()
        while episode < 160:
            state, score = env.reset(), 0
            while True:
                action = self.get_action(state)
                next_state, reward, done, _ = env.step(action)
                score += reward
                self.memory(state, action, reward)
                state = next_state
                if done:
                    with lock:
                        episode += 1
                        scores.append(score)
                    self.train_episode()
                    break
        self.failed = False

    def discount_rewards(self, rewards):
        discounted, running = np.zeros(len(rewards)), 0
        for t in reversed(range(len(rewards))):
            running = running * self.discount_factor + rewards[t]
            discounted[t] = running
        return discounted

    def memory(self, state, action, reward):
        self.states.append(state)
        self.actions.append(np.eye(2)[action])
        self.rewards.append(reward)

    def train_episode(self):
        discounted = self.discount_rewards(self.rewards)
        with self.graph.as_default():
            values = self.critic.predict(np.array(self.states))
            values = np.reshape(values, len(values))
            with lock:
                self.optimizer[0]([self.states, self.actions, discounted - values])
                self.optimizer[1]([np.array(self.states), discounted])
        self.states, self.actions, self.rewards = [], [], []

    def get_action(self, state):
        with self.graph.as_default():
            policy = self.actor.predict(np.reshape(state, [1, 6]))[0]
        return self.random.choice(2, 1, p=policy / policy.sum())[0]


env = Corridor()
agent = A3CAgent(len(env.observation_space), len(env.action_space))
rs = np.random.RandomState(8)
for model in (agent.actor, agent.critic):
    model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])
states = np.eye(6)
policy, values = agent.actor.predict(states), agent.critic.predict(states)
actor_loss = agent.optimizer[0]([states, np.eye(2)[[0, 1, 0, 1, 1, 0]], np.arange(6.) - 2])[0]
changed = agent.critic.predict(states)
critic_losses = [agent.optimizer[1]([states, np.arange(6.)])[0] for _ in range(3)]
assert not np.allclose(changed, values)  # the shared layer moved with the actor
for model in (agent.actor, agent.critic):
    model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])
agent.train()
tail = np.mean(scores[-30:])
assert tail > .55, (np.mean(scores[:15]), tail)  # a walk at random has about .1
assert (agent.actor.predict(states[2:5])[:, 1] > .6).all()
agent.actor.save_weights('actor.h5')
print('%d episodes, mean score %.2f, then %.2f' % (len(scores), np.mean(scores[:15]), tail))
print('RESULT ' + json.dumps({'policy': policy.ravel().tolist(), 'values': values.ravel().tolist(),
                              'actor_loss': float(actor_loss)}))
