"""Runs the cases on the original, Keras 2.3.1 on TensorFlow 1.15.5, and writes what comes out into original.txt.

    python record.py             in the original's environment: writes original.txt
    python record.py --check     in the original's environment: fails if original.txt is not what it gives now
    python record.py --keras224  where Keras 2.2.4 is in place of 2.3.1: writes keras224.txt, the cases that are not as
                                 in original.txt; with --check it runs those cases alone, and fails if keras224.txt is
                                 not what comes out now
    python record.py --ours      in an environment of ours, KERAS_BACKEND=numpy: writes ours.txt
    python record.py --open      in an environment of ours: prints every difference that differences.txt does not list

The original's environment is Python 3.7 with keras==2.3.1 tensorflow==1.15.5 "protobuf<3.21" "h5py<3" "numpy<1.19"
scipy. tox -e original makes it and checks, and tox -e original224 does so with Keras 2.2.4. Keras is run, never read.
"""

import argparse
import multiprocessing
import os
import re
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

import original_run as run  # noqa: E402
from original_cases import TOPICS, all_cases, cases_of  # noqa: E402

RECORD = os.path.join(FOLDER, 'original.txt')
KERAS224 = os.path.join(FOLDER, 'keras224.txt')
OURS = os.path.join(FOLDER, 'ours.txt')
ABSENT = '!no K.'


def import_original(version):
    """Import this version of Keras, and TensorFlow: no session is made yet."""
    os.environ['KERAS_BACKEND'] = 'tensorflow'
    os.environ['KERAS_HOME'] = tempfile.mkdtemp(prefix='keras_home_')
    run.quiet()
    import tensorflow as tf

    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    import keras

    versions = keras.__version__, tf.__version__
    assert versions == (version, '1.15.5'), f'Keras {version} on TensorFlow 1.15.5 is recorded, and this is {versions}'


def original(version='2.3.1'):
    """A runner for the original: this version of Keras."""
    import_original(version)
    import tensorflow as tf
    from keras import backend as K

    v1 = tf.compat.v1
    off = v1.OptimizerOptions(opt_level=v1.OptimizerOptions.L0)
    options = v1.GraphOptions(optimizer_options=off)
    # Graphs that run once: to rewrite them takes longer than to run them, and ends the process for some wrong ones.
    options.rewrite_options.disable_meta_optimizer = True
    config = v1.ConfigProto(graph_options=options, intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)

    def opened():
        K.set_session(v1.Session(config=config))

    return run.Runner(K, dense=tf.convert_to_tensor, opened=opened)


def outcomes(runner, cases):
    """The outcome of each case as text, by id."""
    found, since = {}, time.time()
    for group in run.groups(cases):
        one = runner.together(group)
        found.update((case.id, run.line(one[case.id])) for case in group)
    print(f'{len(cases)} cases in {time.time() - since:.0f} s', file=sys.stderr)
    return found


def recorded_now(version, listed=None):
    """What the original gives for all cases, or those listed.

    A fork of this process runs each topic, since the memory of its graphs is not given back.
    """
    import_original(version)
    fork, found = multiprocessing.get_context('fork'), {}
    with tempfile.TemporaryDirectory() as folder:
        for topic in TOPICS:
            path = os.path.join(folder, topic)
            child = fork.Process(target=record_topic, args=(topic, version, listed, path))
            child.start()
            child.join()
            if child.exitcode:
                sys.exit(f'{topic}: the process has failed')
            found.update(run.read(path))
    return found


def record_topic(topic, version, listed, path):
    """Write the outcomes of a topic's cases; on Keras 2.2.4 those of functions that it does not have, too."""
    runner, cases = original(version), cases_of(topic)
    found = outcomes(runner, [case for case in cases if listed is None or case.id in listed])
    if version != '2.3.1':
        found.update(unknown(runner.K, cases))
    write(path, found, topic)


def unknown(K, cases):
    """An outcome for each case that calls a function which this K does not have."""
    calls = {case.id: re.findall(r'\bK\.(\w+)', case.program) for case in cases}
    return {name: f'{ABSENT}{one}' for name, called in calls.items() for one in called if not hasattr(K, one)}


def keras224_now(listed=None):
    """What Keras 2.2.4 gives where that is not what the original gives; errors are alike, whatever their class.

    A function that it does not have stands there once, by its name, instead of the cases that call it.
    """
    recorded, found = run.read(RECORD), recorded_now('2.2.4', listed)
    unlike = {name: outcome for name, outcome in found.items() if run.unlike(recorded[name], outcome)}
    absent = sorted({outcome for outcome in unlike.values() if outcome.startswith(ABSENT)})
    unlike = {name: outcome for name, outcome in unlike.items() if outcome not in absent}
    return dict(unlike, **{outcome[len(ABSENT) :]: outcome for outcome in absent})


def write(path, found, heading):
    """A file with a line for each case."""
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write(f'# {heading}\n')
        stream.writelines(f'{name} {outcome}\n' for name, outcome in found.items())


def check(recorded, found):
    """Says what differs from the record, and how many do."""
    wrong = [name for name in list(recorded) + list(found) if name not in recorded or name not in found]
    for name in wrong:
        print(f'{name}: in the record or among the cases, not in both')
    for name, outcome in found.items():
        if name in recorded:
            difference = run.unlike(recorded[name], outcome)
            if difference or (recorded[name][:1] == '!' and recorded[name] != outcome):
                print(f'{name}: {difference or "another error"}\n    recorded {recorded[name]}\n    now      {outcome}')
                wrong.append(name)
    print(f'{len(wrong)} cases are wrong' if wrong else f'{len(found)} cases give what is recorded')
    return len(wrong)


def main():
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in 'check', 'keras224', 'ours', 'open':
        parser.add_argument('--' + option, action='store_true')
    parser.add_argument('--only', help='only cases whose id starts so; nothing is written')
    options = parser.parse_args()
    version = '2.2.4' if options.keras224 else '2.3.1'
    cases = all_cases()
    if options.only:
        cases = [case for case in cases if case.id.startswith(options.only)]
    if options.check:
        if options.keras224:
            # Neither version changes any more: what was alike stays alike.
            listed = run.read(KERAS224)
            return check(listed, keras224_now(listed)) > 0
        return check(run.read(RECORD), recorded_now(version)) > 0
    if options.ours or options.open:
        import original_compare

        return original_compare.main(cases, OURS if options.ours else None)
    if options.only:
        found = outcomes(original(version), cases)
        for case in cases:
            print(f'{case.id} {case.program!r} {found[case.id]}')
        return 0
    if options.keras224:
        write(KERAS224, keras224_now(), 'Keras 2.2.4 on TensorFlow 1.15.5 where it gives something else, by record.py')
        return 0
    write(RECORD, recorded_now(version), 'Keras 2.3.1 on TensorFlow 1.15.5, by record.py')
    return 0


if __name__ == '__main__':
    sys.exit(main())
