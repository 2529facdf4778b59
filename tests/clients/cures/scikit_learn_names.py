"""What scikit-learn 0.20 to 1.8 took away. The values are those of scikit-learn 0.19 and 0.20."""

# needs: sklearn six
import numpy as np
import sklearn
from sklearn.datasets.samples_generator import make_blobs
from sklearn.ensemble.forest import RandomForestClassifier
from sklearn.externals import joblib, six
from sklearn.externals.joblib import Parallel, delayed
from sklearn.externals.six.moves import range as moved_range
from sklearn.linear_model import Ridge
from sklearn.manifold import TSNE
from sklearn.metrics import calinski_harabaz_score, confusion_matrix, f1_score, jaccard_similarity_score
from sklearn.metrics.scorer import make_scorer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import Imputer, OneHotEncoder
from sklearn.preprocessing.data import StandardScaler
from sklearn.utils import class_weight, indices_to_mask, safe_indexing
from sklearn.utils.linear_assignment_ import linear_assignment

x, labels = make_blobs(60, centers=3, random_state=0)
assert RandomForestClassifier(n_estimators=5, random_state=0).fit(x, labels).predict(x).shape == (60,)
joblib.dump(StandardScaler().fit(x), 'scaler.pkl')
assert joblib.load('scaler.pkl').transform(x).shape == (60, 2) and six.PY3 and moved_range is range
assert Parallel(1)(delayed(abs)(k) for k in (-1, 2)) == [1, 2]
assert joblib.Parallel is Parallel and calinski_harabaz_score(x, labels) > 50

assert linear_assignment(np.array([[4, 1, 3], [2, 0, 5], [3, 2, 2.0]])).tolist() == [[0, 1], [1, 0], [2, 2]]
assert linear_assignment(np.array([[4, 1], [2, 0], [1, 5.0]])).tolist() == [[1, 1], [2, 0]]
missing = np.array([[1.0, np.nan, 3], [4, 5, np.nan], [7, 8, 10]])
found = {
    (axis, strategy): Imputer(strategy=strategy, axis=axis).fit_transform(missing).tolist()
    for axis in (0, 1)
    for strategy in ('mean', 'median', 'most_frequent')
}
columns, rows = [[1, 6.5, 3], [4, 5, 6.5], [7, 8, 10]], [[1, 2, 3], [4, 5, 4.5], [7, 8, 10]]
assert found[0, 'mean'] == found[0, 'median'] == columns and found[1, 'mean'] == found[1, 'median'] == rows
assert found[0, 'most_frequent'] == [[1, 5, 3], [4, 5, 3], [7, 8, 10]]
assert found[1, 'most_frequent'] == [[1, 1, 3], [4, 5, 4], [7, 8, 10]]
assert Imputer(missing_values=0).fit_transform(np.array([[0, 2], [4, 6.0]])).tolist() == [[4, 2], [4, 6]]
assert Imputer(missing_values='NaN', strategy='mean', axis=0).fit(missing).statistics_.tolist() == [4, 6.5, 6.5]

table = np.array([[0, 1.5, 2], [1, 2.5, 0], [2, 0.5, 2]])
encoder = OneHotEncoder(categorical_features=[2, 0], sparse=False)
assert encoder.fit_transform(table).tolist() == [[1, 0, 0, 0, 1, 1.5], [0, 1, 0, 1, 0, 2.5], [0, 0, 1, 0, 1, 0.5]]
assert encoder.transform(table[:1]).tolist() == [[1, 0, 0, 0, 1, 1.5]]
mixed = OneHotEncoder(categorical_features=[1]).fit_transform(np.array([[5.0, 0, '3'], [6, 1, 4]], dtype=object))
assert mixed.toarray().tolist() == [[1, 0, 5, 3], [0, 1, 6, 4]]
assert OneHotEncoder(sparse=False).fit_transform([[1], [3], [1]]).tolist() == [[1, 0], [0, 1], [1, 0]]
assert OneHotEncoder().fit_transform([[1], [3]]).toarray().tolist() == [[1, 0], [0, 1]]
several = [
    jaccard_similarity_score(*pair)
    for pair in [
        ([0, 1, 2, 1], [0, 2, 2, 1]),
        (np.array([[1, 0], [1, 1]]), np.array([[1, 1], [1, 1]])),
        (np.array([[0, 0], [1, 1]]), np.array([[0, 0], [1, 0]])),
    ]
]
assert several == [0.75, 0.75, 0.75] and jaccard_similarity_score([0, 1], [1, 1], normalize=False) == 1
assert class_weight.compute_class_weight('balanced', np.unique([0, 0, 1]), [0, 0, 1]).tolist() == [0.75, 1.5]
assert confusion_matrix([0, 1, 2], [0, 2, 2], [2, 1, 0]).tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
assert f1_score([0, 1, 2], [0, 2, 2], None, 1, 'micro') == f1_score([0, 1, 2], [0, 2, 2], average='micro')
assert [test.tolist() for _, test in KFold(n_splits=2, random_state=3).split(range(4))] == [[0, 1], [2, 3]]
assert len(list(StratifiedKFold(2, random_state=7).split(x, labels))) == 2
assert len(list(StratifiedKFold(n_splits=2, shuffle=True, random_state=7).split(x, labels))) == 2
assert safe_indexing([1, 2, 3], [0, 2]) == [1, 3] and indices_to_mask([1], 3).tolist() == [False, True, False]
assert TSNE(n_components=2, n_iter=300, perplexity=5.0, random_state=0).fit_transform(x).shape == (60, 2)
if sklearn.__version__ < '0.20' or sklearn.__version__ >= '0.22':  # 0.19 has these, and the cures give them back
    from sklearn import cross_validation, grid_search
    from sklearn.cross_validation import train_test_split
    from sklearn.learning_curve import learning_curve

    def of(folds):
        return [[part.tolist() for part in pair] for pair in folds]

    folds = cross_validation.KFold(5, n_folds=2)
    assert len(folds) == 2 and of(folds) == of(folds) == [[[3, 4], [0, 1, 2]], [[0, 1, 2], [3, 4]]]
    assert of(cross_validation.KFold(5, 2, shuffle=True, random_state=1)) == [[[0, 3], [1, 2, 4]], [[1, 2, 4], [0, 3]]]
    assert of(cross_validation.ShuffleSplit(5, n_iter=2, test_size=0.4, random_state=0)) == [
        [[1, 3, 4], [2, 0]],
        [[1, 4, 3], [0, 2]],
    ]
    assert of(cross_validation.LeaveOneOut(3)) == [[[1, 2], [0]], [[0, 2], [1]], [[0, 1], [2]]]
    assert of(cross_validation.LeavePOut(3, 2)) == [[[2], [0, 1]], [[1], [0, 2]], [[0], [1, 2]]]
    assert of(cross_validation.LabelKFold([1, 1, 2, 3], 2)) == [[[2, 3], [0, 1]], [[0, 1], [2, 3]]]
    assert of(cross_validation.LeaveOneLabelOut([1, 1, 2])) == [[[2], [0, 1]], [[0, 1], [2]]]
    for folds in cross_validation.StratifiedKFold(labels, 3), cross_validation.StratifiedShuffleSplit(labels, 4, 0.5):
        counts = [np.bincount(labels[test]).tolist() for _, test in folds]
        assert len(counts) == len(folds) and all(max(row) - min(row) <= 1 for row in counts)
    inputs = np.arange(20.0).reshape(10, 2) ** 1.5
    outputs = inputs[:, 0] + np.sin(inputs[:, 1])
    scores = cross_validation.cross_val_score(Ridge(), inputs, outputs, cv=cross_validation.KFold(10, 5))
    assert np.allclose(scores, [-11.33387278, 0.95998985, 0.91479361, 0.99453534, 0.99916951])
    search = grid_search.GridSearchCV(Ridge(), {'alpha': [0.1, 1.0]}, cv=cross_validation.KFold(10, 5))
    assert np.isclose(search.fit(inputs, outputs).best_score_, -1.49307689) and search.best_params_ == {'alpha': 1.0}
    assert np.allclose([score.mean_validation_score for score in search.grid_scores_], [-1.80448, -1.49308], atol=1e-5)
    assert np.isclose(search.grid_scores_[0][2].std(), 5.53448, atol=1e-5) and search.grid_scores_[0][0] == {
        'alpha': 0.1
    }
    assert len(train_test_split(inputs, outputs, test_size=0.3, random_state=0)[0]) == 7
    assert learning_curve(Ridge(), inputs, outputs, cv=3)[1].shape[1] == 3
if sklearn.__version__ >= '0.22':
    from sklearn.datasets import fetch_mldata
    from sklearn.lda import LDA
    from sklearn.qda import QDA

    assert LDA().fit(x, labels).score(x, labels) > 0.5 and QDA().fit(x, labels).score(x, labels) > 0.5
    try:
        fetch_mldata('MNIST original')
    except IOError as error:
        assert "fetch_openml('mnist_784', version=1, as_frame=False)" in str(error)
    else:
        raise AssertionError('mldata.org is closed')
print('cured')
