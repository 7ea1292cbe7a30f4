"""sklearn.grid_search: what it had is in sklearn.model_selection."""
from sklearn.model_selection import GridSearchCV, ParameterGrid, ParameterSampler, RandomizedSearchCV  # noqa: F401
