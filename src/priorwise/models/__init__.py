"""From counts and a prior to weights: scikit-learn estimators, and the scikit-learn-free core under them.

Import the module you need; scikit-learn takes a second to load, and the main job does without it.
"""
