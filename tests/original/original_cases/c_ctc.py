"""Connectionist temporal classification."""

from .case import Topic, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add

LENGTHS = '4', '3'
for made in (variable, unknown):
    for labels, length, steps in (([0, 1], [2], [4]), ([0, 1], [1], [4]), ([1, 1], [2], [4]), ([0, 1], [2], [3]), ([1, 0], [2], [2]), ([1, 1], [2], [2]), ([0, 1], [0], [4]), ([2, 1], [2], [4]), ([0, 3], [1], [4]), ([0, 5], [2], [4]), ([0, 1], [2], [9])):
        add('ctc_batch_cost/labels', 'K.ctc_batch_cost(t, y, n, m)', t=made((1, 2), labels, 'int32'), y=made((1, 4, 3), 'rows'), n=made((1, 1), steps, 'int32'), m=made((1, 1), length, 'int32'))
    add('ctc_batch_cost/batch', 'K.ctc_batch_cost(t, y, n, m)', t=made((2, 2), [0, 1, 1, 0], 'int32'), y=made((2, 4, 3), 'rows'), n=made((2, 1), [4, 3], 'int32'), m=made((2, 1), [2, 1], 'int32'))
    add('ctc_batch_cost/float', 'K.ctc_batch_cost(t, y, n, m)', t=made((2, 2), [0, 1, 1, 0]), y=made((2, 4, 3), 'rows'), n=made((2, 1), [4, 3], 'int64'), m=made((2, 1), [2, 1], 'int64'))
    add('ctc_batch_cost/softmax', 'K.ctc_batch_cost(t, K.softmax(y), n, m)', t=made((1, 2), [0, 1], 'int32'), y=made((1, 4, 3)), n=made((1, 1), [4], 'int32'), m=made((1, 1), [2], 'int32'))
    add('ctc_batch_cost/unlike', 'K.ctc_batch_cost(t, y, n, m)', t=made((1, 2), [0, 1], 'int32'), y=made((2, 4, 3), 'rows'), n=made((2, 1), [4, 3], 'int32'), m=made((2, 1), [2, 1], 'int32'))
    for arguments in ('', ', greedy=True', ', False', ', greedy=False, beam_width=5', ', False, 10, 2', ', greedy=False, beam_width=3, top_paths=3', ', False, 1, 2', ', greedy=False, top_paths=0'):
        add('ctc_decode/arguments', f'K.ctc_decode(y, n{arguments})', y=made((1, 4, 3), 'rows'), n=made((1,), [4], 'int32'), gradient=False)
        add('ctc_decode/batch', f'K.ctc_decode(y, n{arguments})', y=made((2, 3, 3), 'rows'), n=made((2,), [3, 2], 'int32'), gradient=False)
    add('ctc_decode/unlike', 'K.ctc_decode(y, n)', 'K.ctc_decode(y, n, greedy=False)', y=made((2, 3, 3), 'rows'), n=made((1,), [3], 'int32'), gradient=False)
    add('ctc_label_dense_to_sparse/dense', 'K.to_dense(K.ctc_label_dense_to_sparse(t, m))', t=made((2, 3), [1, 2, 3, 4, 5, 6], 'int32'), m=made((2,), [3, 1], 'int32'))
    add('ctc_label_dense_to_sparse/dense', 'K.is_sparse(K.ctc_label_dense_to_sparse(t, m))', t=made((2, 3), [1, 2, 3, 4, 5, 6], 'int32'), m=made((2,), [3, 1], 'int32'))
add('ctc_batch_cost/zero', 'K.ctc_batch_cost(t, y, n, m)', t=variable((1, 1), [0], 'int32'), y=fed((1, 2, 2), [0.0, 1.0, 0.0, 1.0]), n=variable((1, 1), [2], 'int32'), m=variable((1, 1), [1], 'int32'), gradient=False)
add('ctc_decode/names', 'K.ctc_decode(y_pred=y, input_length=n)', 'K.ctc_decode(y)', 'K.ctc_decode(y, [4])', 'K.ctc_decode(y, None)', y=fed((1, 4, 3), 'rows'), n=fed((1,), [4], 'int32'), gradient=False)
