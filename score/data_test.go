package score_test

import (
	"tobac/dag"
	"tobac/internal/scoretest"
)

var (
	everySet   = scoretest.EverySet
	keep       = scoretest.Keep
	logNormal  = scoretest.LogNormal
	near       = scoretest.Near
	newGP      = scoretest.NewGP
	newLinear  = scoretest.NewLinear
	normals    = scoretest.Normals
	others     = dag.AllBut
	randomMask = scoretest.RandomMask
)
