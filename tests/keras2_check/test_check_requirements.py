"""The files beside a program that say which versions it needs: each form is read."""

import os

import pytest

from keras_backend.programs.keras2.check import versions
from keras_backend.programs.keras2.check.program import check
from keras_backend.programs.launcher.check import requirements, years
from keras_backend.programs.launcher.check.requirement_forms import bounds_of, fits, spelled

PROGRAM = 'import keras\nkeras.layers.Dense(3)\n'
CONDA = """name: nets  # of 2018
channels:
  - conda-forge
  - keras=1.0.0
dependencies:
  - python=3.6.5=hc3d631a_2
  - conda-forge::keras=2.2.4
  - tensorflow-gpu=1.12=py36_0
  - "h5py>=2.8"
  - scikit-image 0.14 py36_1
  - pip
  - pip:
    - keras-vis==0.4.1
    - -r more.txt
    - git+https://github.com/keras-team/keras-contrib.git
prefix: /home/ada/nets
"""
# The file, its text, and the version of Keras that it asks for.
FORMS = {
    'pip': ('requirements.txt', 'numpy\nKeras == 2.0.5  # not keras==2.1.0\n# keras==1.0\n', '2.0.5'),
    'extras': ('requirements.txt', 'keras[tests,visualize]==2.1.6 ; python_version < "3.7"\n', '2.1.6'),
    'compatible': ('requirements.txt', 'keras~=2.2.0\n', '~=2.2.0'),
    'bounds': ('requirements.txt', 'keras >=2.0, <2.2\n', '>=2.0,<2.2'),
    'only from': ('requirements.txt', 'keras>=2.0\n', ''),
    'hashes': ('requirements.txt', 'keras==2.0.8 \\\n    --hash=sha256:0f\n', '2.0.8'),
    'git': ('requirements.txt', '-e git+https://github.com/fchollet/keras.git@1.2.2#egg=Keras\n', '1.2.2'),
    'archive': ('requirements.txt', 'https://github.com/fchollet/keras/archive/2.0.4.zip\n', '2.0.4'),
    'another name': ('requirements-gpu.txt', 'keras===2.1.2\n', '2.1.2'),
    'folder': ('requirements/base.txt', 'keras==2.1.2\n', '2.1.2'),
    'conda list': ('requirements.txt', '# platform: linux-64\nkeras=2.2.2=py36_0\n', '2.2.2'),
    'conda': ('environment.yml', CONDA, '2.2.4'),
    'conda, two numbers': ('env-gpu.yaml', 'dependencies:\n- keras-gpu=2.1\n', '=2.1'),
    'conda, pip': ('environment.yml', 'dependencies:\n  - pip:\n    - keras==2.1.3\n', '2.1.3'),
    'conda, one line': ('environment.yml', 'dependencies: [python=3.6, keras=2.0.6, {pip: [h5py]}]\n', '2.0.6'),
    'conda, exact': ('conda.yml', 'dependencies:\n  - keras==2.2.4=py36_0\n', '2.2.4'),
    'setup': (
        'setup.py',
        'from setuptools import setup\nsetup(name="x", install_requires=["keras==2.1.6"])\n',
        '2.1.6',
    ),
    'setup, name': ('setup.py', 'DEPS = ["h5py", "keras<2.3"]\nsetup(install_requires=DEPS + ["six"])\n', '<2.3'),
    'setup, extras': ('setup.py', 'setup(name="a", extras_require={"keras==1.0": ["keras==2.0.9"]})\n', '2.0.9'),
    'setup, Python 2': ('setup.py', 'print "hi"\nsetup(install_requires=["keras==1.1.0"])\n', '1.1.0'),
    'setup.cfg': ('setup.cfg', '[options]\ninstall_requires =\n    numpy\n    keras==2.2.4\n', '2.2.4'),
    'Pipfile': ('Pipfile', '[packages]\nkeras = "==2.1.5"\n[requires]\npython_version = "3.6"\n', '2.1.5'),
    'Pipfile, table': ('Pipfile', '[dev-packages]\n"keras" = {version = "~=2.1.0", extras = ["tests"]}\n', '~=2.1.0'),
    'Pipfile, any': ('Pipfile', '[packages]\nkeras = "*"\n', ''),
    'Pipfile.lock': ('Pipfile.lock', '{"default": {"keras": {"hashes": [], "version": "==2.2.4"}}}', '2.2.4'),
    'project': (
        'pyproject.toml',
        '[build-system]\nrequires = ["keras==1.0"]\n[project]\ndependencies = [\n  "h5py[x]",\n  "keras==2.2.4",\n]\n',
        '2.2.4',
    ),
    'project, extras': ('pyproject.toml', '[project.optional-dependencies]\nold = ["keras==2.2.2"]\n', '2.2.2'),
    'poetry': ('pyproject.toml', '[tool.poetry.dependencies]\npython = "^3.6"\nkeras = "^2.1.3"\n', '^2.1.3'),
    'poetry, exact': ('pyproject.toml', '[tool.poetry.dependencies]\nkeras = "2.2.4"\n', '2.2.4'),
    'poetry.lock': ('poetry.lock', '[[package]]\nname = "keras"\nversion = "2.3.1"\n', '2.3.1'),
    'README': ('README.md', 'Type `pip install keras==2.1.4 h5py`.\n', '2.1.4'),
    'README, conda': ('README.rst', 'conda install -c conda-forge keras=2.1.4\n', '2.1.4'),
    'another library': ('requirements.txt', 'my-keras==2.1.0\nkeras-vis==0.4.1\nkerasify=1.0\n', ''),
}


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(('name', 'text', 'asked'), list(FORMS.values()), ids=list(FORMS))
def test_form_of_requirements(name, text, asked, tmp_path):
    """The version of Keras is read from each form, and from no comment and no other library."""
    write(tmp_path, name, text)
    write(tmp_path, 'train.py', PROGRAM)
    assert asked == check(str(tmp_path / 'train.py')).choice.asked


@pytest.mark.parametrize(
    ('asked', 'near'),
    [
        ('>=2.0,<2.2', '2.1.6'),
        ('~=2.2.0', '2.2.4'),
        ('<2.3', '2.2.4'),
        ('=2.1', '2.1.6'),
        ('=1.1', '1.2.2'),
        ('^2.1.3', '2.3.1'),
        ('~2.0', '2.0.8'),
        ('==2.2.*', '2.2.4'),
        ('<=2.1.0', '2.0.8'),
        ('~=2.4', None),
        ('<1', None),
    ],
)
def test_version_within_bounds(asked, near):
    """Of the versions that lie within bounds, the one that is taken first elsewhere, too."""
    assert near == versions.nearest(asked)


def test_bounds_of_versions():
    """Each sign means what it means to pip, conda and poetry."""
    assert fits('2.2', bounds_of('==2.2.0'))
    assert not fits('2.2.4', bounds_of('==2.2'))
    assert fits('2.2.4', bounds_of('=2.2'))
    assert not fits('2.20', bounds_of('=2.2'))
    assert fits('2.2.4', bounds_of('>2.2,!=2.2.5'))
    assert not fits('2.2.5', bounds_of('>2.2,!=2.2.5'))
    assert fits('2.2', bounds_of('<=2.2.0'))
    assert not fits('2.2.1', bounds_of('<=2.2.0'))
    assert {()} == {bounds_of('*'), bounds_of(''), bounds_of('latest')}
    assert {''} == {spelled(bounds_of('>=2.0,!=2.1')), spelled(())}


def test_files_that_name_others(tmp_path):
    """`-r` is followed from the folder of its file, once, and a missing file is nothing."""
    write(tmp_path, 'requirements.txt', '-r requirements/gpu.txt\n--requirement=none.txt\nh5py\n')
    write(tmp_path, 'requirements/gpu.txt', '-r ../requirements.txt\n-c pins.txt\ntensorflow-gpu\n')
    write(tmp_path, 'requirements/pins.txt', 'keras==2.0.8\n')
    write(tmp_path, 'environment.yml', CONDA)
    write(tmp_path, 'more.txt', 'opencv-python>=3.4\n')
    names = [one.name for one in requirements.listed(str(tmp_path))]
    assert ['tensorflow-gpu', 'keras', 'h5py'] == sorted(names[:3], reverse=True)
    assert {'keras-vis', 'opencv-python', 'keras-contrib', 'scikit-image'} <= set(names)
    assert 'scikit-image' == requirements.distributions(str(tmp_path))['scikit_image']
    assert not {'conda-forge', 'name', 'prefix'} & set(names)


def test_requirements_of_the_repository(tmp_path, monkeypatch):
    """A program in a folder of its repository has the files at the root, after its own."""
    write(tmp_path, 'repository/setup.py', '')
    write(tmp_path, 'repository/requirements.txt', 'keras==2.0.8\nmynets==1\n')
    write(tmp_path, 'requirements.txt', 'keras==1.2.2\n')
    write(tmp_path, 'repository/src/nets/train.py', PROGRAM)
    program = str(tmp_path / 'repository' / 'src' / 'nets' / 'train.py')
    assert '2.0.8' == check(program).choice.asked
    assert 'mynets' in requirements.distributions(program)
    write(tmp_path, 'repository/src/nets/requirements.txt', 'keras==2.1.6\n')
    assert '2.1.6' == check(program).choice.asked
    # Without a root, as in an archive that was unpacked: up to the folder of the process.
    write(tmp_path, 'unpacked/requirements.txt', 'keras==2.2.2\n')
    write(tmp_path, 'unpacked/code/train.py', PROGRAM)
    program = str(tmp_path / 'unpacked' / 'code' / 'train.py')
    assert '' == check(program).choice.asked
    monkeypatch.chdir(str(tmp_path / 'unpacked'))
    assert '2.2.2' == check(os.path.join('code', 'train.py')).choice.asked


@pytest.mark.parametrize(
    ('name', 'text', 'version'),
    [
        ('environment.yml', 'dependencies:\n  - tensorflow-gpu=2.4=gpu_py38h\n', (2, 4)),
        ('requirements.txt', 'tensorflow>=2.3,<2.6\n', (2, 5)),
        ('requirements.txt', 'tensorflow_gpu[and-cuda]~=2.12.0\n', (2, 12)),
        ('pyproject.toml', '[tool.poetry.dependencies]\ntensorflow = {version = "^2.11"}\n', (2, 11)),
        ('setup.py', 'setup(install_requires=["tensorflow<=2.13"])\n', (2, 13)),
        ('requirements.txt', 'tensorflow>=2.0,<3\ntensorflow-hub==2.12\n', years.DEFAULT),
        ('requirements.txt', 'tensorflow==1.13.1\n', (1, 13)),
        ('requirements.txt', 'tensorflow-gpu>=1.8,<2.0\n', (1, 15)),
        ('requirements.txt', 'tensorflow<2\n', (1, 15)),
    ],
)
def test_tensorflow_of_requirements(name, text, version, tmp_path):
    """The TensorFlow of a program of tf.keras is read from the same forms; `why` names the file."""
    write(tmp_path, name, text)
    write(tmp_path, 'train.py', 'import tensorflow as tf\n')
    year = years.year_of(str(tmp_path / 'train.py'))
    assert (version, '' if version == years.DEFAULT else name) == (year.version, year.why)


@pytest.mark.parametrize(
    ('line', 'version'),
    [
        ('optimizer = tf.keras.optimizers.AdamW(1e-3)', (2, 11)),
        ('from tensorflow.keras.optimizers import Adam, AdamW', (2, 11)),
        ('from tensorflow.keras import optimizers; optimizer = optimizers.Lion()', (2, 12)),
        ('optimizer = tf.keras.optimizers.legacy.Adam()', (2, 11)),
        ('optimizer = tfa.optimizers.AdamW(1e-4, 1e-3)', years.DEFAULT),
        ('from torch.optim import Adafactor', years.DEFAULT),
    ],
)
def test_tensorflow_of_optimizers(line, version, tmp_path):
    """Names of Keras tell a version, and those of other libraries do not."""
    write(tmp_path, 'train.py', f'import tensorflow as tf\n{line}\n')
    assert version == years.year_of(str(tmp_path / 'train.py')).version
