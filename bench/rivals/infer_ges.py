"""causal-learn: GES with BIC."""

from causallearn.search.ScoreBased.GES import ges

import rival
from marks import adjacency

rival.point(lambda x: adjacency(ges(x, score_func="local_score_BIC")["G"].graph))
