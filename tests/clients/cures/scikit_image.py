"""What scikit-image 0.15 to 0.26 took away. The values are those of scikit-image 0.14 and 0.15."""

# needs: skimage
import numpy as np
from skimage import color, draw, feature, filters, measure, morphology, restoration, segmentation, transform, util

r = np.random.RandomState(0)
a = r.rand(16, 16)
b = np.clip(a + 0.1 * r.rand(16, 16), 0, 1)
rgb = r.rand(16, 16, 3)
rgb2 = np.clip(rgb + 0.1 * r.rand(16, 16, 3), 0, 1)
a8, b8 = [(image * 255).astype('uint8') for image in (a, b)]
found = [
    measure.compare_ssim(a, b),
    measure.compare_ssim(a, b, data_range=1),
    measure.compare_ssim(rgb, rgb2, multichannel=True),
    measure.compare_ssim(a8, b8),
]
assert np.allclose(found, [0.9907166917, 0.9906214514, 0.9900794198, 0.9904974150], atol=1e-9), found
mean, full = measure.compare_ssim(a, b, full=True)
assert (
    abs(full.sum() - 253.4574868719617) < 1e-6 and abs(measure.compare_ssim(a.astype('f'), b.astype('f')) - mean) < 1e-5
)
found = [
    measure.compare_psnr(a, b),
    measure.compare_psnr(a - 0.5, b - 0.5),
    measure.compare_psnr(a8, b8),
    measure.compare_psnr(a, b, data_range=2),
]
assert np.allclose(found, [25.0274992833, 31.0480991966, 24.9759381767, 31.0480991966]), found
found = [
    measure.compare_mse(a, b),
    measure.compare_nrmse(a, b),
    measure.compare_nrmse(a, b, 'min-max'),
    measure.compare_nrmse(a, b, norm_type='mean'),
]
assert np.allclose(found, [0.00314231755, 0.09810615782, 0.0563861511, 0.11307774]), found

assert np.allclose(filters.gaussian(rgb, 1)[3, 4], [0.5266579606, 0.6077023213, 0.5110216496])
assert np.allclose(filters.gaussian(rgb, 1, multichannel=False)[3, 4], [0.5453527691, 0.5542909256, 0.5353312241])
assert np.allclose(filters.gaussian(r.rand(8, 8, 4), 1)[1, 1], [0.5876031318, 0.5397194118, 0.4915296425, 0.3962959716])
assert transform.rescale(rgb, 0.5).shape == transform.rescale(rgb, 0.5, multichannel=True).shape == (8, 8, 3)
assert transform.rescale(r.rand(8, 8, 4), 0.5).shape == (4, 4, 4) and transform.rescale(a, 0.5).shape == (8, 8)
assert transform.pyramid_reduce(rgb).shape == (8, 8, 3) == list(transform.pyramid_gaussian(rgb, 2))[1].shape
assert color.rgb2gray(a) is not None and (color.rgb2gray(a) == a).all()
assert np.allclose(color.rgb2gray(rgb)[0, :2], [0.6889847013, 0.3222261253]) and color.grey2rgb(a).shape == (16, 16, 3)
rgba = np.dstack([rgb, a])
assert np.allclose(color.rgb2gray(rgba), color.rgb2grey(rgb))

peaks = np.zeros((9, 9))
peaks[2, 2], peaks[6, 5] = 1, 2
assert feature.peak_local_max(peaks, min_distance=1).tolist() == [[6, 5], [2, 2]]
mask = feature.peak_local_max(
    peaks, indices=False, footprint=np.ones((3, 3)), labels=(peaks > 0).astype(int), exclude_border=False
)
assert mask.dtype == bool and np.argwhere(mask).tolist() == [[2, 2], [6, 5]]
diagonal = np.eye(3, dtype=int)
assert measure.label(diagonal, neighbors=4).max() == 3 and measure.label(diagonal, neighbors=8).max() == 1
assert measure.label(diagonal, 4, return_num=True)[1] == 3 and measure.label(diagonal).max() == 1
assert measure.label(diagonal, connectivity=1).max() == 3
assert [part.tolist() for part in draw.circle(1, 1, 3, (3, 2))] == [[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]]
assert [len(part) for part in draw.circle(2, 2, 2)] == [9, 9] and util.pad(np.arange(2), 1, 'constant').tolist() == [
    0,
    0,
    1,
    0,
]
assert util.montage(np.arange(12.0).reshape(3, 2, 2), multichannel=False)[0].tolist() == [0, 1, 4, 5]
gray = feature.greycomatrix((a * 4).astype('uint8'), [1], [0], levels=4, symmetric=True, normed=True)
assert np.allclose(feature.greycoprops(gray, 'contrast'), 2.5166666666)
shift, error, phase = feature.register_translation(np.roll(a, (2, 3), (0, 1)), a)
assert shift.tolist() == [2, 3] and abs(error) < 1e-6 and abs(phase) < 1e-6
shift, error, _ = feature.register_translation(b, a, 10)
assert np.allclose(shift, 0) and np.isclose(error, 0.063586324)
square = np.ones((3, 3))
assert morphology.dilation(peaks, selem=square).sum() == 27 == morphology.dilation(peaks, square).sum()
assert (
    morphology.binary_dilation(peaks > 0, selem=square).sum() == 18
    and morphology.opening(peaks, selem=square).sum() == 0
)
assert morphology.watershed(-peaks, measure.label(peaks > 0), mask=np.ones_like(peaks) > 0).sum() == 123
assert morphology.skeletonize_3d(np.ones((3, 5), 'uint8')).tolist() == [[0] * 5, [1] * 5, [0] * 5]
assert morphology.skeletonize_3d(np.ones((3, 5))).max() == 255
assert filters.rank.median(a8, selem=square.astype('uint8'))[1, 1] == filters.median(a8, selem=square)[1, 1] == 144
found = (
    restoration.denoise_tv_chambolle(rgb, multichannel=True)[3, 4],
    restoration.denoise_tv_chambolle(rgb, n_iter_max=3)[3, 4],
)
assert np.allclose(found, [[0.55209142, 0.62443584, 0.44318327], [0.5753406, 0.5766391, 0.44505381]])
assert segmentation.slic(rgb, n_segments=4, max_iter=3).min() == 0
assert segmentation.slic(a, n_segments=4, multichannel=False).max() == 3
volume = (np.mgrid[-3:4, -3:4, -3:4] ** 2).sum(0) * 1.0
assert [part.shape for part in measure.marching_cubes_lewiner(volume, 4.0)] == [(78, 3), (152, 3), (78, 3), (78,)]
assert (
    feature.hog(np.ones((32, 32)), visualise=False).shape == feature.hog(np.ones((32, 32, 3)), multichannel=True).shape
)
if hasattr(filters, 'threshold_adaptive'):  # 0.14 has it
    assert (
        filters.threshold_adaptive(a, 5, offset=0.1).sum() == 175
        and filters.threshold_adaptive(a, 5, 'mean').sum() == 128
    )
    assert util.montage2d(np.arange(12.0).reshape(3, 2, 2))[2].tolist() == [8, 9, 5.5, 5.5]
print('cured')
