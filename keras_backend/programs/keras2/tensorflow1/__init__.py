"""Parts of TensorFlow 1 that TensorFlow 2 no longer has: `tf.contrib`, `tf.layers`, `tf.nn.rnn_cell`.

`table.GIVEN` lists the names. A module here is imported when a program asks for the first of its names.
"""
