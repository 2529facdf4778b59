"""What a network looks at: Grad-CAM by K.gradients and K.function, guided backpropagation by a gradient registered
with TensorFlow, saliency, and a picture that excites a filter by gradient ascent."""
# engines: tensorflow
import json
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import keras
import keras.backend as K
import numpy as np
import tensorflow as tf
from keras.layers import Conv2D, Dense, GlobalAveragePooling2D, Lambda, MaxPooling2D
from keras.models import Sequential
from scipy.ndimage import zoom
from tensorflow.python.framework import ops

H = W = 16


def build_model():
    model = Sequential()
    model.add(Conv2D(6, (3, 3), activation='relu', padding='same', input_shape=(H, W, 3), name='block1_conv1'))
    model.add(MaxPooling2D((2, 2), name='block1_pool'))
    model.add(Conv2D(8, (3, 3), activation='relu', padding='same', name='block2_conv1'))
    model.add(GlobalAveragePooling2D())
    model.add(Dense(3, activation='softmax', name='predictions'))
    rs = np.random.RandomState(21)
    model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
    return model


def target_category_loss(x, category_index, nb_classes):
    return tf.multiply(x, K.one_hot([category_index], nb_classes))


def target_category_loss_output_shape(input_shape):
    return input_shape


def normalize(x):
    # utility function to normalize a tensor by its L2 norm
    return x / (K.sqrt(K.mean(K.square(x))) + 1e-5)


def register_gradient():
    if 'GuidedBackProp' not in ops._gradient_registry._registry:
        @ops.RegisterGradient('GuidedBackProp')
        def _GuidedBackProp(op, grad):
            dtype = op.inputs[0].dtype
            return grad * tf.cast(grad > 0., dtype) * tf.cast(op.inputs[0] > 0., dtype)


def modify_backprop(model, name):
    g = tf.get_default_graph()
    with g.gradient_override_map({'Relu': name}):
        layer_dict = [layer for layer in model.layers[1:] if hasattr(layer, 'activation')]
        for layer in layer_dict:
            if layer.activation == keras.activations.relu:
                layer.activation = tf.nn.relu
        new_model = build_model()
    return new_model


def grad_cam(input_model, image, category_index, layer_name):
    model = Sequential()
    model.add(input_model)
    nb_classes = 3
    target_layer = lambda x: target_category_loss(x, category_index, nb_classes)
    model.add(Lambda(target_layer, output_shape=target_category_loss_output_shape))
    loss = K.sum(model.layers[-1].output)
    conv_output = [layer for layer in model.layers[0].layers if layer.name == layer_name][0].output
    # the gradient along the path of the inner model
    inner = K.sum(target_category_loss(input_model.get_output_at(0), category_index, nb_classes))
    grads = normalize(K.gradients(inner, conv_output)[0])
    gradient_function = K.function(input_model.inputs, [conv_output, grads, inner])
    output, grads_val, score = gradient_function([image])
    assert abs(score - K.function([model.layers[0].get_input_at(1)], [loss])([image])[0]) < 1e-5
    output, grads_val = output[0, :], grads_val[0, :, :, :]
    weights = np.mean(grads_val, axis=(0, 1))
    cam = np.ones(output.shape[0:2], dtype=np.float32)
    for i, w in enumerate(weights):
        cam += w * output[:, :, i]
    cam = zoom(cam, 2, order=1)
    cam = np.maximum(cam, 0)
    return cam / np.max(cam)


def compile_saliency_function(model, activation_layer='block2_conv1'):
    input_img = model.inputs[0]
    layer_dict = dict([(layer.name, layer) for layer in model.layers])
    layer_output = layer_dict[activation_layer].output
    max_output = K.max(layer_output, axis=3)
    saliency = K.gradients(K.sum(max_output), input_img)[0]
    return K.function([input_img, K.learning_phase()], [saliency])


def deprocess_image(x):
    if np.ndim(x) > 3:
        x = np.squeeze(x)
    x = (x - x.mean()) / (x.std() + 1e-5) * 0.1 + 0.5
    x = np.clip(x, 0, 1) * 255
    if K.image_data_format() == 'channels_first':
        x = x.transpose((1, 2, 0))
    return np.clip(x, 0, 255).astype('uint8')


model = build_model()
image = np.random.RandomState(3).rand(1, H, W, 3)
predictions = model.predict(image)
predicted_class = int(np.argmax(predictions))
cam = grad_cam(model, image, predicted_class, 'block2_conv1')
assert cam.shape == (H, W) and cam.max() == 1

register_gradient()
plain = compile_saliency_function(model)([image, 0])[0]
guided_model = modify_backprop(model, 'GuidedBackProp')
guided = compile_saliency_function(guided_model)([image, 0])[0]
assert np.allclose(guided_model.predict(image), predictions, atol=1e-6)
assert not np.allclose(plain, guided)

# Guided backpropagation by hand, in NumPy: the last convolution is linear in what comes from the pooling.
pooled, first, last = K.function([model.inputs[0]], [model.get_layer(n).output for n in
                                                 ('block1_pool', 'block1_conv1', 'block2_conv1')])([image])
kernel2, kernel1 = model.get_layer('block2_conv1').get_weights()[0], model.get_layer('block1_conv1').get_weights()[0]
winners = (last == last.max(axis=3, keepdims=True)) & (last > 0)


def transposed(grad, kernel):
    padded = np.pad(grad[0], ((1, 1), (1, 1), (0, 0)), 'constant')
    return sum(np.einsum('yxo,io->yxi', padded[2 - a:2 - a + grad.shape[1], 2 - b:2 - b + grad.shape[2]], kernel[a, b])
               for a in range(3) for b in range(3))[None]


by_hand = np.repeat(np.repeat(transposed(winners.astype(float), kernel2), 2, 1), 2, 2)
by_hand = by_hand * (first == np.repeat(np.repeat(pooled, 2, 1), 2, 2)) * (first > 0)
assert np.allclose(guided, transposed(by_hand * (by_hand > 0), kernel1), atol=1e-4)

# A filter's favourite picture.
layer_output = model.get_layer('block1_conv1').output
loss = K.mean(layer_output[:, :, :, 2])
grads = K.gradients(loss, model.inputs[0])[0]
grads /= (K.sqrt(K.mean(K.square(grads))) + 1e-5)
iterate = K.function([model.inputs[0], K.learning_phase()], [loss, grads])
input_img_data = np.random.RandomState(0).random_sample((1, H, W, 3)) * .2
values = []
for i in range(20):
    loss_value, grads_value = iterate([input_img_data, 0])
    input_img_data += grads_value * .1
    values.append(float(loss_value))
assert values[-1] > 3 * values[0], values
picture = deprocess_image(input_img_data[0])
assert picture.shape == (H, W, 3) and picture.dtype == np.uint8
print('RESULT ' + json.dumps({'predictions': predictions.ravel().tolist(), 'cam': cam[::4, ::4].ravel().tolist(),
                              'plain': plain.ravel()[::41].tolist(), 'guided': guided.ravel()[::41].tolist(),
                              'ascent': values[::4]}))
