"""causal-learn: PC with Fisher's z at the level 0.05."""

from causallearn.search.ConstraintBased.PC import pc

import rival
from marks import adjacency

rival.point(lambda x: adjacency(pc(x, alpha=0.05, indep_test="fisherz", show_progress=False).G.graph))
