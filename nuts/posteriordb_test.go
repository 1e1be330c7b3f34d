package nuts_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"tobac/autograd"
	"tobac/chain"
	"tobac/density"
	"tobac/diagnostics"
	"tobac/gaussian"
	"tobac/nuts"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

var (
	long  = flag.Bool("long", false, "compare all posteriors with long runs, in minutes")
	count = flag.Int("draws", 5000, "of each of four chains, with -long")
	from  = flag.String(
		"posteriordb",
		"testdata/posteriordb",
		"folder of posteriors; diamonds-diamonds, with 2 MB of data, is only in others than the default",
	)
)

// A posterior of posteriordb.
type posterior struct {
	name  string
	model func(t *density.Trace)
	// skip are parameters whose moments are not compared: with the reason.
	skip map[string]string
	// short runs without -long.
	short bool
	// modes has others by far less probable, in which chains with other starts stay.
	modes bool
}

// linear is b₀ + b₁x₁ + b₂x₂ + …
func linear(b *autograd.Node, x ...*autograd.Node) *autograd.Node {
	sum := b.Index(0, 0)
	for i, column := range x {
		sum = sum.Add(b.Index(0, i+1).Mul(column))
	}
	return sum
}

// all declares vectors of data.
func all(t *density.Trace, n int, names ...string) []*autograd.Node {
	var out []*autograd.Node
	for _, name := range names {
		out = append(out, t.Data(name, n))
	}
	return out
}

// rungeKutta goes a number of steps of length h along dx/dt = f(t, x) for a vector x.
func rungeKutta(
	x *autograd.Node,
	from, h float64,
	steps int,
	f func(t float64, x *autograd.Node) *autograd.Node,
) *autograd.Node {
	for i := range steps {
		t := from + float64(i)*h
		k1 := f(t, x)
		k2 := f(t+h/2, x.Add(k1.Scale(h/2)))
		k3 := f(t+h/2, x.Add(k2.Scale(h/2)))
		k4 := f(t+h, x.Add(k3.Scale(h)))
		x = x.Add(k1.Add(k2.Scale(2)).Add(k3.Scale(2)).Add(k4).Scale(h / 6))
	}
	return x
}

var posteriors = []posterior{
	{name: "arK-arK", model: func(t *density.Trace) {
		y := t.Data("y", 200)
		alpha, beta := t.Sample("alpha", density.Normal(0, 10)), t.Sample(
			"beta",
			density.Normal(0, 10),
			5,
		)
		sigma := t.Sample("sigma", density.HalfCauchy(2.5))
		mu := alpha
		for k := range 5 {
			mu = mu.Add(beta.Index(0, k).Mul(y.Slice(0, 4-k, 199-k)))
		}
		t.Observe(density.Normal(mu, sigma), y.Slice(0, 5, 200))
	}},
	{name: "arma-arma11", modes: true, model: func(t *density.Trace) {
		y := t.Data("y", 200)
		mu, phi := t.Sample("mu", density.Normal(0, 10)), t.Sample("phi", density.Normal(0, 2))
		theta, sigma := t.Sample("theta", density.Normal(0, 2)), t.Sample(
			"sigma",
			density.HalfCauchy(2.5),
		)
		first := y.Index(0, 0).Sub(mu.Add(phi.Mul(mu)))
		from, to := y.Slice(0, 0, 199), y.Slice(0, 1, 200)
		plain := to.Sub(mu).Sub(phi.Mul(from))
		_, rest := autograd.Scan(199, []*autograd.Node{first}, []*autograd.Node{plain},
			func(_ int, e, x []*autograd.Node) (next, y []*autograd.Node) {
				now := x[0].Sub(theta.Mul(e[0]))
				return []*autograd.Node{now}, []*autograd.Node{now}
			})
		t.Observe(density.Normal(0, sigma), first)
		t.Observe(density.Normal(0, sigma), rest[0])
	}},
	{name: "diamonds-diamonds", model: func(t *density.Trace) {
		y, x := t.Data("Y", 5000), t.Data("X", 5000, 25).Slice(1, 1, 25)
		b := t.Sample("b", density.Normal(0, 1), 24)
		intercept := t.Sample("Intercept", density.StudentsT(8, 10, 3))
		sigma := t.Sample("sigma", density.HalfStudentsT(10, 3))
		t.Observe(density.Normal(x.Sub(x.Mean(0)).MatVec(b).Add(intercept), sigma), y)
	}},
	{name: "earnings-logearn_interaction", model: func(t *density.Trace) {
		d := all(t, 1192, "earn", "height", "male")
		beta, sigma := t.Parameter("beta", density.Real(), 4), t.Parameter(
			"sigma",
			density.Positive(),
		)
		t.Observe(density.Normal(linear(beta, d[1], d[2], d[1].Mul(d[2])), sigma), d[0].Log())
	}},
	{name: "eight_schools-eight_schools_noncentered", short: true, model: func(t *density.Trace) {
		y, sigma := t.Data("y", 8), t.Data("sigma", 8)
		z := t.Sample("t", density.Normal(0, 1), 8)
		mu, tau := t.Sample("mu", density.Normal(0, 5)), t.Sample("tau", density.HalfCauchy(5))
		theta := mu.Add(tau.Mul(z))
		t.Record("theta", theta)
		t.Observe(density.Normal(theta, sigma), y)
	}},
	{name: "garch-garch11", model: func(t *density.Trace) {
		y, start := t.Data("y", 200), t.Data("sigma1")
		mu, alpha0 := t.Parameter("mu", density.Real()), t.Parameter("alpha0", density.Positive())
		alpha1 := t.Parameter("alpha1", density.Bounded(0, 1))
		beta1 := t.Parameter("beta1", density.Bounded(0, alpha1.SubFrom(1)))
		fresh := alpha0.Add(alpha1.Mul(y.Slice(0, 0, 199).Sub(mu).Square()))
		_, v := autograd.Scan(199, []*autograd.Node{start.Square()}, []*autograd.Node{fresh},
			func(_ int, v, x []*autograd.Node) (next, y []*autograd.Node) {
				now := x[0].Add(beta1.Mul(v[0]))
				return []*autograd.Node{now}, []*autograd.Node{now}
			})
		t.Observe(density.Normal(mu, start), y.Index(0, 0))
		t.Observe(density.Normal(mu, v[0].Sqrt()), y.Slice(0, 1, 200))
	}},
	{name: "gp_pois_regr-gp_pois_regr", model: func(t *density.Trace) {
		rho, alpha := t.Sample("rho", density.Gamma(25, 4)), t.Sample(
			"alpha",
			density.HalfNormal(2),
		)
		f := density.SquaredExponential(t.Data("x", 11), alpha, rho, 1e-10).
			Cholesky().
			MatVec(t.Sample("g", density.Normal(0, 1), 11))
		t.Record("f", f)
		t.Observe(density.PoissonLog(f), t.Data("k", 11))
	}},
	{name: "gp_pois_regr-gp_regr", short: true, model: func(t *density.Trace) {
		rho, alpha := t.Sample("rho", density.Gamma(25, 4)), t.Sample(
			"alpha",
			density.HalfNormal(2),
		)
		sigma := t.Sample("sigma", density.HalfNormal(1))
		t.Observe(
			density.MultivariateNormal(
				0,
				density.SquaredExponential(t.Data("x", 11), alpha, rho, sigma),
			),
			t.Data("y", 11),
		)
	}},
	{name: "hmm_example-hmm_example", model: func(t *density.Trace) {
		y := t.Data("y", 100)
		theta := autograd.Concat(
			0,
			t.Parameter("theta1", density.Simplex(), 2),
			t.Parameter("theta2", density.Simplex(), 2),
		)
		mu := t.Parameter("mu", density.PositiveOrdered(), 2)
		t.Observe(density.Normal(t.Constant([]float64{3, 10}, 2), 1), mu)
		logs := density.Normal(mu, 1).LogProb(y.Reshape(autograd.Shape{100, 1}))
		step := theta.Log().Reshape(autograd.Shape{2, 2})
		last, _ := autograd.Scan(
			99,
			[]*autograd.Node{logs.Index(0, 0)},
			[]*autograd.Node{logs.Slice(0, 1, 100)},
			func(_ int, a, x []*autograd.Node) (next, y []*autograd.Node) {
				return []*autograd.Node{
					a[0].Reshape(autograd.Shape{2, 1}).Add(step).LogSumExp(0).Add(x[0]),
				}, nil
			},
		)
		t.Add(last[0].LogSumExp())
	}},
	{name: "hudson_lynx_hare-lotka_volterra", model: func(t *density.Trace) {
		theta := t.Sample(
			"theta",
			density.Truncated(density.Normal(t.Constant([]float64{1, .05, 1, .05}, 4),
				t.Constant([]float64{.5, .05, .5, .05}, 4)), 0, math.Inf(1)),
			4,
		)
		start := t.Sample("z_init", density.LogNormal(math.Log(10), 1), 2)
		sigma := t.Sample("sigma", density.LogNormal(-1, 1), 2)
		rate := func(_ float64, z *autograd.Node) *autograd.Node {
			u, v := z.Index(0, 0), z.Index(0, 1)
			return autograd.Vector(theta.Index(0, 0).Sub(theta.Index(0, 1).Mul(v)).Mul(u),
				theta.Index(0, 3).Mul(u).Sub(theta.Index(0, 2)).Mul(v))
		}
		t.Observe(density.LogNormal(start.Log(), sigma), t.Data("y_init", 2))
		_, z := autograd.Scan(
			20,
			[]*autograd.Node{start},
			nil,
			func(i int, z, _ []*autograd.Node) (next, y []*autograd.Node) {
				now := rungeKutta(z[0], 0, 0.125, 8, rate)
				return []*autograd.Node{now}, []*autograd.Node{now}
			},
		)
		t.Observe(density.LogNormal(z[0].Log(), sigma), t.Data("y", 20, 2))
	}},
	{name: "kidiq-kidscore_momhsiq", model: func(t *density.Trace) {
		d := all(t, 434, "kid_score", "mom_hs", "mom_iq")
		beta, sigma := t.Parameter("beta", density.Real(), 3), t.Sample(
			"sigma",
			density.HalfCauchy(2.5),
		)
		t.Observe(density.Normal(linear(beta, d[1], d[2]), sigma), d[0])
	}},
	{name: "kilpisjarvi_mod-kilpisjarvi", model: func(t *density.Trace) {
		x, y := t.Data("x", 62), t.Data("y", 62)
		alpha := t.Sample("alpha", density.Normal(t.Data("pmualpha"), t.Data("psalpha")))
		beta := t.Sample("beta", density.Normal(t.Data("pmubeta"), t.Data("psbeta")))
		t.Observe(
			density.Normal(alpha.Add(beta.Mul(x)), t.Parameter("sigma", density.Positive())),
			y,
		)
	}},
	{name: "low_dim_gauss_mix-low_dim_gauss_mix", model: func(t *density.Trace) {
		mu, sigma := t.Sample("mu", density.Normal(0, 2).Ordered(), 2), t.Sample(
			"sigma",
			density.HalfNormal(2),
			2,
		)
		theta := t.Sample("theta", density.Beta(5, 5))
		t.Observe(
			density.Mixture(
				autograd.Vector(theta, theta.SubFrom(1)),
				density.Normal(mu.Index(0, 0), sigma.Index(0, 0)),
				density.Normal(mu.Index(0, 1), sigma.Index(0, 1)),
			),
			t.Data("y", 1000),
		)
	}},
	{name: "mesquite-logmesquite_logvas", model: func(t *density.Trace) {
		d := all(
			t,
			46,
			"weight",
			"diam1",
			"diam2",
			"canopy_height",
			"total_height",
			"density",
			"group",
		)
		beta, sigma := t.Parameter("beta", density.Real(), 7), t.Parameter(
			"sigma",
			density.Positive(),
		)
		a, b := d[1].Log(), d[2].Log()
		t.Observe(
			density.Normal(
				linear(
					beta,
					a.Add(b).Add(d[3].Log()),
					a.Add(b),
					a.Sub(b),
					d[4].Log(),
					d[5].Log(),
					d[6],
				),
				sigma,
			),
			d[0].Log(),
		)
	}},
	{name: "nes1972-nes", model: func(t *density.Trace) {
		d := all(t, 1330, "partyid7", "real_ideo", "race_adj", "educ1", "gender", "income")
		ages := t.Data("age_discrete", 1330)
		is := func(k float64) *autograd.Node { return ages.Equal(t.Constant([]float64{k})) }
		beta, sigma := t.Parameter("beta", density.Real(), 9), t.Parameter(
			"sigma",
			density.Positive(),
		)
		t.Observe(
			density.Normal(linear(beta, d[1], d[2], is(2), is(3), is(4), d[3], d[4], d[5]), sigma),
			d[0],
		)
	}},
	{name: "one_comp_mm_elim_abs-one_comp_mm_elim_abs",
		skip: map[string]string{
			"K_m": "its tail is so long that the standard deviation is 3 times the mean; quantiles are compared",
			"V_m": "grows with K_m",
		},
		model: func(t *density.Trace) {
			ka, km := t.Sample("k_a", density.HalfCauchy(1)), t.Sample("K_m", density.HalfCauchy(1))
			vm, sigma := t.Sample("V_m", density.HalfCauchy(1)), t.Sample(
				"sigma",
				density.HalfCauchy(1),
			)
			dose, volume := t.Data("D"), t.Data("V")
			rate := func(at float64, c *autograd.Node) *autograd.Node {
				return dose.Mul(ka).
					Div(volume).
					Mul(ka.Scale(-at).Exp()).
					Sub(vm.Div(volume).Mul(c).Div(km.Add(c)))
			}
			_, c := autograd.Scan(20, []*autograd.Node{t.Constant([]float64{0})}, nil,
				func(i int, c, _ []*autograd.Node) (next, y []*autograd.Node) {
					now := rungeKutta(c[0], 0.5*float64(i), 0.05, 10, rate)
					return []*autograd.Node{now}, []*autograd.Node{now}
				})
			t.Observe(density.LogNormal(c[0].Log(), sigma), t.Data("C_hat", 20))
		}},
	{name: "sblrc-blr", model: func(t *density.Trace) {
		x, y := t.Data("X", 100, 5), t.Data("y", 100)
		beta, sigma := t.Sample("beta", density.Normal(0, 10), 5), t.Sample(
			"sigma",
			density.HalfNormal(10),
		)
		t.Observe(density.Normal(x.MatVec(beta), sigma), y)
	}},
}

type reference struct {
	Parameters         []string
	Mean, SD, Q05, Q50 []float64
	Q95                []float64
	MeanError          []float64 `json:"mcse_mean"`
}

func load(t testing.TB, name, file string, v any) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(*from, name, file))
	if os.IsNotExist(err) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
	return true
}

// numbers are those of a JSON value, row by row.
func numbers(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var out []float64
		for _, e := range v {
			out = append(out, numbers(e)...)
		}
		return out
	}
	return nil
}

// compile makes the model with those of the data that it has.
func (p posterior) compile(t testing.TB, points int) *density.Model {
	t.Helper()
	var data map[string]any
	if !load(t, p.name, "data.json", &data) {
		t.Skip("no data; -posteriordb names the folder that has them")
	}
	given := map[string][]float64{}
	for name, v := range data {
		given[name] = numbers(v)
	}
	m, err := density.New(p.model, density.Options{Points: points, Data: given})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

var index = regexp.MustCompile(`\d+`)

// oneBased is the name of posteriordb for theta[0].
func oneBased(name string) string {
	at := regexp.MustCompile(`\[.*\]`)
	return at.ReplaceAllStringFunc(name, func(s string) string {
		return index.ReplaceAllStringFunc(s, func(d string) string {
			n, _ := strconv.Atoi(d)
			return strconv.Itoa(n + 1)
		})
	})
}

// Posteriors of posteriordb, whose reference draws are 10⁴ nearly independent ones: means differ by
// less than 3 standard errors of the difference with -long (4.5 in the short runs, whose
// errors are estimated from few draws), standard deviations by less than 5 % (30 %).
func TestPosteriors(t *testing.T) {
	draws, errors, ratio := 500, 4.5, 0.3
	if *long {
		draws, errors, ratio = *count, 3, 0.05
	}
	for _, p := range posteriors {
		if !p.short && !*long {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			var want reference
			m := p.compile(t, 4)
			load(t, p.name, "reference.json", &want)
			leaps, divergent, begin := 0, 0, time.Now()
			sampler := nuts.Sampler{Target: m, Seed: 3, Acceptance: 0.9}
			if p.modes {
				paths, err := gaussian.Pathfinder{Target: m, Paths: 8}.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				sampler.Start = paths.Draws(4, 1)
			}
			x, err := sampler.Run(
				t.Context(),
				draws,
				func(_ int, c *chain.Chain) {
					leaps += c.Leaps
					if c.Divergent {
						divergent++
					}
				},
			)
			if err != nil {
				t.Fatal(err)
			}
			seconds := time.Since(begin).Seconds()
			values, err := m.Draws(x)
			if err != nil {
				t.Fatal(err)
			}
			p.compare(t, m.Names(), values, want, errors, ratio)
			t.Logf("%.1f s, %d gradients of draws, %d divergences", seconds, leaps, divergent)
		})
	}
}

func (p posterior) compare(
	t *testing.T,
	names []string,
	values []*mat.Dense,
	want reference,
	errors, ratio float64,
) {
	t.Helper()
	compared := 0
	for i, name := range names {
		for j, parameter := range want.Parameters {
			if parameter != oneBased(name) {
				continue
			}
			compared++
			var chains [][]float64
			for _, v := range values {
				chains = append(chains, mat.Col(nil, i, v))
			}
			all := column(values, i)
			if _, skipped := p.skip[parameter]; skipped {
				for q, reference := range map[float64]float64{0.05: want.Q05[j], 0.5: want.Q50[j], 0.95: want.Q95[j]} {
					below := 0.0
					for _, v := range all {
						if v <= reference {
							below++
						}
					}
					n := math.Min(diagnostics.QuantileSize(chains, q), 1e4)
					if share := below / float64(len(all)); math.Abs(
						share-q,
					) > errors*math.Sqrt(2*q*(1-q)/n) {
						t.Errorf(
							"%s: %v of the draws are below the quantile %v",
							parameter,
							share,
							q,
						)
					}
				}
				continue
			}
			mean, sd := stat.MeanStdDev(all, nil)
			se := math.Hypot(diagnostics.MeanError(chains), want.MeanError[j])
			if !(math.Abs(mean-want.Mean[j]) < errors*se) || !(math.Abs(sd/want.SD[j]-1) < ratio) {
				t.Errorf(
					"%s %.5g ± %.4g, want %.5g ± %.4g (%.1f standard errors of %.2g)",
					parameter,
					mean,
					sd,
					want.Mean[j],
					want.SD[j],
					(mean-want.Mean[j])/se,
					se,
				)
			}
		}
	}
	if compared != len(want.Parameters) {
		t.Errorf("compared %d of %d parameters", compared, len(want.Parameters))
	}
}
