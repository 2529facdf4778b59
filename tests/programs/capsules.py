"""A capsule network as of Keras 2.2: routing by K.batch_dot of 2.2.4 over axes, squashing, masks, the margin loss, a
decoder that shares the capsules, CSVLogger and a learning rate that decays."""
# keras: 2.2.4
import json

import numpy as np
import keras.backend as K
from keras import activations, callbacks, initializers, layers, models, optimizers
from keras.utils import to_categorical

K.set_image_data_format('channels_last')


class Length(layers.Layer):
    def call(self, inputs, **kwargs):
        return K.sqrt(K.sum(K.square(inputs), -1) + K.epsilon())

    def compute_output_shape(self, input_shape):
        return input_shape[:-1]


class Mask(layers.Layer):
    def call(self, inputs, **kwargs):
        if type(inputs) is list:  # the true label is given
            assert len(inputs) == 2
            inputs, mask = inputs
        else:
            x = K.sqrt(K.sum(K.square(inputs), -1))
            mask = K.one_hot(indices=K.argmax(x, 1), num_classes=x.get_shape().as_list()[1])
        return K.batch_flatten(inputs * K.expand_dims(mask, -1))

    def compute_output_shape(self, input_shape):
        if type(input_shape[0]) is tuple:
            return tuple([None, input_shape[0][1] * input_shape[0][2]])
        return tuple([None, input_shape[1] * input_shape[2]])


def squash(vectors, axis=-1):
    s_squared_norm = K.sum(K.square(vectors), axis, keepdims=True)
    scale = s_squared_norm / (1 + s_squared_norm) / K.sqrt(s_squared_norm + K.epsilon())
    return scale * vectors


class CapsuleLayer(layers.Layer):
    def __init__(self, num_capsule, dim_capsule, routings=3, kernel_initializer='glorot_uniform', **kwargs):
        super(CapsuleLayer, self).__init__(**kwargs)
        self.num_capsule, self.dim_capsule, self.routings = num_capsule, dim_capsule, routings
        self.kernel_initializer = initializers.get(kernel_initializer)

    def build(self, input_shape):
        assert len(input_shape) >= 3, 'The input Tensor should have shape=[None, input_num_capsule, input_dim_capsule]'
        self.input_num_capsule, self.input_dim_capsule = input_shape[1], input_shape[2]
        self.W = self.add_weight(shape=[self.num_capsule, self.input_num_capsule, self.dim_capsule,
                                        self.input_dim_capsule], initializer=self.kernel_initializer, name='W')
        self.built = True

    def call(self, inputs, training=None):
        inputs_expand = K.expand_dims(inputs, 1)
        inputs_tiled = K.tile(inputs_expand, [1, self.num_capsule, 1, 1])
        # The first two dimensions of what is mapped are as a batch: [None, num_capsule, inputs, dim_capsule].
        inputs_hat = K.map_fn(lambda x: K.batch_dot(x, self.W, [2, 3]), elems=inputs_tiled)
        b = K.zeros_like(inputs_hat[:, :, :, 0])
        assert self.routings > 0, 'The routings should be > 0.'
        for i in range(self.routings):
            c = K.softmax(b, 1)
            outputs = squash(K.batch_dot(c, inputs_hat, [2, 2]))
            if i < self.routings - 1:
                b += K.batch_dot(outputs, inputs_hat, [2, 3])
        return outputs

    def compute_output_shape(self, input_shape):
        return tuple([None, self.num_capsule, self.dim_capsule])


def PrimaryCap(inputs, dim_capsule, n_channels, kernel_size, strides, padding):
    output = layers.Conv2D(filters=dim_capsule * n_channels, kernel_size=kernel_size, strides=strides,
                           padding=padding, name='primarycap_conv2d')(inputs)
    outputs = layers.Reshape(target_shape=[-1, dim_capsule], name='primarycap_reshape')(output)
    return layers.Lambda(squash, name='primarycap_squash')(outputs)


def CapsNet(input_shape, n_class, routings):
    x = layers.Input(shape=input_shape)
    conv1 = layers.Conv2D(filters=8, kernel_size=3, strides=1, padding='valid', activation='relu', name='conv1')(x)
    primarycaps = PrimaryCap(conv1, dim_capsule=4, n_channels=3, kernel_size=3, strides=2, padding='valid')
    digitcaps = CapsuleLayer(num_capsule=n_class, dim_capsule=6, routings=routings, name='digitcaps')(primarycaps)
    out_caps = Length(name='capsnet')(digitcaps)
    y = layers.Input(shape=(n_class,))
    masked_by_y, masked = Mask()([digitcaps, y]), Mask()(digitcaps)
    decoder = models.Sequential(name='decoder')
    decoder.add(layers.Dense(16, activation='relu', input_dim=6 * n_class))
    decoder.add(layers.Dense(np.prod(input_shape), activation='sigmoid'))
    decoder.add(layers.Reshape(target_shape=input_shape, name='out_recon'))
    train_model = models.Model([x, y], [out_caps, decoder(masked_by_y)])
    eval_model = models.Model(x, [out_caps, decoder(masked)])
    noise = layers.Input(shape=(n_class, 6))
    masked_noised_y = Mask()([layers.Add()([digitcaps, noise]), y])
    return train_model, eval_model, models.Model([x, y, noise], decoder(masked_noised_y))


def margin_loss(y_true, y_pred):
    L = y_true * K.square(K.maximum(0., 0.9 - y_pred)) + 0.5 * (1 - y_true) * K.square(K.maximum(0., y_pred - 0.1))
    return K.mean(K.sum(L, 1))


np.random.seed(0)
labels = np.arange(96) % 3
x = np.random.rand(96, 10, 10, 1) * .2
for k, label in enumerate(labels):
    x[k, 3 * label:3 * label + 4] += .7
x, y = x.clip(0, 1).astype('float32'), to_categorical(labels.astype('float32'), 3)
model, eval_model, manipulate_model = CapsNet((10, 10, 1), 3, routings=3)
rs = np.random.RandomState(5)
model.set_weights([rs.normal(0, .3, w.shape) if w.ndim > 1 else w * 0 for w in model.get_weights()])
lengths, pictures = eval_model.predict(x[:3])
moved = manipulate_model.predict([x[:1], y[:1], np.full((1, 3, 6), .1)])
model.compile(optimizer=optimizers.SGD(lr=.02, momentum=.9), loss=[margin_loss, 'mse'], loss_weights=[1., .392],
              metrics={'capsnet': 'accuracy'})
steps = [[float(v) for v in model.train_on_batch([x, y], [y, x])] for _ in range(2)]
model.compile(optimizer=optimizers.Adam(lr=.01), loss=[margin_loss, 'mse'], loss_weights=[1., .392],
              metrics={'capsnet': 'accuracy'})
history = model.fit([x, y], [y, x], batch_size=32, epochs=12, verbose=0, validation_data=[[x[:30], y[:30]],
                                                                                          [y[:30], x[:30]]],
                    callbacks=[callbacks.CSVLogger('log.csv'), callbacks.EarlyStopping('val_capsnet_acc', patience=9),
                               callbacks.LearningRateScheduler(schedule=lambda epoch: .01 * (0.95 ** epoch)),
                               callbacks.ModelCheckpoint('weights-{epoch:02d}.h5', monitor='val_capsnet_acc',
                                                         save_best_only=True, save_weights_only=True)])
y_pred, x_recon = eval_model.predict(x, batch_size=100)
accuracy = np.sum(np.argmax(y_pred, 1) == np.argmax(y, 1)) / float(y.shape[0])
assert accuracy > .95, accuracy
assert activations.get('linear')(1) == 1 and x_recon.shape == x.shape
print('accuracy %.2f' % accuracy)
print('RESULT ' + json.dumps({'lengths': lengths.ravel().tolist(), 'pictures': pictures[0, ::3, ::3, 0].tolist(),
                              'moved': moved[0, ::3, ::3, 0].tolist(), 'steps': steps}))
