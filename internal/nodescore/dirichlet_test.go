package nodescore_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/scoring"
	"tobac/score"
)

// levelled draws a table of levels whose columns depend on each other, with some values set.
func levelled(n int, levels []int, seed uint64) (x, set *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := len(levels)
	x, set = mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j, r := range levels {
			v := rng.IntN(r)
			if j > 0 && rng.Float64() < 0.7 {
				v = int(x.At(i, j-1)) % r
			}
			x.Set(i, j, float64(v))
			if rng.Float64() < 0.1 {
				set.Set(i, j, 1)
			}
		}
	}
	return x, set
}

// dirichlet is the definition, over all cells of the table.
func dirichlet(x, set *mat.Dense, levels []int, j int, parents []int, alpha float64,
	p nodescore.PseudoCounts) float64 {
	n, _ := x.Dims()
	cells, q := map[string][]float64{}, 1.0
	for _, i := range parents {
		q *= float64(levels[i])
	}
	for i := range n {
		if set != nil && set.At(i, j) == 1 {
			continue
		}
		key := ""
		for _, k := range parents {
			key += fmt.Sprint(x.At(i, k), " ")
		}
		if cells[key] == nil {
			cells[key] = make([]float64, levels[j])
		}
		cells[key][int(x.At(i, j))]++
	}
	r := float64(levels[j])
	a := alpha / (q * r)
	switch p {
	case nodescore.BDs:
		a = alpha / (float64(len(cells)) * r)
	case nodescore.BDJ:
		a = 0.5
	}
	gamma := func(v float64) float64 { g, _ := math.Lgamma(v); return g }
	sum := 0.0
	for _, counts := range cells {
		all := 0.0
		for _, c := range counts {
			sum += gamma(a+c) - gamma(a)
			all += c
		}
		sum += gamma(a*r) - gamma(a*r+all)
	}
	return sum
}

// A Dirichlet is its definition for all pseudo-counts and sets of parents, with interventions and
// without, one set at a time and all at once.
func TestDirichlet(t *testing.T) {
	levels := []int{2, 3, 4, 2, 5}
	x, set := levelled(300, levels, 7)
	for _, marks := range []*mat.Dense{nil, set} {
		var m mat.Matrix
		if marks != nil {
			m = marks
		}
		for _, p := range []nodescore.PseudoCounts{nodescore.BDeu, nodescore.BDs, nodescore.BDJ} {
			s := must.Get(nodescore.NewDirichlet(x, m, levels,
				nodescore.DirichletOptions{Alpha: 3, PseudoCounts: p}))(t)
			if err := score.Check(context.Background(), s); err != nil {
				t.Error(err)
			}
			for j := range levels {
				var others []int
				for i := range levels {
					if i != j {
						others = append(others, i)
					}
				}
				dst := make([]float64, 16)
				s.LogScores(dst, j, others)
				for bits, got := range dst {
					parents := scoring.Subset(nil, others, bits)
					want := dirichlet(x, marks, levels, j, parents, 3, p)
					if math.Abs(got-want) > 1e-10*math.Abs(want) ||
						math.Abs(s.LogScore(j, parents)-want) > 1e-10*math.Abs(want) {
						t.Errorf("%v: variable %d given %v: got %v and %v, want %v", p, j, parents,
							got, s.LogScore(j, parents), want)
					}
				}
			}
		}
	}
}

// Scores beside given parents are those of both, as listed one by one.
func TestScoresGiven(t *testing.T) {
	levels := []int{2, 3, 4, 2, 3, 2}
	x, set := levelled(200, levels, 9)
	tables := must.Get(nodescore.NewDirichlet(x, set, levels,
		nodescore.DirichletOptions{MaxParents: 4}))(t)
	blocks :=
		must.Get(nodescore.NewBlocks(x, []int{1, 2, 1, 1, 1}, nil, nodescore.BlockOptions{}))(t)
	for _, s := range []nodescore.GivenScorer{tables, blocks} {
		dst := make([]float64, 4)
		for _, given := range [][]int{{1}, {3}, {1, 3}} {
			s.LogScoresGiven(dst, 0, []int{2, 4}, given)
			for bits, got := range dst {
				parents := append(scoring.Subset(nil, []int{2, 4}, bits), given...)
				slices.Sort(parents)
				if want := s.LogScore(0, parents); math.Abs(got-want) > 1e-9*math.Abs(want) {
					t.Errorf("%T: parents %v: got %v, want %v", s, parents, got, want)
				}
			}
		}
	}
}

// Local scores of pgmpy 1.1.2: pgmpy.structure_score.BDeu(table,
// equivalent_sample_size).local_score.
func TestBDeuGolden(t *testing.T) {
	levels := []int{2, 3, 4, 2}
	x := mat.NewDense(200, 4, nil)
	for i := range 200 {
		for j, r := range levels {
			x.Set(i, j, float64((i*i*(j+1)+i*(j+3)*(j+7))/5%r))
		}
	}
	for alpha, want := range map[float64][]float64{
		1:  {-102.95715345464565, -197.79052607137956, -292.94634936433613, -44.49553600711553},
		10: {-103.52789803513186, -196.85355358299515, -275.58845763999915, -46.80515467791769},
	} {
		s := must.Get(nodescore.NewDirichlet(x, nil, levels,
			nodescore.DirichletOptions{Alpha: alpha}))(t)
		for j, w := range want {
			parents := []int{0, 1, 2}[:j]
			if got := s.LogScore(j, parents); math.Abs(got-w) > 1e-10*math.Abs(w) {
				t.Errorf("alpha %v, variable %d given %v: got %v, want %v", alpha, j, parents, got,
					w)
			}
		}
	}
}

// BDeu gives X → Y and X ← Y, and all sequences of a complete graph, the same score.
func TestBDeuEquivalence(t *testing.T) {
	levels := []int{2, 3, 4}
	x, _ := levelled(200, levels, 3)
	s := must.Get(nodescore.NewDirichlet(x, nil, levels, nodescore.DirichletOptions{Alpha: 10}))(t)
	equivalent(t, s)
}

// equivalent checks the complete graphs of three variables and the pairs among them.
func equivalent(t *testing.T, s score.Scorer) {
	t.Helper()
	want := s.LogScore(0, nil) + s.LogScore(1, []int{0}) + s.LogScore(2, []int{0, 1})
	for _, got := range []float64{
		s.LogScore(2, nil) + s.LogScore(1, []int{2}) + s.LogScore(0, []int{1, 2}),
		s.LogScore(1, nil) + s.LogScore(2, []int{1}) + s.LogScore(0, []int{1, 2}),
		s.LogScore(1, nil) + s.LogScore(0, []int{1}) + s.LogScore(2, []int{0, 1}),
	} {
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("equivalent graphs have the scores %v and %v", got, want)
		}
	}
}

// Sets beyond the bound are impossible; values that are no levels are errors.
func TestDirichletBounds(t *testing.T) {
	x, _ := levelled(50, []int{2, 2, 2, 2}, 1)
	s := must.Get(nodescore.NewDirichlet(x, nil, []int{2, 2, 2, 2},
		nodescore.DirichletOptions{MaxParents: 2}))(t)
	dst := make([]float64, 8)
	s.LogScores(dst, 3, []int{0, 1, 2})
	if !math.IsInf(dst[7], -1) || !math.IsInf(s.LogScore(3, []int{0, 1, 2}), -1) ||
		math.IsInf(dst[3], -1) {
		t.Errorf("scores %v, want -Inf for three parents alone", dst)
	}
	for _, levels := range [][]int{{1, 2, 2, 2}, {2, 2, 2}} {
		if _, err := nodescore.NewDirichlet(x, nil, levels,
			nodescore.DirichletOptions{}); err == nil {
			t.Errorf("levels %v were accepted", levels)
		}
	}
}

// BDeu scores are those of pgmpy 1.1.2 with an equivalent sample size of 5, of tables of 150 rows
// that it drew from three networks of its repository (testdata/bdeu/README.md).
func TestBDeuOfPgmpy(t *testing.T) {
	for _, name := range []string{"asia", "insurance", "alarm"} {
		rows := readTable(t, name+".csv")
		n, d := len(rows)-1, len(rows[0])
		x, levels := mat.NewDense(n, d, nil), make([]int, d)
		for i, row := range rows[1:] {
			for j, text := range row {
				v := must.Get(strconv.Atoi(text))(t)
				x.Set(i, j, float64(v))
				levels[j] = max(levels[j], v+1)
			}
		}
		s := must.Get(nodescore.NewDirichlet(x, nil, levels,
			nodescore.DirichletOptions{Alpha: 5}))(t)
		for _, row := range readTable(t, name+".scores.csv")[1:] {
			j, _ := strconv.Atoi(row[0])
			var parents []int
			for _, text := range strings.Fields(row[1]) {
				i, _ := strconv.Atoi(text)
				parents = append(parents, i)
			}
			want := must.Get(strconv.ParseFloat(row[2], 64))(t)
			if got := s.LogScore(j, parents); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s: %s given %v has %v, want %v", name, rows[0][j], parents, got, want)
			}
		}
	}
}

func readTable(t *testing.T, name string) [][]string {
	t.Helper()
	f := must.Get(os.Open(filepath.Join("testdata", "bdeu", name)))(t)
	defer f.Close()
	return must.Get(csv.NewReader(f).ReadAll())(t)
}
