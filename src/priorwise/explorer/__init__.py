"""See what a prior does: a point for each document, which moves as the prior's numbers do.

After *bernoulli*: Di Nunzio and Sordoni, *How well do we know Bernoulli?*
"""

from priorwise.explorer.documents import Points
from priorwise.explorer.families import FAMILIES, Family, FamilySetting, setting_of
from priorwise.explorer.view import View, explore

__all__ = ["FAMILIES", "Family", "FamilySetting", "Points", "View", "explore", "setting_of"]
