"""`python -m keras_backend.keras2 --check`: where a program would stop or differ, and which Keras it needs.

Nothing of the program is run or imported, and neither Keras nor TensorFlow has to be installed. `launcher/check` reads
the program and has the rules about Python and other libraries. `keras_rules` and `tensorflow_rules` judge the names,
`versions` chooses a version, `program` puts all together and writes the report. `rules` has the words: the same as in
docs/legacy-errors.md.
"""
