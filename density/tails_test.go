package density_test

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/density"
	"tobac/internal/must"
)

//go:embed testdata/tails.csv
var tails string

// Every row of the tables of distributions far out in its tails, against mpmath
// (testdata/tails.py): log density to 9 digits, distribution and survival function to 11.
func TestFarTails(t *testing.T) {
	rows := map[string]row{}
	for _, c := range slices.Concat(continuous, discrete) {
		rows[strings.ReplaceAll(c.name, ",", "")] = c
	}
	for name, of := range map[string]func(p nodes) dist{
		"truncated normal": func(p nodes) dist {
			return density.Truncated(density.Normal(p[0], p[1]), p[2], p[3])
		},
		"binomial":       func(p nodes) dist { return density.Binomial(p[0], p[1]) },
		"binomial logit": func(p nodes) dist { return density.BinomialLogit(p[0], p[1]) },
		"beta-binomial":  func(p nodes) dist { return density.BetaBinomial(p[0], p[1], p[2]) },
	} {
		rows[name] = row{of: of}
	}
	number := func(s string) float64 {
		v := must.Get(strconv.ParseFloat(s, 64))(t)
		return v
	}
	for line := range strings.Lines(strings.TrimPrefix(tails,
		"distribution,parameters,value,density,below,above\n")) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		c, found := rows[cells[0]]
		if !found {
			t.Fatalf("no distribution %s", cells[0])
		}
		var params []float64
		for _, p := range strings.Split(cells[1], ";") {
			params = append(params, number(p))
		}
		for i, f := range []func(d density.Distribution, x *autograd.Node) *autograd.Node{
			density.Distribution.LogProb, density.Distribution.LogCDF,
			density.Distribution.LogSurvival,
		} {
			if cells[3+i] == "-" {
				continue
			}
			want := number(cells[3+i])
			got := value(t, []float64{number(cells[2])}, func(x *autograd.Node) *autograd.Node {
				return f(c.of(constants(x.Builder(), params)), x)
			})[0]
			allowed := 1e-11*math.Abs(want) + 1e-50
			if i == 0 {
				allowed = 1e-9 * math.Max(1, math.Abs(want))
			}
			if got != want && !(math.Abs(got-want) <= allowed) {
				t.Errorf("%s(%s) at %s, %s: %v, want %v", cells[0], cells[1], cells[2],
					[]string{"density", "below", "above"}[i], got, want)
			}
		}
	}
}

// TestNearlyNormal: with very many degrees of freedom Student's t is the normal distribution.
func TestNearlyNormal(t *testing.T) {
	b := autograd.NewBuilder("t")
	x := b.Input("x", autograd.Shape{2})
	unit := b.Constant([]float64{1, 0, 0, 1}, autograd.Shape{2, 2})
	const nu = 1e15
	single := density.StudentsT(0., 1., nu).LogProb(x).Sum()
	both := density.MultivariateStudentsT(b.Constant([]float64{0, 0}, autograd.Shape{2}), unit,
		nu).LogProb(x)
	e := must.Get(autograd.NewEvaluator([]*autograd.Node{x}, []*autograd.Node{single, both.Sum()},
		autograd.Options{}))(t)
	got := [][]float64{{0}, {0}}
	must.Do(t, e.Eval(got, []autograd.Feed{{Data: []float64{0.5, -3}}}))
	want := -0.5*(0.25+9) - math.Log(2*math.Pi)
	for k, v := range got {
		if math.Abs(v[0]-want) > 1e-13 {
			t.Errorf("density %d: log density %v, want %v", k, v[0], want)
		}
	}
}
