package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/study"
	"tobac/metrics"

	"gonum.org/v1/gonum/mat"
)

// ordersFlag skips an experiment over several orders unless it was asked for.
func ordersFlag(t *testing.T) {
	t.Helper()
	if !*long {
		t.Skip("takes many minutes: go test ./bench -run TestOrders -long -v -timeout 120m")
	}
}

// A judged is how well the edge probabilities of a posterior are calibrated, and
// how sure they are.
type judged struct {
	name      string
	orders    int
	largest   float64 // weight of an order
	stability float64
	report    *metrics.Report // of the particles
	auroc     float64
	brier     float64
	logScore  float64
	error     float64 // of calibration
	entropy   float64 // bits per entry
	decided   float64 // fraction of entries within 0.05 of 0 or 1
	warnings  []string
	seconds   float64
}

// judgeOrders fits a problem and judges its edge probabilities.
func judgeOrders(t *testing.T, name string, p *study.Problem, cfg tobac.Config) judged {
	t.Helper()
	cfg.Workers = runtime.GOMAXPROCS(0)
	res, err := tobac.Fit(context.Background(), p.Train, cfg)
	if err != nil {
		t.Fatal(err)
	}
	f := &study.Fitted{Posterior: res.Posterior}
	j := judged{name: name, orders: 1, largest: 1, stability: 1, warnings: res.Warnings,
		seconds: res.Seconds.Total}
	if len(res.Components) > 1 {
		j.orders, j.largest, j.stability = len(res.Components), 0, res.Orders.Stability()
		for _, c := range res.Components {
			j.largest = max(j.largest, c.Weight)
		}
	}
	outcome, err := f.Judge(p.Truth)
	if err != nil {
		t.Fatal(err)
	}
	j.report = outcome.Empirical.Draws
	j.auroc, j.brier, j.logScore = float64(outcome.Listed.Edges.AUROC),
		float64(outcome.Listed.Edges.Brier), float64(outcome.Listed.Edges.LogScore)
	j.error = float64(outcome.Listed.Edges.CalibrationError)
	j.entropy, j.decided = certainty(f.Posterior.Probabilities, 0.05)
	t.Logf("%s, %s: %d orders, the largest weighs %.2f, stability %.2f; E-SHD %.1f, AUROC %.3f, "+
		"Brier %.4f, log score %.4f, calibration %.4f, entropy %.3f, decided %.3f; %.0f s",
		p.Name, name, j.orders, j.largest, j.stability, float64(j.report.ESHD), j.auroc, j.brier,
		j.logScore, j.error, j.entropy, j.decided, j.seconds)
	return j
}

// certainty is the mean entropy in bits of the probabilities of edges, and the fraction of them
// within margin of 0 or 1.
func certainty(p mat.Matrix, margin float64) (entropy, decided float64) {
	d, _ := p.Dims()
	for i := range d {
		for j := range d {
			q := p.At(i, j)
			if i == j {
				continue
			}
			for _, v := range []float64{q, 1 - q} {
				if v > 0 {
					entropy -= v * math.Log2(v)
				}
			}
			if q <= margin || q >= 1-margin {
				decided++
			}
		}
	}
	pairs := float64(d * (d - 1))
	return entropy / pairs, decided / pairs
}

// compareOrders judges a single order beside the mixture over the orders of
// resamples, by frequency and by evidence, and prints the table.
func compareOrders(t *testing.T, problems []*study.Problem, methods map[string]tobac.Config,
	names []string) map[string][]judged {
	t.Helper()
	all := map[string][]judged{}
	for i, p := range problems {
		for _, name := range names {
			cfg := methods[name]
			cfg.Seed = uint64(1 + i)
			all[name] = append(all[name], judgeOrders(t, name, p, cfg))
		}
	}
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "method\tproblems\tE-SHD\tAUROC\tBrier\tlog "+
		"score\tcalibration\tentropy\tdecided\tseconds")
	for _, name := range names {
		fmt.Fprintf(w, "%s\t%d", name, len(problems))
		for _, number := range []func(judged) float64{
			func(j judged) float64 { return float64(j.report.ESHD) }, func(j judged) float64 {
				return j.auroc
			}, func(j judged) float64 { return j.brier },
			func(j judged) float64 { return j.logScore }, func(j judged) float64 { return j.error },
			func(j judged) float64 { return j.entropy },
			func(j judged) float64 { return j.decided }, func(j judged) float64 {
				return j.seconds
			},
		} {
			fmt.Fprintf(w, "\t%.4g", mean(all[name], number))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf(
		"means over the problems; E-SHD of the particles, the rest of the edge probabilities\n%s",
		text.String())
	return all
}

func mean(all []judged, number func(judged) float64) float64 {
	sum := 0.0
	for _, j := range all {
		sum += number(j) / float64(len(all))
	}
	return sum
}

// standardisedProblem scales the columns of a problem, which takes away what the
// variances say about the order.
func standardisedProblem(t *testing.T, p *study.Problem) *study.Problem {
	t.Helper()
	table, err := p.Train.Standardize()
	if err != nil {
		t.Fatal(err)
	}
	return &study.Problem{Name: p.Name + "-standardised", Train: table, Truth: p.Truth}
}

// overOrders mixes the orders of 20 resamples.
func overOrders(weights engine.OrderWeights) tobac.Config {
	c := underEqVar()
	c.Order.Count, c.Order.Weights = 20, weights
	return c
}

// The orders of resamples on data that tell their order: the mixture may not be
// worse calibrated than the single order by more than a fifth of its log score.
func TestOrdersLinear(t *testing.T) {
	ordersFlag(t)
	problems := synthetic(t, "linear-d20-e40", 5)
	all := compareOrders(t, problems, map[string]tobac.Config{"single order": underEqVar(),
		"20 orders": overOrders(engine.FrequencyWeights)}, []string{"single order", "20 orders"})
	logScore := func(j judged) float64 { return j.logScore }
	single, mixed := mean(all["single order"], logScore), mean(all["20 orders"], logScore)
	if !(mixed <= 1.2*single) {
		t.Errorf("mean log score %.4f of the mixture, want at most a fifth above %.4f of the "+
			"single order", mixed, single)
	}
	for i, j := range all["20 orders"] {
		if j.orders < 2 {
			t.Errorf("%s: %d orders, want several", problems[i].Name, j.orders)
		}
	}
}

// sachsProblem are all rows of the flow cytometry data, standardised.
func sachsProblem(t *testing.T) *study.Problem {
	t.Helper()
	raw, truth, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	table, err := raw.Standardize()
	if err != nil {
		t.Fatal(err)
	}
	return &study.Problem{Name: "sachs", Train: table, Truth: truth}
}

// lessSure asserts that a posterior says that its order is a guess, and that the
// mixture is less sure of its edges than the single order: more entropy, fewer
// probabilities near 0 and 1.
func lessSure(t *testing.T, single, mixed judged) {
	t.Helper()
	for _, j := range []judged{single, mixed} {
		if !strings.Contains(strings.Join(j.warnings, "\n"), "the data look standardised") {
			t.Errorf("%s: warnings %q do not say that the data look standardised", j.name,
				j.warnings)
		}
	}
	if !strings.Contains(strings.Join(mixed.warnings, "\n"), "the order is a guess: resamples") {
		t.Errorf("%s: warnings %q do not say that the order is a guess", mixed.name, mixed.warnings)
	}
	if !(mixed.entropy > single.entropy) || !(mixed.decided < single.decided) {
		t.Errorf("entropy %.3f and %.3f decided of the mixture, want more than %.3f and less "+
			"than %.3f", mixed.entropy, mixed.decided, single.entropy, single.decided)
	}
}

// The flow cytometry data, standardised, hardly tell an order.
func TestOrdersSachs(t *testing.T) {
	ordersFlag(t)
	names := []string{"single order", "20 orders", "20 orders, evidence"}
	all := compareOrders(t, []*study.Problem{sachsProblem(t)}, map[string]tobac.Config{
		names[0]: underEqVar(), names[1]: overOrders(engine.FrequencyWeights),
		names[2]: overOrders(engine.EvidenceWeights),
	}, names)
	single, mixed := all[names[0]][0], all[names[1]][0]
	lessSure(t, single, mixed)
	if !(mixed.logScore < single.logScore) || !(mixed.brier < single.brier) {
		t.Errorf("log score %.4f, Brier score %.4f of the mixture, want less than %.4f and %.4f",
			mixed.logScore, mixed.brier, single.logScore, single.brier)
	}
}

// Simulated data, standardised: equal variances mean nothing, the program says
// so, and the mixture is less sure and makes smaller mistakes.
func TestOrdersStandardised(t *testing.T) {
	ordersFlag(t)
	names := []string{"single order", "20 orders"}
	var problems []*study.Problem
	for _, p := range synthetic(t, "linear-d10-e20", 5) {
		problems = append(problems, standardisedProblem(t, p))
	}
	all := compareOrders(t, problems, map[string]tobac.Config{names[0]: underEqVar(),
		names[1]: overOrders(engine.FrequencyWeights)}, names)
	for i := range problems {
		lessSure(t, all[names[0]][i], all[names[1]][i])
	}
	logScore := func(j judged) float64 { return j.logScore }
	if single, mixed := mean(all[names[0]], logScore),
		mean(all[names[1]], logScore); !(mixed < single) {
		t.Errorf("mean log score %.4f of the mixture, want less than %.4f of the single order",
			mixed, single)
	}
}

// The same in seconds: few steps, few variables.
func TestOrdersWhereEqualVarianceMeansNothing(t *testing.T) {
	g := graph(t, 5, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 4}, [2]int{0, 3})
	s, err := dataset.SimulateLinear(g, dataset.LinearConfig{Rows: 60, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	p := standardisedProblem(t, &study.Problem{Name: "chain", Train: s.Train, Truth: g})
	cfg := underEqVar()
	cfg.Seed, cfg.Engine = 7,
		&stein.SVGD{Particles: 6, Samples: 16, Steps: 60, AlphaRate: 0.5, StepSize: 0.03}
	single := judgeOrders(t, "single order", p, cfg)
	cfg.Order.Count = 20
	mixed := judgeOrders(t, "20 orders", p, cfg)
	lessSure(t, single, mixed)
	if mixed.orders < 5 {
		t.Errorf("%d orders of standardised data, want at least 5", mixed.orders)
	}
}
