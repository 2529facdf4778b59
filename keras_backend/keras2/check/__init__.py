"""`python -m keras_backend.keras2 --check`: where a program would stop or differ, and which Keras it needs.

Nothing of the program is run or imported, and neither Keras nor TensorFlow has to be installed. `reading` gives text,
`python2` and `syntax` give a tree, `uses` gives names in full, `keras_rules`, `python_rules`, `library_rules` and
`tensorflow_rules` judge them, `which_keras` chooses a version, `report` writes. `rules` has the words: the same as in
docs/legacy-errors.md.
"""
