"""As `layer_cases`, for layers that Keras 3 has and tf.keras does not have."""

from layer_models import shape_of

IMAGE = 'f 4 5 3'
# Layers that leave images as they are when a model predicts: those that need arguments, and the others.
DRAWING = {
    **{kind: dict(factor=0.5) for kind in ('RandomColorDegeneration', 'RandomHue', 'RandomSaturation')},
    'RandomSharpness': dict(factor=0.5),
    'RandomPosterization': dict(factor=4),
    'MaxNumBoundingBoxes': dict(max_number=3),
}
AXES = {1: 'f 7 2', 2: 'f 5 6 2', 3: 'f 4 5 3 2'}

PLAIN = (
    'AugMix CutMix MixUp RandAugment RandomColorJitter RandomElasticTransform RandomErasing RandomGaussianBlur '
    'RandomGrayscale RandomInvert RandomPerspective RandomShear Solarization'
).split()

LAYERS = [
    *[(kind, DRAWING.get(kind, {}), [IMAGE]) for kind in [*PLAIN, *DRAWING]],
    ('RMSNormalization', {}, ['f 3 4']),
    ('RMSNormalization', dict(axis=-1, epsilon=0.1), ['f 3 2 4']),
    ('RMSNormalization', dict(axis=[1, 2]), ['f 3 4']),
    ('RMSNormalization', {}, ['m 3 4']),
    *[
        (f'Adaptive{kind}Pooling{rank}D', arguments, [inputs])
        for rank, inputs in AXES.items()
        for kind in ('Average', 'Max')
        for arguments in (
            dict(output_size=2),
            dict(output_size=tuple([size - 1 for size in shape_of(inputs)[:-1]])),
            dict(output_size=2, data_format='channels_first'),
        )
    ],
]

MODELS = {}
