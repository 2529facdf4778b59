"""Child processes that have nothing to do with Keras stay as they are; those of multiprocessing are prepared."""
import multiprocessing
import os
import subprocess
import sys

import numpy as np

# It says whether this process reads pickles without being asked to, as the cure for files of objects lets it.
PLAIN = '''
import sys
def reads_pickles():
    import numpy as np
    try:
        np.load('objects.npy')
    except ValueError:
        return False
    return True
'''
FILES = {
    'plain.py': PLAIN + 'print(reads_pickles(), "ke" "ras_backend" in sys.modules)\n',
    'model.py': 'import keras\n',
    'later.py': PLAIN + 'import model\nprint(reads_pickles())\n',
    'names_it.py': PLAIN + 'print(reads_pickles())  # before the import of keras\n',
    os.path.join('package', '__init__.py'): '',
    os.path.join('package', 'names_it.py'): PLAIN + 'print(reads_pickles())  # before the import of keras\n',
    'worker.py': PLAIN + 'def work(queue):\n    queue.put(reads_pickles())\n',
}
# Before Python 3.7 a child cannot tell at its start, nor before 3.10 on other systems.
KNOWS_ITS_PROGRAM = sys.version_info >= (3, 10) or (sys.version_info >= (3, 7) and os.path.exists('/proc/self/cmdline'))


def run(*arguments, **variables):
    return subprocess.check_output([sys.executable, '-W', 'ignore'] + list(arguments),
                                   universal_newlines=True, env=dict(os.environ, **variables)).strip()


def worker(method):
    import worker

    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=worker.work, args=(queue,))
    process.start()
    found = queue.get()
    process.join()
    return found


if __name__ == '__main__':
    np.save('objects.npy', np.array([{'a': 1}, None], dtype=object), allow_pickle=True)
    os.mkdir('package')
    for name, text in FILES.items():
        with open(name, 'w') as stream:
            stream.write(text)
    assert run('plain.py') == 'False False'
    assert run('plain.py', 'keras') == 'False False'  # as `pip install keras`
    assert run('-c', PLAIN + 'print(reads_pickles())') == 'False'
    grandchild = 'import subprocess, sys; print(subprocess.check_output([sys.executable, "plain.py"]).decode())'
    assert run('-c', grandchild) == 'False False'
    assert run('later.py') == 'True'
    for arguments in ['names_it.py'], ['-m', 'package.names_it'], ['-c', PLAIN + 'print(reads_pickles())  # keras']:
        assert run(*arguments) == str(KNOWS_ITS_PROGRAM), arguments
    for variables in dict(KERAS_BACKEND_CHILDREN='0'), dict(KERAS_BACKEND_LAUNCHER=''):
        assert run('names_it.py', **variables) == 'False'
    sys.path.insert(0, os.getcwd())
    for method in set(multiprocessing.get_all_start_methods()) - {'fork'}:
        assert worker(method) == KNOWS_ITS_PROGRAM, method
    # A program says that its children are none of ours.
    program = 'import keras_backend.keras2, os; print(os.environ.get("KERAS_BACKEND_LAUNCHER"))'
    clean = dict(os.environ, KERAS_BACKEND_CHILDREN='0')
    del clean['KERAS_BACKEND_LAUNCHER']
    told = subprocess.check_output([sys.executable, '-c', program], universal_newlines=True, env=clean)
    assert told.strip() == 'None', told
    print('cured')
