"""Arguments and defaults of scikit-learn before 0.22. The numbers are those of scikit-learn 0.19."""

# needs: sklearn
import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.ensemble import BaggingClassifier, GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.metrics import auc, log_loss, make_scorer, normalized_mutual_info_score, precision_recall_curve, roc_curve
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import Binarizer, PolynomialFeatures, label_binarize
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

rng = np.random.RandomState(0)
X = rng.normal(size=(60, 5))
y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
kinds = np.digitize(X[:, 0], [-0.5, 0.5])
targets = X.dot([1.0, 2, 0, -1, 0.5])
scores = 1 / (1 + np.exp(-X[:, 0] - 0.3 * X[:, 2]))

# Defaults.
assert len(list(KFold().split(X))) == 3 == len(cross_val_score(LinearRegression(), X, targets))
assert SVC().get_params()['gamma'] == 'auto' == SVR().gamma and RandomForestClassifier().n_estimators == 10
search = GridSearchCV(SVC(), {'C': [0.1, 1]}).fit(X, y)
assert search.n_splits_ == 3 and 'mean_train_score' in search.cv_results_ and search.best_estimator_.gamma == 'auto'
assert round(normalized_mutual_info_score(y, kinds), 6) == 0.520178

# Folds of classes.
folds = [test.tolist() for _, test in StratifiedKFold(3).split(X, y)]
assert folds[0] == list(range(21)) and 39 in folds[2] and 40 in folds[1]
folds = [test.tolist() for _, test in StratifiedKFold(3, shuffle=True, random_state=1).split(X, y)]
assert folds[0][:9] == [6, 8, 20, 24, 31, 32, 33, 34, 35] and folds[1][:5] == [2, 3, 4, 5, 7]

# Arguments by position, of old names, of old values.
assert SVC(1.0, 'linear').fit(X, y).coef_.shape == (1, 5) and KNeighborsClassifier(3, 'distance').weights == 'distance'
assert LinearRegression(True, False).fit_intercept is True and PolynomialFeatures(2, True).interaction_only is True
assert Binarizer(0.5).fit_transform(X).sum() == (X > 0.5).sum() and MultinomialNB(0.5, False).fit_prior is False
assert label_binarize([1, 2], [1, 2, 3]).tolist() == [[1, 0, 0], [0, 1, 0]]
assert KMeans(3, 'random', 1, n_jobs=2, precompute_distances=True).init == 'random'
tree = DecisionTreeClassifier(max_depth=2, presort=True, min_impurity_split=0.0)
assert BaggingClassifier(base_estimator=tree, n_estimators=5, random_state=0).fit(X, y).predict(X).shape == (60,)
for kind in 'mse', 'mae':
    assert DecisionTreeRegressor(criterion=kind, max_depth=2).fit(X, targets).predict(X[:3]).shape == (3,)
assert RandomForestRegressor(5, 'mse', max_features='auto').fit(X, targets).predict(X[:2]).shape == (2,)
assert RandomForestClassifier(5, max_features='auto').fit(X, y).predict(X[:2]).shape == (2,)
assert GradientBoostingRegressor(loss='ls', n_estimators=2).fit(X, targets).predict(X[:2]).shape == (2,)
assert SGDClassifier(loss='log', n_iter=5).fit(X, y).predict_proba(X[:2]).shape == (2, 2)
assert AgglomerativeClustering(3, affinity='cosine', linkage='average').fit(X).labels_.max() == 2
assert cross_val_score(LinearRegression(), X, targets, scoring='mean_squared_error', cv=3).max() <= 0
assert len(cross_val_score(GaussianNB(), X, y, None, 'accuracy', 4)) == 4
try:
    LinearRegression(normalize=True).fit(X, targets)
except TypeError:
    pass
else:
    assert 'normalize' in LinearRegression().get_params()

# Curves, and metrics.
_, _, thresholds = roc_curve(y, scores)
assert np.isfinite(thresholds).all()
precision, recall, thresholds = precision_recall_curve(y, scores)
assert len(precision) == 40 == len(thresholds) + 1 and round(precision[0], 6) == 0.794872 and recall[1] < 1
assert round(log_loss(y, scores, 1e-5), 6) == 0.438717 == round(log_loss(y, scores, eps=1e-7), 6)
assert round(auc([0, 0.5, 0.2], [0, 0.7, 1], reorder=True), 3) == 0.355
bayes = GaussianNB().fit(X, y)
assert make_scorer(log_loss, greater_is_better=False, needs_proba=True)(bayes, X, y) < 0
assert bayes.sigma_.shape == (2, 5)
words = CountVectorizer()
words.fit(['the cat', 'a dog'])
assert words.get_feature_names() == ['cat', 'dog', 'the']
print('cured')
