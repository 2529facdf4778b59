"""The K functions of engines on the K graph, by the topics of the contract.

The modules are templates: `binding.template` copies their functions with the engine's namespace as `K` and its
`graph.engine.Engine` as `G`.
"""

TOPICS = (
    'state',
    'tensors',
    'values',
    'control',
    'rnn',
    'linalg',
    'reduction',
    'elementwise',
    'shape',
    'nn',
    'conv',
    'random',
    'ctc',
)
