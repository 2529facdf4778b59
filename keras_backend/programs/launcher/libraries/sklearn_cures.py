"""Cures for the removals of scikit-learn 0.20 to 1.8."""

import sys
from types import ModuleType
from typing import Any, Callable, Dict

from ....basics.tables import beside
from .giving import give, joined, made_up, moved_modules, of_functions, old_arguments, version, wrap

_TABLE = beside(__file__, 'names.json')
# Old name of a module, below sklearn -> its name of today.
MOVED: Dict[str, str] = _TABLE['modules_of_sklearn']


def moved(sklearn: ModuleType) -> str:
    """Give modules their old names (`sklearn.externals.joblib`, `sklearn.ensemble.forest`, and the like)."""
    table = {'sklearn.externals.joblib': 'joblib', 'sklearn.externals.six': 'six'}
    table.update({f'sklearn.{old}': f'sklearn.{new}' for old, new in MOVED.items()})
    return moved_modules(sklearn, table)


def gone_modules(sklearn: ModuleType) -> str:
    """Make `cross_validation`, `grid_search`, `learning_curve`, `utils.linear_assignment_` and the like."""
    from .sklearn_classes import cross_validation, grid_search, learning_curve

    made_up('sklearn.cross_validation', cross_validation)
    made_up('sklearn.grid_search', grid_search)
    made_up('sklearn.learning_curve', learning_curve)
    made_up('sklearn.lda', _lda)
    made_up('sklearn.qda', _qda)
    made_up('sklearn.utils.linear_assignment_', _linear_assignment)
    made_up('sklearn.preprocessing.imputation', lambda module: give(module, {'Imputer': imputer()}))
    made_up('sklearn.datasets.mldata', lambda module: give(module, of_functions(fetch_mldata)))
    # SciPy's linear_sum_assignment took the place of linear_assignment_ in 0.23, the last of these removals.
    return (
        '' if version(sklearn) < (0, 20) else 'sklearn.cross_validation, sklearn.utils.linear_assignment_ and the like'
    )


def _lda(module: ModuleType) -> None:
    """`sklearn.lda`."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    give(module, {'LDA': LinearDiscriminantAnalysis})


def _qda(module: ModuleType) -> None:
    """`sklearn.qda`."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    give(module, {'QDA': QuadraticDiscriminantAnalysis})


def _linear_assignment(module: ModuleType) -> None:
    """`sklearn.utils.linear_assignment_`."""
    give(module, of_functions(linear_assignment))


def linear_assignment(X: Any) -> Any:
    """`linear_assignment`: the pairs (row, column) of the least sum, one pair in a row of the result."""
    import numpy
    from scipy.optimize import linear_sum_assignment

    return numpy.array(linear_sum_assignment(X)).T


def fetch_mldata(dataname: str, *args: Any, **kwargs: Any) -> Any:
    """`fetch_mldata`: an error that says where the data are today. The site mldata.org is closed."""
    name = 'mnist_784' if dataname.lower().startswith('mnist') else dataname
    raise OSError(
        f'sklearn.datasets.fetch_mldata cannot load {dataname!r}, because mldata.org is closed; type '
        f'fetch_openml({name!r}, version=1, as_frame=False), or keras.datasets.mnist.load_data() for MNIST.'
    )


def datasets(datasets: ModuleType) -> str:
    """Let `sklearn.datasets.fetch_mldata` say where the data are today."""
    return give(datasets, of_functions(fetch_mldata))


def preprocessing(preprocessing: ModuleType) -> str:
    """Give back `Imputer`, and `sparse=` and `categorical_features=` of `OneHotEncoder`."""
    if version(_sklearn()) < (0, 22):
        return ''

    class Preprocessing(ModuleType):
        """The module, which makes `Imputer` when it is asked for: scikit-learn imports it before what that needs."""

        def __getattr__(self, name: str) -> Any:
            if name != 'Imputer':
                raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')
            return vars(self).setdefault(name, imputer())

    # Python 3.6 does not ask a function `__getattr__` of a module.
    preprocessing.__class__ = Preprocessing
    from .sklearn_classes import encode_columns

    return joined('sklearn.preprocessing.Imputer', encode_columns(preprocessing.OneHotEncoder))


def imputer() -> Any:
    """The class `Imputer`. It is made when it is asked for, because it derives from a class of scikit-learn."""
    from .sklearn_classes import imputer_class

    return imputer_class()


def metrics(metrics: ModuleType) -> str:
    """Give back `jaccard_similarity_score` and `calinski_harabaz_score`, and arguments by position."""
    names = of_functions(jaccard_similarity_score)
    if hasattr(metrics, 'calinski_harabasz_score'):
        names['calinski_harabaz_score'] = metrics.calinski_harabasz_score
    restored = give(metrics, names)
    if version(_sklearn()) < (1, 0):
        return restored
    orders = _TABLE['orders_of_sklearn'].items()
    return joined(restored, *[wrap(metrics, name, old_arguments(order, kept=2)) for name, order in orders])


def _sklearn() -> ModuleType:
    return sys.modules['sklearn']


def jaccard_similarity_score(y_true: Any, y_pred: Any, normalize: bool = True, sample_weight: Any = None) -> Any:
    """`jaccard_similarity_score`: the mean over samples of |common labels| / |all labels|; the accuracy of classes."""
    import numpy
    from sklearn.metrics import accuracy_score

    true, predicted = numpy.asarray(y_true), numpy.asarray(y_pred)
    if true.ndim < 2:
        return accuracy_score(true, predicted, normalize=normalize, sample_weight=sample_weight)
    common, either = [
        (operation(true != 0, predicted != 0)).sum(1) for operation in (numpy.logical_and, numpy.logical_or)
    ]
    scores = numpy.where(either == 0, 1.0, common / numpy.maximum(either, 1))
    return numpy.average(scores, weights=sample_weight) if normalize else scores.sum()


def helpers(utils: ModuleType) -> str:
    """Give back `safe_indexing` and `indices_to_mask` of `sklearn.utils`."""

    import numpy

    def safe_indexing(X: Any, indices: Any) -> Any:
        """`safe_indexing`: the rows of an array, list or table."""
        return utils._safe_indexing(X, indices)

    def indices_to_mask(indices: Any, mask_length: int) -> Any:
        """`indices_to_mask`: True at the indices."""
        mask = numpy.zeros(mask_length, bool)
        mask[numpy.asarray(indices)] = True
        return mask

    return give(utils, of_functions(safe_indexing, indices_to_mask))


def class_weights(class_weight: ModuleType) -> str:
    """Take `compute_class_weight('balanced', classes, y)` with arguments by position."""
    if version(_sklearn()) < (1, 0):
        return ''
    return wrap(class_weight, 'compute_class_weight', old_arguments(('class_weight', 'classes', 'y')))


def folds(model_selection: ModuleType) -> str:
    """Take a `random_state` without `shuffle=True` in `KFold` and `StratifiedKFold`, where it has no effect."""
    if version(_sklearn()) < (0, 24):
        return ''

    def wrapper(init: Callable[..., Any]) -> Callable[..., Any]:
        def called(
            self: Any, n_splits: int = 3, shuffle: bool = False, random_state: Any = None, **kwargs: Any
        ) -> None:
            init(self, n_splits, shuffle=shuffle, random_state=random_state if shuffle else None, **kwargs)

        return called

    return joined(*[wrap(getattr(model_selection, name), '__init__', wrapper) for name in ('KFold', 'StratifiedKFold')])


def steps_of_tsne(manifold: ModuleType) -> str:
    """Take `TSNE(n_iter=...)`, with `init='random'` and the learning rate 200 as before scikit-learn 1.2."""
    if version(_sklearn()) < (1, 2):
        return ''

    def wrapper(init: Callable[..., Any]) -> Callable[..., Any]:
        def called(self: Any, *args: Any, **kwargs: Any) -> None:
            if 'n_iter' in kwargs:
                kwargs['max_iter' if version(_sklearn()) >= (1, 5) else 'n_iter'] = kwargs.pop('n_iter')
            kwargs.setdefault('init', 'random')
            kwargs.setdefault('learning_rate', 200.0)
            init(self, *args, **kwargs)

        return called

    return wrap(manifold.TSNE, '__init__', wrapper)
