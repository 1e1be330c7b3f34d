package models_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"tobac/autograd"
	"tobac/dag"
	"tobac/dataset"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// naiveBGe is the score of one variable from the formula, with determinants of
// submatrices: the hard version.
func naiveBGe(x, mask *mat.Dense, parents []int, j int, alphaMu, alphaLambda float64) float64 {
	n, d := x.Dims()
	var rows []int
	for r := range n {
		if mask == nil || mask.At(r, j) == 0 {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return 0
	}
	count := float64(len(rows))
	mean := make([]float64, d)
	for _, r := range rows {
		floats.AddScaled(mean, 1/count, x.RawRowView(r))
	}
	t := alphaMu * (alphaLambda - float64(d) - 1) / (alphaMu + 1)
	post := mat.NewDense(d, d, nil)
	for a := range d {
		for b := range d {
			v := count * alphaMu / (count + alphaMu) * mean[a] * mean[b]
			for _, r := range rows {
				v += (x.At(r, a) - mean[a]) * (x.At(r, b) - mean[b])
			}
			if a == b {
				v += t
			}
			post.Set(a, b, v)
		}
	}
	logDet := func(set []int) float64 {
		if len(set) == 0 {
			return 0
		}
		sub := mat.NewDense(len(set), len(set), nil)
		for a, i := range set {
			for b, k := range set {
				sub.Set(a, b, post.At(i, k))
			}
		}
		v, _ := mat.LogDet(sub)
		return v
	}
	lgamma := func(v float64) float64 { g, _ := math.Lgamma(v); return g }
	free, p := alphaLambda-float64(d), float64(len(parents))
	return 0.5*math.Log(alphaMu/(count+alphaMu)) +
		lgamma((count+free+p+1)/2) - lgamma((free+p+1)/2) - count/2*math.Log(math.Pi) +
		(free+2*p+1)/2*math.Log(t) + (count+free+p)/2*logDet(parents) -
		(count+free+p+1)/2*logDet(append([]int{j}, parents...))
}

// bgeTerms evaluates the score of every variable at an adjacency.
func bgeTerms(t *testing.T, lik models.Likelihood, g []float64) []float64 {
	t.Helper()
	d := lik.Vars()
	b := autograd.NewBuilder("bge")
	gn := b.Input("g", autograd.Shape{d, d})
	prior, data := lik.Terms(gn, nil)
	out := evaluate(t, []*autograd.Node{gn}, [][]float64{g}, prior, data)
	if floats.Norm(out[0], 1) != 0 {
		t.Errorf("a model without parameters has the log prior %v", out[0])
	}
	return out[1]
}

func newBGe(t *testing.T, x, mask mat.Matrix, opt models.BGeOptions) models.Likelihood {
	t.Helper()
	lik, err := models.NewBGe(x, mask, opt)
	if err != nil {
		t.Fatal(err)
	}
	return lik
}

// TestBGeTerms compares every variable's score with the formula on all graphs on
// four variables of one order and, cycles included, on some without an order;
// with and without interventions, one variable being left without rows.
func TestBGeTerms(t *testing.T) {
	const n, d = 11, 4
	rng := newRand(81)
	x := mat.NewDense(n, d, normals(rng, n*d))
	for _, masked := range []bool{false, true} {
		for _, opt := range []models.BGeOptions{{}, {AlphaMu: 0.3, AlphaLambda: 9.5}} {
			t.Run(fmt.Sprintf("masked=%t/alpha=%v", masked, opt.AlphaMu), func(t *testing.T) {
				var mask *mat.Dense
				var m mat.Matrix
				if masked {
					mask = maskGroups(n, d)
					m = mask
				}
				lik := newBGe(t, x, m, opt)
				alphaMu, alphaLambda := opt.AlphaMu, opt.AlphaLambda
				if alphaMu == 0 {
					alphaMu, alphaLambda = 1, d+2
				}
				all := allGraphs(d)
				for range 20 {
					g := make([]float64, d*d)
					for e := range g {
						if e/d != e%d {
							g[e] = math.Round(rng.Float64())
						}
					}
					all = append(all, g...)
				}
				for ; len(all) > 0; all = all[d*d:] {
					g := all[:d*d]
					want := make([]float64, d)
					for j := range d {
						var parents []int
						for i := range d {
							if g[i*d+j] == 1 {
								parents = append(parents, i)
							}
						}
						want[j] = naiveBGe(x, mask, parents, j, alphaMu, alphaLambda)
					}
					check(t, fmt.Sprint(g), bgeTerms(t, lik, g), want, 1e-12)
				}
			})
		}
	}
}

// TestBGeSmallVectors checks the numbers of tobac.md, section 12.6, to their
// printed digits.
func TestBGeSmallVectors(t *testing.T) {
	v := newSmallVectors()
	lik := newBGe(t, v.x, nil, models.BGeOptions{AlphaMu: 1, AlphaLambda: 5})
	adjacency := func(edges ...[2]int) []float64 {
		g := make([]float64, 9)
		for _, e := range edges {
			g[e[0]*3+e[1]] = 1
		}
		return g
	}
	check(t, "empty graph", bgeTerms(t, lik, adjacency()),
		[]float64{-3.605355752, -3.124426021, -6.111526823}, 1e-10)
	collider := bgeTerms(t, lik, adjacency([2]int{0, 1}, [2]int{2, 1}))
	check(t, "{0→1, 2→1}", []float64{collider[1], floats.Sum(collider)},
		[]float64{-2.366909981, -12.083792556}, 1e-10)
	for _, e := range [][2]int{{0, 1}, {1, 0}} {
		check(t, fmt.Sprint(e), []float64{floats.Sum(bgeTerms(t, lik, adjacency(e)))},
			[]float64{-13.471431979}, 1e-10)
	}
}

// TestBGeScoreEquivalence is the score's law: graphs with the same completed
// partially directed graph have the same total, and others do not.
func TestBGeScoreEquivalence(t *testing.T) {
	const n, d = 9, 4
	lik := newBGe(t, mat.NewDense(n, d, normals(newRand(82), n*d)), nil, models.BGeOptions{})
	totals := map[string]float64{}
	order := []int{2, 0, 3, 1}
	for all := allGraphs(d); len(all) > 0; all = all[d*d:] {
		for _, relabelled := range []bool{false, true} {
			g := dag.FromMatrix(mat.NewDense(d, d, all[:d*d]))
			if relabelled {
				g = g.Relabel(order)
			}
			total := floats.Sum(bgeTerms(t, lik, g.Matrix().RawMatrix().Data))
			pattern, err := g.CPDAG()
			if err != nil {
				t.Fatal(err)
			}
			class := fmt.Sprint(pattern.Edges())
			if want, ok := totals[class]; ok && !(math.Abs(total-want) <= 1e-11*math.Abs(want)) {
				t.Errorf("%v: score %v, an equivalent graph has %v", g.Edges(), total, want)
			}
			totals[class] = total
		}
	}
	seen := map[float64]string{}
	for class, total := range totals {
		key := math.Round(total * 1e9)
		if other, ok := seen[key]; ok {
			t.Errorf("classes %s and %s have the same score %v", class, other, total)
		}
		seen[key] = class
	}
	if len(totals) < 60 {
		t.Errorf("compared %d equivalence classes, want at least 60", len(totals))
	}
}

// TestBGeGradients compares the derivatives with differences, at hard and soft
// graphs, on and off an order, with interventions and without.
func TestBGeGradients(t *testing.T) {
	const n, d = 11, 5
	rng := newRand(83)
	x := mat.NewDense(n, d, normals(rng, n*d))
	for _, mask := range []mat.Matrix{nil, maskGroups(n, d)} {
		lik := newBGe(t, x, mask, models.BGeOptions{})
		for _, tg := range graphs(rng, d) {
			for i := range d {
				tg.g[i*d+i] = 0 // no variable is its own parent
			}
			if err := gradientsOf(t, lik, tg.g, nil, normals(rng, d)); err != nil {
				t.Errorf("mask %v, %s: %v", mask != nil, tg.kind, err)
			}
		}
	}
}

// TestBGeSachs checks the values of baselines.md, section 18: the flow cytometry
// data, standardised with divisor n−1. Each number is printed to 10 decimals.
func TestBGeSachs(t *testing.T) {
	raw, truth, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	z, err := raw.Standardize()
	if err != nil {
		t.Fatal(err)
	}
	n, d := z.X.Dims()
	var x mat.Dense
	x.Scale(math.Sqrt(float64(n-1)/float64(n)), z.X) // from divisor n to n−1
	lik := newBGe(t, &x, nil, models.BGeOptions{})
	for _, row := range []struct {
		child   int
		parents []int
		want    float64
	}{
		{0, nil, -1217.5450346159},
		{1, []int{0}, -797.8000246894},
		{1, []int{0, 7, 8}, -805.8909598180},
		{7, []int{8}, -1221.8554677434},
		{5, []int{1, 7}, -1156.4446752430},
	} {
		g := make([]float64, d*d)
		for _, i := range row.parents {
			g[i*d+row.child] = 1
		}
		check(t, fmt.Sprintf("local(%d|%v)", row.child, row.parents),
			bgeTerms(t, lik, g)[row.child:][:1], []float64{row.want}, 1e-13)
	}
	_, data, err := models.LogJoint(lik, []*dag.Graph{dag.New(d), truth}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "empty and true graph", data, []float64{-13392.9953807751, -10768.6606926168}, 1e-13)
}

// TestBGeExactPosterior lists all DAGs on up to five variables of the same data
// (first 100 rows of the table above) and compares with baselines.md, section
// 18: log evidence, expected number of edges, edge marginals. Scores split over
// variables, so the 29,281 graphs need 80 of them.
func TestBGeExactPosterior(t *testing.T) {
	raw, _, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	z, err := raw.Standardize()
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := z.X.Dims()
	scale := math.Sqrt(float64(rows-1) / float64(rows))
	for _, row := range []struct {
		vars, dags       int
		logZ, edges      float64
		empty            float64
		marginals        map[[2]int]float64
		fair, asReleased float64 // log Z under the priors −ln C(d−1,p) and −ln C(d,p)
	}{
		{3, 25, -412.7736307496, 1.2113364405, -454.7469657553, map[[2]int]float64{
			{0, 1}: .49989311, {1, 0}: .50010689, {0, 2}: .05578731, {2, 0}: .04846843,
			{1, 2}: .05730668, {2, 1}: .04977402,
		}, -413.5088924314, -413.9894294335},
		{4, 543, -548.1944497014, 1.6914735682, -590.7310691888, map[[2]int]float64{
			{0, 1}: .49649392, {2, 3}: .16167212, {3, 2}: .16104655, {3, 0}: .05882205,
		}, -549.7068594792, -550.0995437184},
		{5, 29281, -623.7057193120, 3.2203655777, -681.1671650201, map[[2]int]float64{
			{0, 1}: .49421781, {3, 4}: .46866252, {4, 3}: .53133654, {4, 2}: .28014528,
			{2, 4}: .18226333,
		}, -627.3803160892, -627.9708987746},
	} {
		t.Run(fmt.Sprintf("d=%d", row.vars), func(t *testing.T) {
			d := row.vars
			var x mat.Dense
			x.Scale(scale, z.X.Slice(0, 100, 0, d))
			lik := newBGe(t, &x, nil, models.BGeOptions{})
			local := localScores(t, lik)
			all := allDAGs(d)
			if len(all) != row.dags {
				t.Fatalf("listed %d graphs, want %d", len(all), row.dags)
			}
			total := make([]float64, len(all))
			fair, released := make([]float64, len(all)), make([]float64, len(all))
			for m, parents := range all {
				for j, set := range parents {
					p := bits.OnesCount(uint(set))
					total[m] += local[j][set]
					fair[m] += local[j][set] - math.Log(choose(d-1, p))
					released[m] += local[j][set] - math.Log(choose(d, p))
				}
			}
			logZ := floats.LogSumExp(total)
			check(t, "log Z", []float64{logZ, floats.LogSumExp(fair), floats.LogSumExp(released)},
				[]float64{row.logZ, row.fair, row.asReleased}, 1e-12)
			empty := 0.0
			for j := range d {
				empty += local[j][0]
			}
			check(t, "empty graph", []float64{empty}, []float64{row.empty}, 1e-12)
			edges, marginal := 0.0, mat.NewDense(d, d, nil)
			for m, parents := range all {
				w := math.Exp(total[m] - logZ)
				for j, set := range parents {
					edges += w * float64(bits.OnesCount(uint(set)))
					for i := range d {
						marginal.Set(i, j, marginal.At(i, j)+w*float64(set>>i&1))
					}
				}
			}
			check(t, "expected edges", []float64{edges}, []float64{row.edges}, 1e-9)
			for e, want := range row.marginals {
				check(t, fmt.Sprintf("marginal of %v", e), []float64{marginal.At(e[0], e[1])},
					[]float64{want}, 1e-8)
			}
		})
	}
}

// localScores are score_j for every set of parents, as bits.
func localScores(t *testing.T, lik models.Likelihood) [][]float64 {
	t.Helper()
	d := lik.Vars()
	sets := 1 << d
	b := autograd.NewBuilder("local")
	set := b.Axis("set", sets)
	g := b.Input("g", autograd.Shape{d, d}, set)
	_, data := lik.Terms(g, nil)
	run, err := autograd.NewEvaluator([]*autograd.Node{g}, []*autograd.Node{data},
		autograd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	// Every variable gets the same parents, itself left out.
	at, out := make([]float64, sets*d*d), make([]float64, sets*d)
	for s := range sets {
		for i := range d {
			for j := range d {
				if i != j {
					at[(s*d+i)*d+j] = float64(s >> i & 1)
				}
			}
		}
	}
	if err := run.Eval([][]float64{out}, []autograd.Feed{{Data: at}}); err != nil {
		t.Fatal(err)
	}
	local := make([][]float64, d)
	for j := range d {
		for s := range sets {
			local[j] = append(local[j], out[s*d+j])
		}
	}
	return local
}

// allDAGs lists the acyclic graphs on d variables as sets of parents, as bits.
func allDAGs(d int) [][]int {
	var all [][]int
	parents := make([]int, d)
	var extend func(j int)
	extend = func(j int) {
		if j == d {
			placed := 0
			for again := true; again; {
				again = false
				for v, set := range parents {
					if placed>>v&1 == 0 && set&^placed == 0 {
						placed |= 1 << v
						again = true
					}
				}
			}
			if placed == 1<<d-1 {
				all = append(all, append([]int(nil), parents...))
			}
			return
		}
		for set := range 1 << d {
			if set>>j&1 == 0 {
				parents[j] = set
				extend(j + 1)
			}
		}
	}
	extend(0)
	return all
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return c
}

func TestBGeErrors(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for _, tt := range []struct {
		name    string
		x, mask mat.Matrix
		opt     models.BGeOptions
		want    string
	}{
		{"no data", &mat.Dense{}, nil, models.BGeOptions{},
			"models: BGe: got 0 rows of 0 variables, want at least one of each"},
		{"alpha mu", x, nil, models.BGeOptions{AlphaMu: -1}, "models: BGe: alpha mu -1 and alpha " +
			"lambda 4 on 2 variables, want alpha mu > 0 and alpha lambda > 3"},
		{"alpha lambda", x, nil, models.BGeOptions{AlphaLambda: 3}, "models: BGe: alpha mu 1 and " +
			"alpha lambda 3 on 2 variables, want alpha mu > 0 and alpha lambda > 3"},
		{"alpha lambda infinite", x, nil, models.BGeOptions{AlphaLambda: math.Inf(1)},
			"models: BGe: alpha mu 1 and alpha lambda +Inf on 2 variables, want alpha mu > 0 and " +
				"alpha lambda > 3"},
		{"not a number", mat.NewDense(1, 2, []float64{1, math.Inf(-1)}), nil, models.BGeOptions{},
			"models: data row 1, column 2 is -Inf, want a finite number"},
		{"mask size", x, mat.NewDense(1, 2, nil), models.BGeOptions{},
			"models: mask of interventions is 1×2, want 2×2 as the data"},
		{"mask value", x, mat.NewDense(2, 2, []float64{0, 0, 2, 0}), models.BGeOptions{},
			"models: mask of interventions in row 2, column 1 is 2, want 0 or 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := models.NewBGe(tt.x, tt.mask, tt.opt)
			checkError(t, "NewBGe", err, tt.want)
		})
	}
}
