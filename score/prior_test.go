package score_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tobac/internal/must"
	"tobac/score"
)

func erdosRenyi(t *testing.T, d int, p float64) *score.Prior {
	t.Helper()
	return must.Get(score.ErdosRenyi(d, p))(t)
}

// Every constructor against its formula.
func TestPriorFormulas(t *testing.T) {
	const d = 5
	edge := func(i, j int) float64 { return 0.1 + 0.02*float64(3*i+j) }
	edges := must.Get(score.EdgeProbabilities(d, edge))(t)
	choose := []float64{1, 4, 6, 4, 1}
	for _, row := range []struct {
		name string
		p    *score.Prior
		want func(j int, parents []int) float64
	}{
		{"Erdős–Rényi", erdosRenyi(t, d, 0.3), func(_ int, a []int) float64 {
			return float64(len(a)) * math.Log(0.3/0.7)
		}},
		{"fair", score.Fair(d), func(_ int, a []int) float64 { return -math.Log(choose[len(a)]) }},
		{"scale-free", score.ScaleFree(d), func(_ int, a []int) float64 {
			return -3 * math.Log(1+float64(len(a)))
		}},
		{"uniform", score.Uniform(d), func(int, []int) float64 { return 0 }},
		{"edges", edges, func(j int, a []int) float64 {
			sum := 0.0
			for _, i := range a {
				sum += math.Log(edge(i, j) / (1 - edge(i, j)))
			}
			return sum
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.p.Vars() != d {
				t.Errorf("got %d variables, want %d", row.p.Vars(), d)
			}
			if err := row.p.Check(); err != nil {
				t.Error(err)
			}
			everySet(d, func(j int, a []int) {
				if got, want := row.p.LogPrior(j, a), row.want(j, a); !near(got, want, 1e-13) {
					t.Errorf("ln ρ(%d|%v): got %v, want %v", j, a, got, want)
				}
			})
		})
	}
}

// What is forbidden or required is impossible otherwise; AddTo says the same as
// LogPrior.
func TestPriorKnowledge(t *testing.T) {
	const d = 5
	p := erdosRenyi(t, d, 0.2)
	before := p.Clone()
	p.Forbid(0, 3)
	p.Require(1, 3)
	p.Tiers([]int{0, 1, -1, 2, 1}) // 1 and 4 must not point at 0, nor 3 at 0, 1, 4
	p.MaxParents(2)
	must.Do(t, p.Check())
	for _, e := range [][2]int{{0, 3}, {1, 0}, {4, 0}, {3, 0}, {3, 1}, {3, 4}} {
		if !p.Forbidden(e[0], e[1]) || !math.IsInf(p.Odds(e[0], e[1]), -1) {
			t.Errorf("%d → %d is not forbidden", e[0], e[1])
		}
	}
	for _, e := range [][2]int{{2, 0}, {3, 2}, {1, 4}, {4, 1}, {0, 1}, {1, 3}} {
		if p.Forbidden(e[0], e[1]) {
			t.Errorf("%d → %d is forbidden", e[0], e[1])
		}
	}
	if !p.Required(1, 3) || p.Required(3, 1) {
		t.Error("required: want 1 → 3 and not 3 → 1")
	}
	everySet(d, func(j int, a []int) {
		want := before.LogPrior(j, a)
		for _, i := range a {
			if p.Forbidden(i, j) {
				want = math.Inf(-1)
			}
		}
		if len(a) > 2 || j == 3 && !slices.Contains(a, 1) {
			want = math.Inf(-1)
		}
		if got := p.LogPrior(j, a); got != want {
			t.Errorf("ln ρ(%d|%v): got %v, want %v", j, a, got, want)
		}
	})
	for j := range d {
		for _, candidates := range [][]int{others(d, j), others(d, j)[:2]} {
			dst := make([]float64, 1<<len(candidates))
			for set := range dst {
				dst[set] = float64(set)
			}
			p.AddTo(dst, j, candidates)
			for set, got := range dst {
				var a []int
				for k, i := range candidates {
					if set>>k&1 == 1 {
						a = append(a, i)
					}
				}
				if want := float64(set) + p.LogPrior(j, a); got != want && !near(got, want, 1e-13) {
					t.Errorf("variable %d of %v, set %v: got %v, want %v", j, candidates, a, got,
						want)
				}
			}
		}
	}
	if before.Forbidden(0, 3) || before.Required(1, 3) {
		t.Error("a clone shares its original's edges")
	}
}

// Tables of more than ten candidates are added in two parts.
func TestPriorAddToLarge(t *testing.T) {
	const d = 14
	p := must.Get(score.EdgeProbabilities(d, func(i, j int) float64 {
		switch {
		case i == 3 && j == 13:
			return 0
		case i == 12 && j == 13:
			return 1
		}
		return 0.05 + 0.004*float64(d*i+j)
	}))(t)
	p.MaxParents(9)
	dst := make([]float64, 1<<13)
	p.AddTo(dst, 13, others(d, 13))
	for set, got := range dst {
		var a []int
		for i := range 13 {
			if set>>i&1 == 1 {
				a = append(a, i)
			}
		}
		if want := p.LogPrior(13, a); got != want && !near(got, want, 1e-13) {
			t.Fatalf("set %v: got %v, want %v", a, got, want)
		}
	}
}

func TestPriorErrors(t *testing.T) {
	for _, v := range []float64{0, 1, -0.1, math.NaN()} {
		if _, err := score.ErdosRenyi(3, v); err == nil ||
			err.Error() != fmt.Sprintf("score: edge probability is %v, want 0 < probability < 1",
				v) {
			t.Errorf("edge probability %v: got the error %v", v, err)
		}
	}
	_, err := score.EdgeProbabilities(3, func(i, j int) float64 { return float64(i + j) })
	if want := "score: probability of the edge 0 → 2 is 2, want a number from 0 to 1"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, row := range []struct {
		name   string
		change func(*score.Prior)
		want   string
	}{
		{"forbidden", func(p *score.Prior) { p.Require(0, 1); p.Forbid(0, 1) },
			"score: the edge 0 → 1 is both required and forbidden"},
		{"too many", func(p *score.Prior) { p.Require(0, 1); p.Require(2, 1); p.MaxParents(1) },
			"score: variable 1 has 2 required parents, more than allowed"},
	} {
		p := score.Uniform(3)
		row.change(p)
		if err := p.Check(); err == nil || err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
	cyclic := score.Uniform(3)
	cyclic.Require(0, 1)
	cyclic.Require(1, 0)
	if err := cyclic.Check(); err == nil {
		t.Error("a cycle of required edges is accepted")
	}
}

func BenchmarkPriorAddTo20(b *testing.B) {
	p := score.Fair(20)
	dst := make([]float64, 1<<19)
	b.ReportAllocs()
	for b.Loop() {
		p.AddTo(dst, 7, others(20, 7))
	}
}

// Odds multiply the odds of one edge given all others, and nothing else; what is certain
// stays so.
func TestMultiplyOdds(t *testing.T) {
	const d, factor = 4, 2.5
	p := score.Fair(d)
	p.Forbid(3, 1)
	p.Require(2, 1)
	before := p.Clone()
	p.MultiplyOdds(0, 1, factor)
	p.MultiplyOdds(3, 1, factor)
	p.MultiplyOdds(2, 1, factor)
	everySet(d, func(j int, a []int) {
		got, want := p.LogPrior(j, a), before.LogPrior(j, a)
		if j == 1 && slices.Contains(a, 0) {
			want += math.Log(factor)
		}
		if j == 1 && slices.Contains(a, 2) {
			want += math.Log(factor) // of every possible set alike
		}
		if got != want && !near(got, want, 1e-13) {
			t.Errorf("ln ρ(%d|%v): got %v, want %v", j, a, got, want)
		}
	})
	if !p.Forbidden(3, 1) || !p.Required(2, 1) {
		t.Error("odds change what is certain")
	}
	for _, bad := range []func(){
		func() { p.MultiplyOdds(1, 1, 2) }, func() { p.MultiplyOdds(0, 1, 0) },
		func() { p.MultiplyOdds(0, 1, -1) },
		func() { p.MultiplyOdds(0, 1, math.Inf(1)) }, func() { p.MultiplyOdds(0, 1, math.NaN()) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			bad()
		}()
	}
}
