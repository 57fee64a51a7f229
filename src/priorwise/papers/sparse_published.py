"""What the sparse paper printed for ModApte: F1 by topic in per cent, and how many parameters are not 0."""

from __future__ import annotations

from typing import NamedTuple

TOPICS = ("earn", "acq", "money-fx", "grain", "crude", "trade", "interest", "wheat", "ship", "corn")


class Setting(NamedTuple):
    """One way to make ten classifiers.

    Parameters
    ----------
    model : {"probit", "logistic", "naive Bayes", "SVM"}
        The likelihood, or another kind of classifier.
    prior : {"Jeffreys", "Laplace", "Gaussian", ""}
        The prior of every coefficient, the intercept's too.
    number : float
        γ of Laplace, σ² of Gaussian; 0 where there is nothing to set.
    weighting : {"log TF", "raw TF", "log TF·IDF", "TFIDF"}
        What a document's numbers are; the last is normalised to length 1.
    features : int
        How many words are kept, those with the largest correlation with the topic.
    """

    model: str
    prior: str
    number: float = 0.0
    weighting: str = "log TF"
    features: int = 300

    @property
    def title(self) -> str:
        """The prior and its number, as a heading."""
        if self.prior == "Laplace":
            return f"Laplace γ = {self.number:g}"
        return f"Gaussian σ² = {self.number:g}" if self.prior == "Gaussian" else self.prior


class Printed(NamedTuple):
    """F1 of each topic, and the two averages."""

    topics: tuple[float, ...]
    macro: float
    micro: float


JEFFREYS = Setting("probit", "Jeffreys")
GAMMAS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
LAPLACE = {gamma: Setting("probit", "Laplace", gamma) for gamma in GAMMAS}
LAPLACE_10 = LAPLACE[10.0]
RAW = {setting: setting._replace(weighting="raw TF") for setting in (JEFFREYS, LAPLACE_10)}
WIDE = {setting: setting._replace(features=1000) for setting in (JEFFREYS, LAPLACE_10)}
GAUSSIAN = Setting("probit", "Gaussian", 0.01)
LOGISTIC_GAUSSIAN = Setting("logistic", "Gaussian", 0.01, "log TF·IDF")
LOGISTIC_LAPLACE = Setting("logistic", "Laplace", 10.0, "log TF·IDF")
NAIVE_BAYES = Setting("naive Bayes", "", 0.0, "raw TF", 10_000)
LOGISTIC_WIDE = Setting("logistic", "Gaussian", 1.0, "TFIDF", 10_000)
SVM = Setting("SVM", "", 0.0, "TFIDF", 10_000)

F1: dict[Setting, Printed] = {
    NAIVE_BAYES: Printed((96.6, 91.7, 70.0, 76.7, 84.1, 52.3, 68.2, 58.1, 76.4, 52.4), 72.6, 85.2),
    LOGISTIC_WIDE: Printed((98.4, 95.2, 75.2, 88.4, 85.9, 72.9, 78.2, 88.2, 81.9, 88.7), 85.3, 91.4),
    SVM: Printed((98.1, 95.3, 74.4, 89.6, 84.8, 73.4, 75.9, 88.9, 82.4, 86.2), 84.9, 91.1),
    JEFFREYS: Printed((97.1, 89.1, 59.7, 92.3, 81.1, 71.6, 43.9, 89.7, 67.1, 90.3), 78.2, 87.4),
    RAW[JEFFREYS]: Printed((96.6, 87.7, 55.0, 89.9, 77.7, 67.5, 49.0, 89.7, 68.9, 88.2), 77.0, 86.0),
    RAW[LAPLACE_10]: Printed((96.9, 89.3, 59.3, 88.4, 82.4, 65.4, 49.5, 87.9, 73.0, 83.6), 77.6, 87.1),
    LAPLACE[0.1]: Printed((97.4, 90.5, 59.3, 88.9, 78.9, 66.1, 56.7, 84.0, 59.7, 83.9), 76.5, 87.0),
    LAPLACE[0.3]: Printed((97.5, 90.0, 60.4, 88.1, 82.3, 67.2, 53.1, 83.8, 65.3, 84.9), 77.3, 87.2),
    LAPLACE[1.0]: Printed((97.5, 90.4, 64.3, 90.6, 80.1, 70.5, 62.7, 86.3, 71.9, 87.3), 80.2, 88.2),
    LAPLACE[3.0]: Printed((97.4, 91.7, 61.8, 90.7, 82.2, 73.8, 50.3, 87.2, 75.8, 91.4), 80.2, 88.7),
    LAPLACE_10: Printed((96.9, 90.3, 65.9, 91.7, 81.3, 76.7, 51.8, 89.6, 78.8, 90.9), 81.4, 88.6),
    LAPLACE[30.0]: Printed((96.6, 89.0, 56.8, 90.0, 76.0, 69.5, 54.2, 89.6, 76.3, 90.2), 78.8, 87.0),
    WIDE[JEFFREYS]: Printed((96.8, 90.0, 63.7, 90.8, 76.6, 62.9, 56.0, 89.7, 66.7, 90.3), 78.4, 87.3),
    WIDE[LAPLACE_10]: Printed((97.2, 92.2, 70.2, 91.7, 82.5, 72.8, 63.6, 88.9, 79.7, 90.0), 82.9, 89.6),
    GAUSSIAN: Printed((96.8, 89.2, 65.1, 85.1, 82.9, 71.1, 58.1, 89.0, 83.3, 86.7), 80.7, 87.9),
    LOGISTIC_GAUSSIAN: Printed((97.6, 94.0, 74.9, 91.8, 85.7, 67.6, 67.9, 87.7, 79.2, 90.4), 83.7, 90.7),
    LOGISTIC_LAPLACE: Printed((97.8, 92.7, 64.2, 90.7, 85.9, 70.5, 67.3, 85.7, 78.0, 90.4), 82.3, 89.8),
}
"""Tables 1, 2, 3, 5 and 6. The first three columns are those that table 1 takes from Zhang and Oles (2001)."""

NONZERO: dict[Setting, tuple[int, ...]] = {
    JEFFREYS: (55, 67, 32, 15, 25, 20, 22, 3, 19, 6),
    LAPLACE[0.1]: (301, 301, 200, 280, 282, 291, 294, 275, 275, 259),
    LAPLACE[0.3]: (300, 299, 291, 251, 266, 282, 270, 203, 240, 232),
    LAPLACE[1.0]: (288, 284, 276, 192, 205, 261, 249, 127, 176, 170),
    LAPLACE[3.0]: (256, 257, 235, 142, 174, 214, 205, 90, 134, 110),
    LAPLACE_10: (220, 226, 177, 92, 90, 147, 136, 41, 96, 47),
    LAPLACE[30.0]: (186, 195, 111, 46, 62, 80, 85, 14, 55, 17),
}
"""Table 4: of 301, the intercept among them."""
