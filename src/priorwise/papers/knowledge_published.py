"""What the knowledge paper printed: macro F1 in per cent, on three collections and four kinds of training sets."""

from __future__ import annotations

METHODS = ("No DK", "DK examples", "Var", "Var/TFIDF", "Mode", "Mode/TFIDF")
KINDS = ("SVM", "lasso", "ridge")

SETS = {
    "all": "Table 3: all training documents",
    "500": "Table 4: 500 random examples",
    "5+5": "Table 5: 5 positive and 5 random examples",
    "5+nearest": "Table 6: 5 positive examples and their 5 nearest negatives",
}

KEYWORDS = {
    "earn": "cents cts net profit quarter qtr revenue rev share shr",
    "acq": "acquire acquisition company merger stake",
    "money-fx": "bank currency dollar money",
    "grain": "agriculture corn crop grain wheat usda",
    "crude": "barrel crude oil opec petroleum",
    "trade": "deficit import surplus tariff trade",
    "interest": "bank money lend rate",
    "wheat": "wheat",
    "ship": "port ship tanker vessel warship",
    "corn": "corn",
}
"""Figure 2: what is known of ModApte's ten largest topics, after Wu and Srihari."""

Column = tuple[float, ...]

MACRO: dict[str, dict[str, dict[str, Column]]] = {
    "modapte": {
        "all": {
            "SVM": (86.55, 86.55),
            "lasso": (84.1, 84.3, 84.8, 84.6, 84.2, 83.6),
            "ridge": (82.9, 82.1, 82.8, 83.8, 82.7, 83.1),
        },
        "500": {
            "SVM": (69.24, 72.34),
            "lasso": (72.5, 72.5, 74.8, 74.8, 76.3, 76.6),
            "ridge": (37.6, 42.7, 73.1, 71.0, 69.6, 73.4),
        },
        "5+5": {
            "SVM": (36.53, 34.52),
            "lasso": (42.7, 61.2, 61.7, 61.3, 57.1, 58.5),
            "ridge": (27.1, 22.3, 62.2, 61.5, 62.2, 62.1),
        },
        "5+nearest": {
            "SVM": (33.41, 32.99),
            "lasso": (34.4, 55.9, 34.0, 47.3, 61.8, 61.4),
            "ridge": (33.0, 23.2, 60.4, 58.9, 58.7, 58.5),
        },
    },
    "places": {
        "all": {
            "SVM": (71.08, 71.09),
            "lasso": (62.9, 64.2, 66.4, 70.8, 59.2, 64.5),
            "ridge": (42.2, 42.3, 58.6, 68.9, 47.1, 62.9),
        },
        "500": {
            "SVM": (8.45, 7.96),
            "lasso": (23.1, 21.2, 32.9, 40.8, 23.8, 31.6),
            "ridge": (3.3, 2.7, 23.0, 33.0, 7.6, 32.2),
        },
        "5+5": {
            "SVM": (28.90, 39.29),
            "lasso": (52.1, 47.2, 47.4, 50.7, 34.7, 51.5),
            "ridge": (23.0, 38.7, 37.1, 53.0, 27.2, 48.8),
        },
        "5+nearest": {
            "SVM": (21.84, 24.45),
            "lasso": (30.6, 25.8, 37.4, 34.1, 29.5, 53.0),
            "ridge": (23.0, 35.5, 37.3, 47.7, 27.8, 52.2),
        },
    },
    "medline": {
        "all": {
            "SVM": (49.15, 50.55),
            "lasso": (54.2, 54.4, 54.8, 55.2, 53.2, 53.3),
            "ridge": (26.3, 26.8, 47.2, 52.2, 35.3, 41.9),
        },
        "500": {
            "SVM": (9.06, 16.77),
            "lasso": (35.1, 38.3, 44.5, 49.2, 35.9, 42.5),
            "ridge": (2.6, 3.3, 34.4, 40.9, 12.9, 37.6),
        },
        "5+5": {
            "SVM": (21.51, 17.78),
            "lasso": (29.6, 41.0, 36.3, 34.3, 23.7, 36.4),
            "ridge": (18.8, 11.9, 34.2, 35.7, 24.0, 33.9),
        },
        "5+nearest": {
            "SVM": (19.87, 22.34),
            "lasso": (21.4, 37.0, 30.5, 32.9, 26.7, 36.4),
            "ridge": (18.8, 10.6, 31.9, 34.6, 24.5, 34.2),
        },
    },
}
"""Tables 3 to 6: by collection, training set and classifier, one number for each of `METHODS`. The figures under
"places" are those of RCV1's regions, those under "medline" of the Bio Articles: what ours stand in for."""


def printed(part: str, training: str, kind: str, method: str) -> float | None:
    """Return the published macro F1; None where the paper has none.

    Examples
    --------
    >>> printed("modapte", "5+5", "lasso", "No DK"), printed("modapte", "all", "SVM", "Var")
    (42.7, None)
    """
    column = MACRO[part][training][kind]
    place = METHODS.index(method)
    return column[place] if place < len(column) else None
