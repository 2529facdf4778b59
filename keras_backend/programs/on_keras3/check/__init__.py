"""`python -m keras_backend.keras3 --check`: where a program of tf.keras would stop or differ on a backend of Keras 3.

Nothing of the program is run or imported, and neither Keras nor TensorFlow has to be installed. `launcher/check` reads
the program and has the rules about Python and other libraries. `rules` has the words and judges names and lines by its
tables, `program` puts all together and writes the report.
"""
