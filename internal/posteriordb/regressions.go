package posteriordb

import (
	"math"

	"tobac/autograd"
	"tobac/density"
)

type node = *autograd.Node

// regression is a normal regression of y with a flat prior, also of sigma.
func regression(t *density.Trace, y node, columns ...node) {
	regress(t, t.Parameter("sigma", density.Positive()), y, columns)
}

// halfCauchy is a normal regression whose sigma is half-Cauchy.
func halfCauchy(t *density.Trace, y node, columns ...node) {
	regress(t, t.Sample("sigma", density.HalfCauchy(2.5)), y, columns)
}

func regress(t *density.Trace, sigma, y node, columns []node) {
	beta := t.Parameter("beta", density.Real(), 1+len(columns))
	mu := beta.Index(0, 0)
	for i, x := range columns {
		mu = mu.Add(beta.Index(0, i+1).Mul(x))
	}
	t.Observe(density.Normal(mu, sigma), y)
}

// standard is (x − mean)/(times · standard deviation).
func standard(x node, times float64) node {
	c := x.Sub(x.Mean())
	n := float64(x.Shape()[0])
	return c.Div(c.Square().Sum().Scale(1 / (n - 1)).Sqrt().Scale(times))
}

// is marks the rows with a value.
func is(x node, value float64) node { return x.Equal(x.Builder().Scalar(value)) }

// A people has the columns of the earnings.
type people struct{ earn, height, male node }

func earnings(t *density.Trace) people {
	return people{t.Data("earn", 1192), t.Data("height", 1192), t.Data("male", 1192)}
}

// A shrub has the columns of the mesquite bushes.
type shrub struct{ weight, diam1, diam2, canopy, total, density, group node }

func mesquite(t *density.Trace) shrub {
	return shrub{
		t.Data("weight", 46), t.Data("diam1", 46), t.Data("diam2", 46), t.Data("canopy_height", 46),
		t.Data("total_height", 46), t.Data("density", 46), t.Data("group", 46),
	}
}

func (s shrub) volume() node { return s.diam1.Mul(s.diam2).Mul(s.canopy).Log() }
func (s shrub) area() node   { return s.diam1.Mul(s.diam2).Log() }
func (s shrub) shape() node  { return s.diam1.Div(s.diam2).Log() }

// A child has the columns of the children's test scores.
type child struct{ score, school, iq node }

func kids(t *density.Trace) child {
	return child{t.Data("kid_score", 434), t.Data("mom_hs", 434), t.Data("mom_iq", 434)}
}

// nes is a regression of the party of a number of voters.
func nes(year string, n int) Posterior {
	return Posterior{Name: "nes" + year + "-nes", Model: func(t *density.Trace) {
		age := t.Data("age_discrete", n)
		regression(t, t.Data("partyid7", n), t.Data("real_ideo", n), t.Data("race_adj", n),
			is(age, 2), is(age, 3), is(age, 4), t.Data("educ1", n), t.Data("gender", n),
			t.Data("income", n))
	}}
}

func blr(name string) Posterior {
	return Posterior{Name: name + "-blr", Model: func(t *density.Trace) {
		beta := t.Sample("beta", density.Normal(0, 10), 5)
		sigma := t.Sample("sigma", density.HalfNormal(10))
		t.Observe(density.Normal(t.Data("X", 100, 5).MatVec(beta), sigma), t.Data("y", 100))
	}}
}

var regressions = []Posterior{
	{Name: "diamonds-diamonds", Model: func(t *density.Trace) {
		y, x := t.Data("Y", 5000), t.Data("X", 5000, 25).Slice(1, 1, 25)
		b := t.Sample("b", density.Normal(0, 1), 24)
		intercept := t.Sample("Intercept", density.StudentsT(8, 10, 3))
		sigma := t.Sample("sigma", density.HalfStudentsT(10, 3))
		t.Observe(density.Normal(x.Sub(x.Mean(0)).MatVec(b).Add(intercept), sigma), y)
	}},
	{Name: "earnings-earn_height", Model: func(t *density.Trace) {
		p := earnings(t)
		regression(t, p.earn, p.height)
	}},
	{Name: "earnings-log10earn_height", Model: func(t *density.Trace) {
		p := earnings(t)
		regression(t, p.earn.Log().Scale(1/math.Ln10), p.height)
	}},
	{Name: "earnings-logearn_height", Model: func(t *density.Trace) {
		p := earnings(t)
		regression(t, p.earn.Log(), p.height)
	}},
	{Name: "earnings-logearn_height_male", Model: func(t *density.Trace) {
		p := earnings(t)
		regression(t, p.earn.Log(), p.height, p.male)
	}},
	{Name: "earnings-logearn_interaction", Model: func(t *density.Trace) {
		p := earnings(t)
		regression(t, p.earn.Log(), p.height, p.male, p.height.Mul(p.male))
	}},
	{Name: "earnings-logearn_interaction_z", Model: func(t *density.Trace) {
		p := earnings(t)
		z := standard(p.height, 1)
		regression(t, p.earn.Log(), z, p.male, z.Mul(p.male))
	}},
	{Name: "earnings-logearn_logheight_male", Model: func(t *density.Trace) {
		p := earnings(t)
		regression(t, p.earn.Log(), p.height.Log(), p.male)
	}},
	{Name: "kidiq-kidscore_interaction", Model: func(t *density.Trace) {
		k := kids(t)
		halfCauchy(t, k.score, k.school, k.iq, k.school.Mul(k.iq))
	}},
	{Name: "kidiq-kidscore_momhs", Model: func(t *density.Trace) {
		k := kids(t)
		halfCauchy(t, k.score, k.school)
	}},
	{Name: "kidiq-kidscore_momhsiq", Model: func(t *density.Trace) {
		k := kids(t)
		halfCauchy(t, k.score, k.school, k.iq)
	}},
	{Name: "kidiq-kidscore_momiq", Model: func(t *density.Trace) {
		k := kids(t)
		halfCauchy(t, k.score, k.iq)
	}},
	{Name: "kidiq_with_mom_work-kidscore_interaction_c", Model: func(t *density.Trace) {
		k := kids(t)
		school, iq := k.school.Sub(k.school.Mean()), k.iq.Sub(k.iq.Mean())
		regression(t, k.score, school, iq, school.Mul(iq))
	}},
	{Name: "kidiq_with_mom_work-kidscore_interaction_c2", Model: func(t *density.Trace) {
		k := kids(t)
		school, iq := k.school.AddScalar(-0.5), k.iq.AddScalar(-100)
		regression(t, k.score, school, iq, school.Mul(iq))
	}},
	{Name: "kidiq_with_mom_work-kidscore_interaction_z", Model: func(t *density.Trace) {
		k := kids(t)
		school, iq := standard(k.school, 2), standard(k.iq, 2)
		regression(t, k.score, school, iq, school.Mul(iq))
	}},
	{Name: "kidiq_with_mom_work-kidscore_mom_work", Model: func(t *density.Trace) {
		work := t.Data("mom_work", 434)
		regression(t, t.Data("kid_score", 434), is(work, 2), is(work, 3), is(work, 4))
	}},
	{Name: "kilpisjarvi_mod-kilpisjarvi", Model: func(t *density.Trace) {
		alpha := t.Sample("alpha", density.Normal(t.Data("pmualpha"), t.Data("psalpha")))
		beta := t.Sample("beta", density.Normal(t.Data("pmubeta"), t.Data("psbeta")))
		sigma := t.Parameter("sigma", density.Positive())
		t.Observe(density.Normal(alpha.Add(beta.Mul(t.Data("x", 62))), sigma), t.Data("y", 62))
	}},
	{Name: "mesquite-logmesquite", Model: func(t *density.Trace) {
		s := mesquite(t)
		regression(t, s.weight.Log(), s.diam1.Log(), s.diam2.Log(), s.canopy.Log(), s.total.Log(),
			s.density.Log(), s.group)
	}},
	{Name: "mesquite-logmesquite_logva", Model: func(t *density.Trace) {
		s := mesquite(t)
		regression(t, s.weight.Log(), s.volume(), s.area(), s.group)
	}},
	{Name: "mesquite-logmesquite_logvas", Model: func(t *density.Trace) {
		s := mesquite(t)
		regression(t, s.weight.Log(), s.volume(), s.area(), s.shape(), s.total.Log(),
			s.density.Log(), s.group)
	}},
	{Name: "mesquite-logmesquite_logvash", Model: func(t *density.Trace) {
		s := mesquite(t)
		regression(t, s.weight.Log(), s.volume(), s.area(), s.shape(), s.total.Log(), s.group)
	}},
	{Name: "mesquite-logmesquite_logvolume", Model: func(t *density.Trace) {
		s := mesquite(t)
		regression(t, s.weight.Log(), s.volume())
	}},
	{Name: "mesquite-mesquite", Model: func(t *density.Trace) {
		s := mesquite(t)
		regression(t, s.weight, s.diam1, s.diam2, s.canopy, s.total, s.density, s.group)
	}},
	nes("1972", 1330), nes("1976", 1184), nes("1980", 701), nes("1984", 1226),
	nes("1988", 1113), nes("1992", 1350), nes("1996", 1043), nes("2000", 476),
	blr("sblrc"), blr("sblri"),
}
