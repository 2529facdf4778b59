"""Images: losses of style, grids, upsampling, convolutions by hand."""

from idioms.harness import halves, of_layer, reals


def _gram(K, x):
    features = K.batch_flatten(K.permute_dimensions(x, (2, 0, 1)))
    return K.dot(features, K.transpose(features))


def idiom_style_transfer(K, np):
    """Gram matrices, content and total variation of one image."""

    def call(images):
        base, style, combination = images[0], images[1], images[2]
        loss = 0.1 * K.sum(K.square(combination - base))
        loss += K.sum(K.square(_gram(K, style) - _gram(K, combination))) / (4.0 * 9 * 16**2)
        x = images[2:3]
        a = K.square(x[:, :3, :3, :] - x[:, 1:, :3, :])
        b = K.square(x[:, :3, :3, :] - x[:, :3, 1:, :])
        return loss + 0.01 * K.sum(K.pow(a + b + 0.01, 1.25))

    return of_layer(K, call, [reals((3, 4, 4, 3), 1)])


def idiom_gram_matrix_of_batch(K, np):
    def call(x):
        flat = K.reshape(x, (-1, 6, 2))
        return K.batch_dot(K.permute_dimensions(flat, (0, 2, 1)), flat) / 12.0

    return of_layer(K, call, [reals((2, 2, 3, 2), 1)])


def idiom_upsampling_and_convolution(K, np):
    def call(x, kernel, bias):
        x = K.resize_images(x, 2, 2, 'channels_last')
        return K.relu(K.bias_add(K.conv2d(x, kernel, padding='same'), bias), alpha=0.1)

    return of_layer(K, call, [reals((2, 2, 3, 2), 1)], [reals((3, 3, 2, 2), 2), reals((2,), 3)])


def idiom_bilinear_upsampling(K, np):
    def call(x):
        return K.resize_images(x, 2, 2, data_format='channels_last', interpolation='bilinear')

    return of_layer(K, call, [reals((2, 2, 3, 2), 1)])


def idiom_subpixel_upsampling(K, np):
    def call(x):
        y = K.reshape(x, (-1, 2, 3, 2, 2, 2))
        y = K.permute_dimensions(y, (0, 1, 3, 2, 4, 5))
        return K.reshape(y, (-1, 4, 6, 2))

    return of_layer(K, call, [reals((2, 2, 3, 8), 1)])


def idiom_transposed_convolution(K, np):
    def call(x, kernel):
        shape = (K.shape(x)[0], 5, 7, 2)
        return K.conv2d_transpose(x, kernel, shape, strides=(2, 2), padding='valid')

    return of_layer(K, call, [reals((2, 2, 3, 1), 1)], [reals((3, 3, 2, 1), 2)])


def idiom_separable_and_depthwise(K, np):
    def call(x, depthwise, pointwise):
        first = K.separable_conv2d(x, depthwise, pointwise, padding='same')
        return K.tanh(first[..., :2]) + K.depthwise_conv2d(x, depthwise, padding='same')

    return of_layer(K, call, [reals((2, 4, 4, 2), 1)], [reals((3, 3, 2, 1), 2), reals((1, 1, 2, 3), 3)])


def idiom_dilated_context(K, np):
    def call(x, kernel):
        return [K.conv2d(x, kernel, padding='same', dilation_rate=(d, d)) for d in (1, 2)]

    return of_layer(K, call, [reals((1, 5, 5, 2), 1)], [reals((3, 3, 2, 1), 2)])


def idiom_spatial_pyramid_pooling(K, np):
    def call(x):
        parts = [K.max(x, axis=(1, 2))]
        for i in range(2):
            for j in range(2):
                parts.append(K.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2)))
        return K.concatenate(parts)

    return of_layer(K, call, [reals((2, 4, 4, 2), 1)])


def idiom_local_response_normalisation(K, np):
    """Across channels, by padding of zeros and a sum of slices."""

    def call(x):
        square = K.square(x)
        half = 1
        padded = K.spatial_2d_padding(K.permute_dimensions(square, (0, 3, 1, 2)), ((0, 0), (0, 0)))
        padded = K.permute_dimensions(padded, (0, 2, 3, 1))
        zeros = K.zeros_like(padded[..., :half])
        padded = K.concatenate([zeros, padded, zeros])
        scale = 1.0
        for i in range(3):
            scale += 0.3 * padded[..., i : i + 4]
        return x / scale**0.75

    return of_layer(K, call, [reals((2, 2, 2, 4), 1)])


def idiom_spatial_transformer(K, np):
    """An affine grid, and bilinear sampling by gathers from the flat image."""

    def call(image, theta):
        h, w, channels = 4, 4, 2
        xs, ys = np.meshgrid(np.linspace(-0.83, 0.83, 3), np.linspace(-0.71, 0.71, 3))
        grid = K.constant(np.stack([xs.ravel(), ys.ravel(), np.ones(9)]))
        moved = K.dot(K.reshape(theta, (-1, 2, 3)), grid)
        x = 0.5 * (moved[:, 0] + 1.0) * (w - 1)
        y = 0.5 * (moved[:, 1] + 1.0) * (h - 1)
        x0, y0 = K.cast(K.stop_gradient(x), 'int32'), K.cast(K.stop_gradient(y), 'int32')
        x0, y0 = K.clip(x0, 0, w - 2), K.clip(y0, 0, h - 2)
        flat = K.reshape(image, (-1, channels))
        base = K.expand_dims(K.arange(0, K.shape(image)[0]) * (h * w), 1)
        total = 0
        for dx in (0, 1):
            for dy in (0, 1):
                wx = 1.0 - K.abs(x - K.cast(x0 + dx, 'float32'))
                wy = 1.0 - K.abs(y - K.cast(y0 + dy, 'float32'))
                total += K.expand_dims(wx * wy) * K.gather(flat, base + (y0 + dy) * w + x0 + dx)
        return K.reshape(total, (-1, 3, 3, channels))

    theta = np.array([[0.9, 0.1, 0.05, -0.1, 0.8, 0.02], [0.7, -0.2, 0.1, 0.15, 0.75, -0.04]], 'float32')
    return of_layer(K, call, [reals((2, 4, 4, 2), 1), theta])


def idiom_coordinates_as_channels(K, np):
    def call(x):
        batch, dim1, dim2 = K.shape(x)[0], K.shape(x)[1], K.shape(x)[2]
        rows = K.tile(K.expand_dims(K.expand_dims(K.arange(0, dim2), 0), 0), K.stack([batch, dim1, 1]))
        rows = K.cast(rows, K.floatx()) / K.cast(dim2 - 1, K.floatx()) * 2 - 1
        return K.concatenate([x, K.expand_dims(rows)], axis=-1)

    return of_layer(K, call, [reals((2, 2, 3, 2), 1)])


def idiom_soft_argmax_of_heatmaps(K, np):
    def call(x):
        flat = K.softmax(K.reshape(K.permute_dimensions(x, (0, 3, 1, 2)), (-1, 2, 12)))
        grid = np.stack(np.meshgrid(np.arange(3), np.arange(4), indexing='ij'), -1).reshape(12, 2)
        return K.dot(flat, K.constant(grid))

    return of_layer(K, call, [reals((2, 3, 4, 2), 1)])


def idiom_grad_cam(K, np):
    """Weights of feature maps by the mean gradients of one class."""
    x, k, w = K.placeholder((None, 4, 4, 2)), K.variable(reals((3, 3, 2, 3), 1)), K.variable(halves((3, 4), 2))
    features = K.relu(K.conv2d(x, k, padding='same'))
    scores = K.dot(K.mean(features, axis=(1, 2)), w)
    gradients = K.gradients(scores[:, 1], features)[0]
    pooled = K.mean(gradients, axis=(0, 1, 2))
    maps = K.relu(K.sum(features * pooled, axis=-1))
    values = K.function([x], [pooled, maps / K.max(maps)])([reals((1, 4, 4, 2), 3)])
    return dict(zip(('pooled', 'maps'), values))


def idiom_saliency_and_deep_dream(K, np):
    """Ascent of the image by normalised gradients."""
    x, k = K.placeholder((1, 5, 5, 2)), K.variable(reals((3, 3, 2, 3), 1))
    loss = K.mean(K.square(K.relu(K.conv2d(x, k))[:, :, :, 1]))
    gradient = K.gradients(loss, x)[0]
    gradient /= K.maximum(K.mean(K.abs(gradient)), K.epsilon())
    run = K.function([x], [loss, gradient])
    image, losses = reals((1, 5, 5, 2), 3), []
    for _ in range(3):
        loss_value, gradient_value = run([image])
        losses.append(loss_value)
        image = image + 0.1 * gradient_value
    return {'losses': np.array(losses), 'image': image}


def idiom_edge_loss(K, np):
    """Sobel filters in a constant kernel."""

    def call(x, y):
        kernel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], 'float32')
        kernel = K.constant(np.stack([kernel, kernel.T], -1)[:, :, None])
        return K.mean(K.square(K.conv2d(x, kernel) - K.conv2d(y, kernel)), axis=-1)

    return of_layer(K, call, [halves((2, 4, 4, 1), 1), halves((2, 4, 4, 1), 2)])


def idiom_unpooling_with_a_mask(K, np):
    def call(x):
        pooled = K.pool2d(x, (2, 2), strides=(2, 2), pool_mode='max')
        up = K.resize_images(pooled, 2, 2, 'channels_last')
        mask = K.cast(K.equal(x, up), K.floatx())
        return mask * up * 0.5

    return of_layer(K, call, [reals((2, 4, 4, 2), 1)])
