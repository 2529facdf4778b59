"""`keras.wrappers.scikit_learn`: a function that makes a model, as an estimator of scikit-learn."""

import inspect
from types import ModuleType
from typing import Any, Callable, Dict, Optional

import numpy as np

from ..launcher import imports

_PATHS = [f'{home}.wrappers{below}' for home in ('keras', 'tensorflow.keras') for below in ('', '.scikit_learn')]


def wrappers_of_sklearn(keras: Any) -> str:
    """Let `keras.wrappers.scikit_learn` be imported, with KerasClassifier and KerasRegressor."""
    for path in _PATHS:
        imports.instead(path, lambda path=path: module(path))  # type: ignore[misc]
    return 'wrappers.scikit_learn'


def module(path: str) -> ModuleType:
    """The module of a path, with both estimators if it is the lower one."""
    made = ModuleType(path, __doc__)
    if path.endswith('scikit_learn'):
        vars(made).update(_estimators())
    else:
        vars(made)['scikit_learn'] = None
    return made


def _estimators() -> Dict[str, Any]:
    classifier, regressor = (KerasClassifier,), (KerasRegressor,)
    try:
        from sklearn import base
    except ImportError:
        return {'KerasClassifier': KerasClassifier, 'KerasRegressor': KerasRegressor}
    classifier += (base.ClassifierMixin, base.BaseEstimator)  # type: ignore[assignment]
    regressor += (base.RegressorMixin, base.BaseEstimator)  # type: ignore[assignment]
    return {
        bases[0].__name__: type(bases[0].__name__, bases, {'__module__': __name__}) for bases in (classifier, regressor)
    }


class _Wrapper:
    """What both estimators do.

    Parameters
    ----------
    build_fn : callable
        Makes a compiled model. An object with `__call__`, or a method of a subclass, may be in its place.
    **sk_params
        Arguments of `build_fn`, and of `fit`, `predict` and `evaluate` of the model.
    """

    def __init__(self, build_fn: Optional[Callable[..., Any]] = None, **sk_params: Any) -> None:
        self.build_fn, self.sk_params = build_fn, sk_params

    def get_params(self, deep: bool = True, **_: Any) -> Dict[str, Any]:
        """The parameters, `build_fn` with them."""
        return {**self.sk_params, 'build_fn': self.build_fn}

    def set_params(self, **params: Any) -> '_Wrapper':
        """Set parameters."""
        self.build_fn = params.pop('build_fn', self.build_fn)
        self.sk_params.update(params)
        return self

    def filter_sk_params(self, fn: Callable[..., Any], override: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        """The parameters that a function takes, with `override` before them."""
        known = inspect.signature(fn).parameters
        return {**{name: value for name, value in self.sk_params.items() if name in known}, **(override or {})}

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Make the model and train it; returns its history."""
        build: Callable[..., Any] = self.build_fn if self.build_fn is not None else self.__call__  # type: ignore
        self.model = build(**self.filter_sk_params(build))
        loss = self.model.loss
        if getattr(loss, '__name__', loss) == 'categorical_crossentropy' and np.ndim(y) != 2:
            y = np.eye(int(np.max(y)) + 1)[np.asarray(y, int)]
        return self.model.fit(x, y, **self.filter_sk_params(self.model.fit, kwargs))

    def _predicted(self, x: Any, kwargs: Dict[str, Any]) -> Any:
        return self.model.predict(x, **self.filter_sk_params(self.model.predict, kwargs))


class KerasClassifier(_Wrapper):
    """A model that tells classes."""

    def fit(self, x: Any, y: Any, sample_weight: Any = None, **kwargs: Any) -> Any:
        """Make the model and train it with labels, or with one column for each class; returns its history."""
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim == 1 or (y.ndim == 2 and y.shape[1] == 1):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f'KerasClassifier.fit: y has one or two axes; the shape {y.shape} was given.')
        self.n_classes_ = len(self.classes_)
        if sample_weight is not None:
            kwargs['sample_weight'] = sample_weight
        return super().fit(x, y, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """The class of each sample."""
        scores = self._predicted(x, kwargs)
        indices = scores.argmax(axis=-1) if scores.shape[-1] > 1 else (scores > 0.5).astype('int32')
        return self.classes_[indices]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """The probability of each class."""
        probabilities = self._predicted(x, kwargs)
        return np.hstack([1 - probabilities, probabilities]) if probabilities.shape[1] == 1 else probabilities

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """The part of samples whose class is right."""
        y = np.array(y)
        labels = self.classes_[y.argmax(axis=-1)] if y.ndim == 2 and y.shape[1] > 1 else y
        return float(np.mean(np.ravel(self.predict(x, **kwargs)) == np.ravel(labels)))


class KerasRegressor(_Wrapper):
    """A model that tells numbers."""

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """The number of each sample."""
        return np.squeeze(self._predicted(x, kwargs), axis=-1)

    def score(self, x: Any, y: Any, **kwargs: Any) -> float:
        """The loss of the model with its sign changed: the larger, the better."""
        results = self.model.evaluate(x, y, **self.filter_sk_params(self.model.evaluate, {'verbose': 0, **kwargs}))
        return -float(results[0] if isinstance(results, list) else results)
