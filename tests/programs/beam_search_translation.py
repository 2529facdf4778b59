"""Translation with Luong attention and beam search: an encoder and a decoder trained together, models for inference of
the same layers, beams in NumPy with a penalty for length, BLEU by hand."""
from __future__ import print_function

import collections
import heapq
import json
import math

import numpy as np
from keras import backend as K
from keras.layers import (LSTM, Activation, Bidirectional, Concatenate, Dense, Embedding, Input, TimeDistributed,
                          concatenate, dot)
from keras.models import Model
from keras.preprocessing.sequence import pad_sequences

Hypothesis = collections.namedtuple('Hypothesis', 'score words states attention')
source_vocab = {w: i + 1 for i, w in enumerate('der die hund katze maus sieht frisst schnell'.split())}
target_vocab = {w: i + 1 for i, w in enumerate('<s> </s> the dog cat mouse sees eats quickly'.split())}
index_to_word = {i: w for w, i in target_vocab.items()}
pairs = [('der hund sieht die katze', 'the dog sees the cat'), ('die katze frisst die maus', 'the cat eats the mouse'),
         ('die maus sieht der hund', 'the mouse sees the dog'), ('der hund frisst schnell', 'the dog eats quickly'),
         ('schnell sieht die katze die maus', 'quickly the cat sees the mouse'), ('die maus frisst', 'the mouse eats')]
LATENT, EMB = 10, 6
x = pad_sequences([[source_vocab[w] for w in s.split()] for s, _ in pairs], padding='post')
full = [[target_vocab['<s>']] + [target_vocab[w] for w in t.split()] + [target_vocab['</s>']] for _, t in pairs]
decoder_in = pad_sequences([t[:-1] for t in full], padding='post')
decoder_out = pad_sequences([t[1:] for t in full], padding='post')[..., None]

encoder_inputs = Input(shape=(None,), name='source')
enc_emb = Embedding(len(source_vocab) + 1, EMB, name='enc_emb')(encoder_inputs)
encoder = Bidirectional(LSTM(LATENT // 2, return_sequences=True, return_state=True), name='encoder')
encoder_outputs, fh, fc, bh, bc = encoder(enc_emb)
state_h, state_c = Concatenate(name='h')([fh, bh]), Concatenate(name='c')([fc, bc])
decoder_inputs = Input(shape=(None,), name='target')
dec_emb_layer = Embedding(len(target_vocab) + 1, EMB, name='dec_emb')
decoder_lstm = LSTM(LATENT, return_sequences=True, return_state=True, name='decoder')
tanh_layer = TimeDistributed(Dense(LATENT, activation='tanh'), name='combine')
out_layer = TimeDistributed(Dense(len(target_vocab) + 1, activation='softmax'), name='words')
attention_softmax = Activation('softmax', name='attention')


def attend(decoder_outputs, encoder_outputs):
    scores = dot([decoder_outputs, encoder_outputs], axes=[2, 2])
    attention = attention_softmax(scores)
    context = dot([attention, encoder_outputs], axes=[2, 1])
    return out_layer(tanh_layer(concatenate([context, decoder_outputs]))), attention


decoder_outputs, _, _ = decoder_lstm(dec_emb_layer(decoder_inputs), initial_state=[state_h, state_c])
words, attention = attend(decoder_outputs, encoder_outputs)
model = Model([encoder_inputs, decoder_inputs], words)
model.compile(optimizer='rmsprop', loss='sparse_categorical_crossentropy', sample_weight_mode='temporal')

encoder_model = Model(encoder_inputs, [encoder_outputs, state_h, state_c])
given = [Input(shape=(None, LATENT)), Input(shape=(LATENT,)), Input(shape=(LATENT,))]
step_outputs, h, c = decoder_lstm(dec_emb_layer(decoder_inputs), initial_state=given[1:])
decoder_model = Model([decoder_inputs] + given, list(attend(step_outputs, given[0])) + [h, c])

rs = np.random.RandomState(12)
model.set_weights([rs.uniform(-.7, .7, w.shape) for w in model.get_weights()])
scale = (decoder_out[..., 0] > 0).astype('float32')
before = model.predict([x, decoder_in])
steps = [float(model.train_on_batch([x, decoder_in], decoder_out, sample_weight=scale)) for _ in range(4)]


def beam_search(sentence, width=3, max_len=8, alpha=.7):
    encoded, h, c = encoder_model.predict(sentence[None])
    beams = [Hypothesis(0., [target_vocab['<s>']], [h, c], [])]
    finished = []
    for _ in range(max_len):
        candidates = []
        # All beams in one batch.
        last = np.array([[hyp.words[-1]] for hyp in beams])
        states = [np.concatenate([hyp.states[i] for hyp in beams]) for i in range(2)]
        probs, weights, h, c = decoder_model.predict([last, np.repeat(encoded, len(beams), axis=0)] + states)
        for k, hyp in enumerate(beams):
            logs = np.log(probs[k, 0] + 1e-9)
            for word in np.argsort(logs)[::-1][:width + 1]:
                if word:
                    candidates.append(Hypothesis(hyp.score + float(logs[word]), hyp.words + [int(word)],
                                                 [h[k:k + 1], c[k:k + 1]], hyp.attention + [weights[k, 0]]))
        best = heapq.nlargest(width, candidates, key=lambda hyp: hyp.score)
        finished += [hyp for hyp in best if hyp.words[-1] == target_vocab['</s>']]
        beams = [hyp for hyp in best if hyp.words[-1] != target_vocab['</s>']]
        if not beams:
            break
    penalty = lambda hyp: hyp.score / ((5. + len(hyp.words)) / 6.) ** alpha
    return sorted(((penalty(hyp), hyp) for hyp in finished + beams), key=lambda pair: -pair[0])


def bleu(found, wanted, n=2):
    logs = 0.
    for k in range(1, n + 1):
        grams = [collections.Counter(tuple(t[i:i + k]) for i in range(len(t) - k + 1)) for t in (found, wanted)]
        logs += math.log(max(sum((grams[0] & grams[1]).values()), 1e-9) / max(sum(grams[0].values()), 1)) / n
    return math.exp(logs + min(0, 1 - len(wanted) / float(max(len(found), 1))))


hypotheses = [beam_search(row) for row in x[:3]]
one = beam_search(x[0], width=1)[0][1]
# A beam of one is greedy search, and its score is what the training model says of its words.
told = model.predict([x[:1], np.array([one.words[:-1]])])[0]
of_words = told[np.arange(len(one.words) - 1), one.words[1:]]
np.testing.assert_allclose(one.score, np.log(of_words + 1e-9).sum(), atol=1e-3)
assert all(abs(w.sum() - 1) < 1e-4 for w in one.attention)

K.set_value(model.optimizer.lr, .01)
history = model.fit([np.tile(x, (4, 1)), np.tile(decoder_in, (4, 1))], np.tile(decoder_out, (4, 1, 1)), epochs=60,
                    batch_size=6, sample_weight=np.tile(scale, (4, 1)), verbose=0, shuffle=False)
assert history.history['loss'][-1] < .5 * steps[0], history.history['loss'][-1]
translated = [beam_search(row)[0][1].words[1:] for row in x]
for (source, wanted), found in zip(pairs, translated):
    print(source, '->', ' '.join(index_to_word[w] for w in found))
score = np.mean([bleu(found, wanted[1:]) for found, wanted in zip(translated, full)])
print('BLEU-2 %.3f' % score)
assert score > .2, score
print('RESULT ' + json.dumps({'before': before[0, :2].ravel().tolist(), 'steps': steps,
                              'scores': [[s for s, _ in found[:2]] for found in hypotheses],
                              'words': [found[0][1].words for found in hypotheses],
                              'attention': [np.concatenate(found[0][1].attention).tolist() for found in hypotheses]}))
