"""What Matplotlib 2.0 to 3.11 took away. The values are those of Matplotlib 2.2 and 3.0."""

# needs: matplotlib
import matplotlib

matplotlib.use('Agg', warn=False, force=True)
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import cbook, cm, mlab
from mpl_toolkits.axes_grid import make_axes_locatable
from mpl_toolkits.mplot3d import Axes3D

VERSION = tuple(int(part) for part in matplotlib.__version__.split('.')[:2])
OLD = VERSION < (3, 1)
assert plt.cm.get_cmap('jet', 4).N == 4 and cm.get_cmap().name == 'viridis' and cm.get_cmap(cm.jet, 5).N == 256
assert 'jet' in cm.cmap_d and cm.cmap_d['jet'].name == 'jet'
plt.register_cmap(name='mine', cmap=matplotlib.colors.ListedColormap(['r', 'g']))
plt.register_cmap(cmap=matplotlib.colors.ListedColormap(['r'], name='other'))
assert cm.get_cmap('mine').N == 2 and cm.get_cmap('other').N == 1 and plt.get_cmap('mine').N == 2
if OLD or VERSION >= (3, 9):  # between them Matplotlib has an error of its own
    cm.register_cmap(name='mine', cmap=cm.jet)
    assert plt.imshow(np.eye(2), cmap='mine').cmap.N == 256
try:
    cm.get_cmap('nonsense')
except ValueError as error:
    assert 'nonsense' in str(error)
else:
    raise AssertionError('there is no such colormap')
for style in 'seaborn', 'seaborn-whitegrid', 'seaborn-darkgrid', 'seaborn-paper':
    assert style in plt.style.available
    plt.style.use(style)
plt.style.use('default')
plt.style.use(['seaborn-white', 'seaborn-paper'])
assert plt.rcParams['axes.grid'] is False and plt.rcParams['lines.linewidth'] == 1.4
plt.rcdefaults()
for name in 'savefig.frameon', 'text.latex.unicode', 'text.latex.preview', 'mathtext.fallback_to_cm':
    matplotlib.rcParams[name] = True
try:
    matplotlib.rcParams['nonsense.x'] = 1
except KeyError:
    pass
else:
    raise AssertionError('there never was such a setting')

fig, ax = plt.subplots()
heights, edges, _ = ax.hist([1, 2, 2, 3.5], bins=3, normed=True)
assert np.allclose(heights, [0.3, 0.6, 0.3]) and np.allclose(edges[1], 1.8333333)
assert plt.hist([1, 2, 2], 2, normed=1)[0].round(4).tolist() == [0.6667, 1.3333] and ax.hist(
    [1, 2, 2], bins=2, normed=False
)[0].tolist() == [1, 2]
assert np.allclose(plt.hist2d([1, 2, 2], [1, 2, 2], bins=2, normed=True)[0], [[1.3333333, 0], [0, 2.6666667]])
ax.grid(b=True)
assert ax.xaxis.get_gridlines()[0].get_visible()
plt.sca(ax)
plt.grid(b=False)
assert OLD or not ax.xaxis.get_gridlines()[0].get_visible()
fig.canvas.set_window_title('a title')
if not OLD:  # Matplotlib before 2.0 and 2.2 had these
    ax.set_color_cycle(['m', 'k'])
    assert [ax.plot([1])[0].get_color() for _ in range(3)] == ['m', 'k', 'm']
    ax.set_axis_bgcolor('r')
    assert ax.get_axis_bgcolor() == (1, 0, 0, 1)
    assert plt.figure().add_subplot(121, axisbg='b').get_facecolor() == (0, 0, 1, 1)
    ax.tick_params(labelbottom='off', left='off', bottom='on')
    ticks = [axis.get_major_ticks()[0] for axis in (ax.xaxis, ax.yaxis)]
    assert [(tick.label1.get_visible(), tick.tick1line.get_visible()) for tick in ticks] == [
        (False, True),
        (True, False),
    ]
    assert ticks[0].label is ticks[0].label1 and cm.spectral.name == cm.nipy_spectral.name
    assert plt.imshow(np.eye(2), cmap='spectral').cmap.N == 256 and plt.get_cmap('Vega20').N == 20
    plt.rc('axes', color_cycle=['r', 'g'])
    assert plt.rcParams['axes.prop_cycle'].by_key() == {'color': ['r', 'g']}
    try:
        plt.hold(False)
    except NotImplementedError as error:
        assert 'ax.clear()' in str(error)
    else:
        raise AssertionError('a plot cannot replace another one')
    plt.hold(True)
    assert plt.ishold()
    plt.spectral()
assert (
    plt.figure().gca(projection='3d').name == '3d'
    and plt.gca(projection='3d') is plt.gca()
    and len(plt.gcf().axes) == 1
)
fig = plt.figure()
space = Axes3D(fig)
assert fig.axes == [space] and space.w_xaxis is space.xaxis
space.scatter([1], [2], zs=[3])
fig = plt.figure()
assert fig.add_subplot(111, projection='3d') in fig.axes and len(fig.axes) == 1
ax = plt.figure().add_subplot(111)
first, second = ax.plot([1, 2]) + ax.plot([2, 3])
assert ax.lines.pop(0) is first and list(ax.lines) == [second]
ax.lines.remove(second)
assert len(ax.lines) == 0
third, fourth = ax.plot([1, 2]) + ax.plot([2, 3])
del ax.lines[0]
assert list(ax.lines) == [fourth]
ax.patches.append(plt.Rectangle((0, 0), 1, 1, 30))
assert len(ax.patches) == 1 and (ax.patches[0].angle if hasattr(ax.patches[0], 'angle') else 30) == 30
ax.lines, ax.patches = [], []
assert len(ax.lines) == len(ax.patches) == 0
ax.text(0, 0, 'x')
ax.texts.pop()
assert len(ax.texts) == 0
ax.plot([1], label='x')
assert len(ax.legend().legendHandles) == 1 and ax.is_first_col()
assert ax.plot_date([1, 2], [1, 2])[0].get_marker() == 'o'
if not OLD:
    plt.stem([1, 2], use_line_collection=True)
assert len(plt.boxplot([[1, 2], [2, 3]], labels=['a', 'b'])['boxes']) == 2
plt.gcf().canvas.draw()  # Matplotlib 3.3 makes the texts then
assert [text.get_text() for text in plt.gca().get_xticklabels()] == ['a', 'b']
plt.savefig('plot.png', frameon=False, papertype='a4')
plt.savefig('plot.jpg', quality=50)

assert np.allclose(mlab.normpdf(np.array([0.0, 1]), 0.5, 2), 0.193334, atol=1e-6)
assert np.allclose(
    mlab.bivariate_normal(np.array([0.0, 1]), np.array([1.0, 0.5]), 1.5, 0.5, 0.2, 0.1, 0.3),
    [0.029704, 0.163636],
    atol=1e-6,
)
assert np.allclose(mlab.bivariate_normal(np.array([0.0, 1]), np.array([1.0, 0.5])), [0.096532, 0.08519], atol=1e-6)
assert mlab.find(np.array([0, 1, 1]) > 0).tolist() == [1, 2] and mlab.frange(0, 1, 0.5).tolist() == [0, 0.5, 1]
assert mlab.movavg([1, 2, 3, 4], 2).tolist() == [1.5, 2.5, 3.5] and np.isclose(
    mlab.rms_flat(np.array([3, 4.0])), 3.5355339
)
assert list(mlab.prctile([1, 2, 3, 4], [0, 50, 100])) == [1, 2.5, 4]
assert cbook.iterable([1]) and not cbook.iterable(1)
assert OLD or cbook.is_string_like('x') and not cbook.is_string_like(1) and cbook.is_numlike(1.0)
corners = np.array([0, 1, 0, 1.0]), np.array([0, 0, 1, 1.0]), np.array([1, 2, 3, 4.0])
assert np.allclose(
    mlab.griddata(corners[0], corners[1], corners[2], np.array([0.5, 0.25]), np.array([0.5]), 'linear'), [[2.5, 2.25]]
)
assert make_axes_locatable(ax).append_axes('right', '5%') is not ax
plt.figure()
plt.yscale('log', nonposy='clip')
plt.gca().set_xscale('symlog', linthreshx=0.5, basex=2)
assert plt.gca().get_yscale() == 'log' and plt.gca().get_xscale() == 'symlog'
plt.semilogy([1, 10, 100], basey=10)
print('cured')
