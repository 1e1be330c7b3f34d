package study

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Verdict is what the runs say of a claim, or of a part of it.
type Verdict string

const (
	Holds      Verdict = "holds"
	Fails      Verdict = "does not hold"
	Undecided  Verdict = "not decided by these runs"
	NotCovered Verdict = "not run"
)

// A Part is one comparison of a claim.
type Part struct {
	Text    string
	Numbers string // what was found
	Verdict Verdict
}

// A Claim is one of the paper's statements about its experiments.
type Claim struct {
	Number int
	Text   string
	Parts  []Part
}

// Verdict of a claim: it does not hold if one of its parts does not, it holds if every part that
// was run does, and otherwise these runs do not decide it. A claim of which nothing was run is not
// covered.
func (c Claim) Verdict() Verdict {
	verdict := NotCovered
	for _, p := range c.Parts {
		switch {
		case p.Verdict == Fails:
			return Fails
		case p.Verdict == Undecided, p.Verdict == Holds && verdict == NotCovered:
			verdict = p.Verdict
		}
	}
	return verdict
}

// VerdictRule says how parts of claims are decided.
const VerdictRule = `A difference is taken data set by data set, and its mean has Student's 95 % interval over the data sets. "A is below B" holds if the interval of A − B lies below 0, and does not hold if it lies above.
"A is at most m below B" holds if the interval lies above −m, and does not hold if it lies below. "A is within m of B" holds if the interval lies within ±m, and does not hold if all of it lies outside. "A varies less than B" compares standard deviations over the data sets by an F test at 5 %, either way. In every other case, and with fewer than two
data sets, these runs do not decide. A claim holds if all its parts do that were run, and does not hold if one of them does not.`

// nearAUROC is how far an AUROC may be from the highest to be close to it.
const nearAUROC = 0.05

// nearEdges is how far an E-SHD may be from another to be close to it, as a part of the expected
// edges.
const nearEdges = 0.1

// rivals are the paper's methods beside TOBAC.
var rivals = []string{"dibs", "dibs+", "bcd", "gfn"}

// Claims judges the five claims of the paper about its experiments, and one about the SVI-DAG
// tables. AUROC is that with the diagonal, Neg.LL the published one.
func (r *Results) Claims() []Claim {
	all := []Claim{r.linearClaim(), r.nonlinearClaim(), r.sizeClaim(), r.orderClaim(),
		r.mixtureClaim()}
	if slices.ContainsFunc(r.Studies, func(s Study) bool { return s.Name == SVIDAG }) {
		all = append(all, r.svidagClaim())
	}
	return all
}

func (r *Results) linearClaim() Claim {
	c := Claim{Number: 1, Text: "Linear data: TOBAC and TOBAC+ have the lowest E-SHD and close " +
		"to the highest AUROC at both densities; DiBS varies strongly at 4d edges."}
	for _, e := range []int{40, 80} {
		t := r.table(LinearFigure, fmt.Sprintf("linear-d20-e%d-n100", e))
		for _, ours := range []string{"tobac-eqvar", "tobac-eqvar+"} {
			for _, rival := range rivals {
				c.Parts = append(c.Parts, t.below(eshd, ours, rival))
			}
			for _, rival := range rivals {
				c.Parts = append(c.Parts, t.notBelow(auroc, ours, rival, nearAUROC))
			}
		}
		if e == 80 {
			c.Parts = append(c.Parts, t.varies(eshd, "tobac-eqvar", "dibs"))
		}
	}
	return c
}

func (r *Results) nonlinearClaim() Claim {
	c := Claim{Number: 2, Text: "Nonlinear data: TOBAC has cyclicity 0, and beats DiBS in E-SHD, " +
		"AUROC and Neg.LL, with smaller spread at 4d edges."}
	for _, e := range []int{40, 80} {
		t := r.table(NonlinearFigure, fmt.Sprintf("nonlinear-d20-e%d-n100", e))
		c.Parts = append(c.Parts, t.zero(cyclic, "tobac-eqvar"),
			t.below(eshd, "tobac-eqvar", "dibs"), t.below(auroc, "dibs", "tobac-eqvar"),
			t.below(negLL, "tobac-eqvar", "dibs"))
		if e == 80 {
			c.Parts = append(c.Parts, t.varies(eshd, "tobac-eqvar", "dibs"))
		}
	}
	return c
}

func (r *Results) sizeClaim() Claim {
	c := Claim{Number: 3, Text: "The sample size matters little, except that DAG-GFlowNet gets " +
		"worse with more rows; as d grows the methods drift apart, and at d = 50 TOBAC is the " +
		"most accurate."}
	at := func(d, n int) *tableOf {
		return r.table(Sizes, fmt.Sprintf("linear-d%d-e%d-n%d", d, sparse*d, n))
	}
	for _, d := range []int{10, 20, 50} {
		few, many := at(d, 100), at(d, 500)
		for _, m := range []string{"tobac-eqvar", "tobac-eqvar+", "dibs", "dibs+", "bcd"} {
			c.Parts = append(c.Parts,
				within(fmt.Sprintf("%s, d = %d: E-SHD with 500 rows is within %g of that with 100",
					few.label(m), d, nearEdges*sparse*float64(d)),
					many.values(eshd, m), few.values(eshd, m), nearEdges*sparse*float64(d)))
		}
		c.Parts = append(c.Parts,
			below(fmt.Sprintf("%s, d = %d: E-SHD with 100 rows is below that with 500",
				few.label("gfn"), d), few.values(eshd, "gfn"), many.values(eshd, "gfn")))
	}
	for _, n := range []int{100, 500} {
		for _, d := range [][2]int{{10, 20}, {20, 50}} {
			c.Parts = append(c.Parts, below(fmt.Sprintf("n = %d: the range of E-SHD over TOBAC, "+
				"TOBAC+, DiBS and DiBS+ at d = %d is below that at d = %d", n, d[0], d[1]),
				at(d[0], n).ranges(), at(d[1], n).ranges()))
		}
		for _, rival := range rivals {
			c.Parts = append(c.Parts, at(50, n).below(eshd, "tobac-eqvar", rival))
		}
	}
	return c
}

func (r *Results) orderClaim() Claim {
	t := r.table(Orders, "linear-d20-e40-n100")
	c := Claim{Number: 4, Text: "EqVar is close to the true order on equal-variance data; SCORE " +
		"is less stable in the linear setting."}
	margin := nearEdges * sparse * 20
	for _, plus := range []string{"", "+"} {
		c.Parts = append(c.Parts,
			within(fmt.Sprintf("%s: E-SHD of %s is within %g of that of %s", t.title,
				t.label("tobac-eqvar"+plus), margin, t.label("tobac-true"+plus)),
				t.values(eshd, "tobac-eqvar"+plus), t.values(eshd, "tobac-true"+plus), margin),
			t.varies(eshd, "tobac-eqvar"+plus, "tobac-score"+plus))
	}
	c.Parts = append(c.Parts, t.varies(violated, "tobac-eqvar", "tobac-score"))
	return c
}

func (r *Results) mixtureClaim() Claim {
	c := Claim{Number: 5,
		Text: "The mixture, \"+\", lowers E-SHD and Neg.LL and also lowers AUROC."}
	for _, at := range [][2]string{{TableOne, "sachs"}, {LinearFigure, "linear-d20-e40-n100"},
		{LinearFigure, "linear-d20-e80-n100"}, {NonlinearFigure, "nonlinear-d20-e40-n100"},
		{NonlinearFigure, "nonlinear-d20-e80-n100"}} {
		t := r.table(at[0], at[1])
		for _, m := range []string{"tobac-eqvar", "dibs"} {
			for _, measure := range []Measure{eshd, negLL, auroc} {
				c.Parts = append(c.Parts, t.below(measure, m+"+", m))
			}
		}
	}
	return c
}

// A tableOf is the table of a section, for comparisons.
type tableOf struct {
	title string
	lines map[string]Line
}

// table is that of a section, empty if it was not run.
func (r *Results) table(study, name string) *tableOf {
	t := &tableOf{title: name, lines: map[string]Line{}}
	if s, section := r.section(study, name); s != nil {
		for _, l := range r.Lines(*s, *section) {
			t.lines[l.Key()] = l
		}
	}
	return t
}

func (t *tableOf) values(m Measure, key string) []float64 {
	return t.lines[key].Values(m)
}

func (t *tableOf) label(key string) string {
	if l, ok := t.lines[key]; ok {
		return l.Label()
	}
	return map[string]string{"bcd": "BCD", "gfn": "DAG-GFlowNet", "dibs": "DiBS", "dibs+": "DiBS+",
		"tobac-eqvar": "TOBAC, EqVar", "tobac-eqvar+": "TOBAC+, EqVar"}[key]
}

func (t *tableOf) below(m Measure, a, b string) Part {
	return below(fmt.Sprintf("%s: %s of %s is below that of %s", t.title, m.Title, t.label(a),
		t.label(b)), t.values(m, a), t.values(m, b))
}

// notBelow compares with a margin: a is at most that much below b.
func (t *tableOf) notBelow(m Measure, a, b string, margin float64) Part {
	return notBelow(fmt.Sprintf("%s: %s of %s is at most %g below that of %s", t.title, m.Title,
		t.label(a), margin, t.label(b)), t.values(m, a), t.values(m, b), margin)
}

func (t *tableOf) varies(m Measure, a, b string) Part {
	return variesLess(fmt.Sprintf("%s: %s of %s varies less than that of %s", t.title, m.Title,
		t.label(a), t.label(b)), t.values(m, a), t.values(m, b))
}

// zero demands that every value is 0.
func (t *tableOf) zero(m Measure, key string) Part {
	p := Part{Text: fmt.Sprintf("%s: %s of %s is 0", t.title, m.Title, t.label(key)),
		Verdict: NotCovered}
	values := Known(t.values(m, key))
	if len(values) == 0 {
		return p
	}
	p.Verdict, p.Numbers = Holds, fmt.Sprintf("0 in %d data sets", len(values))
	for _, v := range values {
		if v != 0 {
			p.Verdict, p.Numbers = Fails, fmt.Sprintf("%g", v)
		}
	}
	return p
}

// ranges are the differences of the highest and the lowest E-SHD of the particle methods, one for
// each data set.
func (t *tableOf) ranges() (all []float64) {
	for k, key := range []string{"tobac-eqvar", "tobac-eqvar+", "dibs", "dibs+"} {
		values := t.values(eshd, key)
		if len(values) == 0 {
			return nil
		}
		if k == 0 {
			all = make([]float64, 2*len(values))
			copy(all, values)
			copy(all[len(values):], values)
			continue
		}
		n := len(values)
		for i, v := range values {
			all[i], all[n+i] = math.Min(all[i], v), math.Max(all[n+i], v)
		}
	}
	n := len(all) / 2
	for i := range n {
		all[i] = all[n+i] - all[i]
	}
	return all[:n]
}

// below decides "a is below b".
func below(text string, a, b []float64) Part {
	return decided(text, a, b, func(low, high float64) (holds, fails bool) {
		return high < 0, low > 0
	})
}

// notBelow decides "a is at most margin below b".
func notBelow(text string, a, b []float64, margin float64) Part {
	return decided(text, a, b, func(low, high float64) (holds, fails bool) {
		return low > -margin, high < -margin
	})
}

// within decides "a is within margin of b".
func within(text string, a, b []float64, margin float64) Part {
	return decided(text, a, b, func(low, high float64) (holds, fails bool) {
		return low >= -margin && high <= margin, low > margin || high < -margin
	})
}

// decided asks whether a claim holds for the interval of the mean difference of a and b, and
// whether it fails.
func decided(text string, a, b []float64, of func(low, high float64) (holds, fails bool)) Part {
	p, s := differences(text, a, b)
	if p.Verdict == NotCovered {
		return p
	}
	i := s.Interval()
	if holds, fails := of(s.Mean-i, s.Mean+i); holds {
		p.Verdict = Holds
	} else if fails {
		p.Verdict = Fails
	}
	return p
}

func differences(text string, a, b []float64) (Part, MeanSD) {
	s := MeanSDOf(Paired(a, b))
	p := Part{Text: text, Verdict: Undecided}
	if s.N == 0 {
		p.Verdict = NotCovered
		return p, s
	}
	a, b = both(a, b)
	p.Numbers = fmt.Sprintf("%.4g against %.4g, difference %.3g", stat.Mean(a, nil),
		stat.Mean(b, nil), s.Mean)
	if s.N > 1 {
		p.Numbers += fmt.Sprintf(" ± %.2g (95 %%)", s.Interval())
	}
	return p, s
}

// variesLess decides "a varies less than b".
func variesLess(text string, a, b []float64) Part {
	x, y := MeanSDOf(Known(a)), MeanSDOf(Known(b))
	p := Part{Text: text, Verdict: Undecided}
	if x.N == 0 || y.N == 0 {
		p.Verdict = NotCovered
		return p
	}
	if x.N < 2 || y.N < 2 {
		p.Numbers = "one data set"
		return p
	}
	p.Numbers = fmt.Sprintf("standard deviations %.3g and %.3g", x.SD, y.SD)
	if x.SD == y.SD {
		return p
	}
	most := distuv.F{D1: float64(y.N - 1), D2: float64(x.N - 1)}.Quantile(0.95)
	least := distuv.F{D1: float64(y.N - 1), D2: float64(x.N - 1)}.Quantile(0.05)
	switch ratio := y.SD * y.SD / (x.SD * x.SD); {
	case ratio > most:
		p.Verdict = Holds
	case ratio < least:
		p.Verdict = Fails
	}
	return p
}
