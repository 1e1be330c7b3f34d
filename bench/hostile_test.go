package bench_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/bcd"
	"tobac/internal/gflownet"
	"tobac/internal/impute"
	"tobac/models"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// A hostileMethod is a model with an engine, as users combine them.
type hostileMethod struct {
	name  string
	fit   func(data *dataset.Table) (*tobac.Result, error)
	short bool // among the ordinary tests too
	rough bool // the clean table itself may have other answers than the truth
}

// configured fits a configuration.
func configured(cfg tobac.Config) func(data *dataset.Table) (*tobac.Result, error) {
	cfg.Seed = 1
	return func(data *dataset.Table) (*tobac.Result, error) {
		return tobac.Fit(context.Background(), data, cfg)
	}
}

// withGapsFitted fits a table of which one value in twenty is lost and imputed.
func withGapsFitted(cfg tobac.Config) func(data *dataset.Table) (*tobac.Result, error) {
	cfg.Seed = 1
	return func(data *dataset.Table) (*tobac.Result, error) {
		rng := rand.New(rand.NewPCG(14, 9))
		x := mat.DenseCopyOf(data.X)
		x.Apply(func(_, _ int, v float64) float64 {
			if rng.Float64() < 0.05 {
				return math.NaN()
			}
			return v
		}, x)
		completed, err := impute.Complete(context.Background(), x,
			impute.Settings{Count: 3, Seed: 1, Names: data.Names})
		if err != nil {
			return nil, err
		}
		return tobac.FitImputed(context.Background(),
			tobac.Imputed{Count: 3, Places: completed.Places(), Table: func(k int) *dataset.Table {
				return &dataset.Table{Names: data.Names, X: completed.Table(k)}
			}}, cfg)
	}
}

func hostileMethods() []hostileMethod {
	// Fewer steps than the default's, up to the same inverse temperature.
	sampler := stein.SVGD{Particles: 10, Steps: 250, Samples: 32, AlphaRate: 0.2}
	chains := markov.MCMC{Iterations: 300, WarmUp: 100}
	paper := tobac.Paper()
	paper.Prior.EdgesPerNode = 1 // the published two are all pairs of five columns
	networks := stein.SVGD{Particles: 6, Steps: 250, Samples: 16, AlphaRate: 0.2}
	dibs := stein.DiBS{SVGD: sampler}
	trained := bcdnets.BCDNets{Training: bcd.Settings{Steps: 2000, Batch: 32}}
	policy := flownets.GFlowNet{Training: gflownet.Settings{Policy: gflownet.Graph,
		Iterations: 150}}
	known := func(data *dataset.Table) engine.Order {
		order := []int{0, 3, 1, 2, 4}
		for j := cleanColumns; j < len(data.Names); j++ {
			order = append(order, j)
		}
		return engine.Order{Known: order}
	}
	ordered := func(cfg tobac.Config) func(data *dataset.Table) (*tobac.Result, error) {
		return func(data *dataset.Table) (*tobac.Result, error) {
			cfg.Order = known(data)
			return configured(cfg)(data)
		}
	}
	flows := func(data *dataset.Table) (*tobac.Result, error) {
		cfg := tobac.Config{Model: sem.Linear{}, Engine: &flownets.GFlowNet{}}
		if len(data.Names) > cleanColumns { // no exact flows any more
			cfg.Engine = &policy
		}
		return configured(cfg)(data)
	}
	return []hostileMethod{
		{"default", configured(tobac.Config{}), true, false},
		{"linear, exact", configured(tobac.Config{Model: sem.Linear{}, Engine: &sums.Exact{}}),
			true, false},
		{"linear, mcmc", configured(tobac.Config{Model: sem.Linear{}, Engine: &chains}), false,
			false},
		{"linear, svgd",
			configured(tobac.Config{Model: sem.Linear{}, Engine: &sampler,
				Order: engine.Order{Count: 1}}), false, false},
		{"linear-unequal, exact", configured(tobac.Config{Model: sem.BGe{}, Engine: &sums.Exact{}}),
			true, false},
		{"linear-unequal, mcmc", configured(tobac.Config{Model: sem.BGe{}, Engine: &chains}), true,
			false},
		{"linear-unequal, svgd",
			configured(tobac.Config{Model: sem.Linear{Unequal: true}, Engine: &sampler,
				Order: engine.Order{Count: 1}}), false, false},
		{"bge, svgd",
			configured(tobac.Config{Model: sem.BGe{}, Engine: &sampler,
				Order: engine.Order{Count: 1}}), false, false},
		{"gp, exact", configured(tobac.Config{Model: sem.GaussianProcess{}, Engine: &sums.Exact{}}),
			false, false},
		{"gp, mcmc", configured(tobac.Config{Model: sem.GaussianProcess{}, Engine: &chains}), false,
			false},
		{"ffn, svgd",
			configured(tobac.Config{Model: sem.FeedForward{}, Engine: &networks,
				Order: engine.Order{Count: 1}}), false, true},
		{"linear, dibs", configured(tobac.Config{Model: sem.Linear{}, Engine: &dibs}), false, true},
		{"bge, dibs", configured(tobac.Config{Model: sem.BGe{}, Engine: &dibs}), false, true},
		{"preset paper", configured(paper), false, true},
		{"given order, linear", ordered(tobac.Config{Model: sem.Linear{}}), false, false},
		{"given order, linear-unequal", ordered(tobac.Config{Model: sem.BGe{}}), false, false},
		{"gaps, default", withGapsFitted(tobac.Config{}), false, false},
		{"gaps, linear-unequal", withGapsFitted(tobac.Config{Model: sem.BGe{}}), true, false},
		{"linear, bcd", configured(tobac.Config{Model: sem.Linear{}, Engine: &trained}), false,
			true},
		{"linear-unequal, bcd", configured(tobac.Config{Model: sem.BGe{}, Engine: &trained}), false,
			true},
		{"linear, gflownet", flows, false, false},
		{"linear-unequal, gflownet, policy graph",
			configured(tobac.Config{Model: sem.BGe{}, Engine: &policy}), false, true},
		{"ffn with its output layer integrated out, svgd",
			configured(tobac.Config{Model: sem.FeedForward{Output: models.IntegratedOutput},
				Engine: &networks, Order: engine.Order{Count: 1}}), false, true},
		{"ffn, over all orders", configured(tobac.Config{Model: sem.FeedForward{}}), false, true},
		{"linear, svgd calibrated, given order", ordered(tobac.Calibrated(sem.Linear{})), false,
			false},
		{"ffn, svgd calibrated, given order", ordered(tobac.Calibrated(sem.FeedForward{})), false,
			true},
		{"ffn, tempering, given order",
			ordered(tobac.Config{Model: sem.FeedForward{},
				Engine: &neural.Tempering{Iterations: 400}}), false, true},
	}
}

// pairProbabilities are the probabilities of adjacency of the columns of the clean table, of which
// a copy counts as the column itself: the most probable relation counts. apart is the greatest
// probability of a relation of a column that is none of them.
func pairProbabilities(res *tobac.Result, of []int) (pairs map[[2]int]float64, apart float64) {
	pairs = map[[2]int]float64{}
	for i, a := range of {
		for j, b := range of[:i] {
			p := res.Probabilities.At(i, j) + res.Probabilities.At(j, i)
			switch {
			case a < 0 || b < 0:
				apart = max(apart, p)
			case a != b:
				pair := [2]int{min(a, b), max(a, b)}
				pairs[pair] = max(pairs[pair], p)
			}
		}
	}
	return pairs, apart
}

// hostileOutcome is one cell of the table.
type hostileOutcome struct {
	mark string // right, unsure, warned, refused or WRONG
	text string // the warnings, the refusal or the mistakes
}

// details are what makes the same warning differ from table to table: names of columns and numbers.
var details = regexp.MustCompile(`"[^"]*"|[0-9.]+`)

func withoutDetails(warning string) string { return details.ReplaceAllString(warning, "") }

// judgeHostile compares a result with that of the same method on the clean table. Pairs count that
// have a probability up to 0.4, or from 0.6, there. It is right if all of them are on the same side
// of ½; unsure if none on the other side is below 0.1 or above 0.9; warned if there is a warning
// that the clean table does not have, or has because the method goes wrong there.
func judgeHostile(h hostileTable, res *tobac.Result, err error,
	clean *tobac.Result) hostileOutcome {
	if err != nil {
		return hostileOutcome{"refused", err.Error()}
	}
	var mistakes []string
	sure := false
	if h.of != nil {
		want, _ := pairProbabilities(clean, []int{0, 1, 2, 3, 4})
		got, apart := pairProbabilities(res, h.of)
		for i := range cleanColumns {
			for j := range i {
				pair := [2]int{j, i}
				if p, w := got[pair], want[pair]; math.Abs(w-0.5) >= 0.1 && (p > 0.5) != (w > 0.5) {
					mistakes = append(mistakes,
						fmt.Sprintf("X%d — X%d %.2f, clean %.2f", j, i, p, w))
					sure = sure || !(p > 0.1 && p < 0.9)
				}
			}
		}
		if !(apart < 0.5) {
			mistakes = append(mistakes,
				fmt.Sprintf("the constant column has an edge of probability %.2f", apart))
			sure = true
		}
	} else {
		mistakes, sure = []string{"no column is of use beside the others"}, true
	}
	known := map[string]bool{}
	if right(clean) {
		for _, w := range clean.Warnings {
			known[withoutDetails(w)] = true
		}
	}
	warnings := slices.DeleteFunc(slices.Clone(res.Warnings), func(w string) bool {
		return known[withoutDetails(w)]
	})
	switch {
	case len(warnings) > 0 && len(mistakes) == 0:
		return hostileOutcome{"right, warned", strings.Join(warnings, "; ")}
	case len(warnings) > 0:
		return hostileOutcome{"warned", strings.Join(append(warnings, mistakes...), "; ")}
	case len(mistakes) == 0:
		return hostileOutcome{"right", ""}
	case !sure:
		return hostileOutcome{"unsure", strings.Join(mistakes, "; ")}
	}
	return hostileOutcome{"WRONG", strings.Join(mistakes, "; ")}
}

// On hostile tables every method gives the answer that it gives on the clean table, or is unsure,
// or warns, or refuses. All tables and methods, with the table of bench/notes/hostile.md, by
//
//	go test ./bench -run TestHostileTables -long -v -timeout 120m
//
// and one row, or one column of it, with -run 'TestHostileTables/X2_×' or -run
// 'TestHostileTables/.*/gp'.
func TestHostileTables(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tables, methods := hostileTables(), slices.DeleteFunc(hostileMethods(),
		func(m hostileMethod) bool { return !m.short && !*long })
	clean := make([]*tobac.Result, len(methods)) // of each method, once it is asked for
	count := map[string]int{}
	for _, h := range tables[1:] {
		if !h.short && !*long {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			row := "| " + h.name + " |"
			for k, m := range methods {
				t.Run(m.name, func(t *testing.T) {
					if clean[k] == nil {
						clean[k] = m.onClean(t, tables[0])
					}
					res, err := m.fit(h.data)
					o := judgeHostile(h, res, err, clean[k])
					count[o.mark]++
					row += " " + o.mark + " |"
					if o.mark == "WRONG" {
						t.Error(o.text)
					} else if o.text != "" {
						t.Logf("%s: %s", o.mark, o.text)
					}
				})
			}
			t.Log(row)
		})
	}
	t.Log(count)
}

// onClean is the result on the clean table. All methods but those that approximate get the truth.
func (m *hostileMethod) onClean(t *testing.T, clean hostileTable) *tobac.Result {
	t.Helper()
	res, err := m.fit(clean.data)
	if err != nil {
		t.Fatalf("the clean table: %v", err)
	}
	if !m.rough && !right(res) {
		pairs, _ := pairProbabilities(res, clean.of)
		t.Errorf("on the clean table the probabilities of adjacency are %v", pairs)
	}
	return res
}

// right reports whether a result on the clean table has the truth.
func right(clean *tobac.Result) bool {
	pairs, _ := pairProbabilities(clean, []int{0, 1, 2, 3, 4})
	for i := range cleanColumns {
		for j := range i {
			if pair := [2]int{j, i}; (pairs[pair] > 0.5) != cleanTruth[pair] {
				return false
			}
		}
	}
	return true
}
