package tobac_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/autograd"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/models"
	"tobac/sem"
)

// mixedTable has an index, two columns of numbers of which one causes the other, two levels and
// three.
func mixedTable(gaps bool) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("id;x;y;sex;site\n")
	for i := range 80 {
		x := rng.NormFloat64()
		y := fmt.Sprintf("%.4f", 2*x+rng.NormFloat64())
		if gaps && i%9 == 4 {
			y = ""
		}
		fmt.Fprintf(&b, "%d;%.4f;%s;%s;%s\n", i+1, x, y, []string{"f", "m"}[rng.IntN(2)],
			[]string{"a", "b", "c"}[rng.IntN(3)])
	}
	return b.String()
}

// One call reads a table with an index, texts, categories and gaps.
func TestFitFile(t *testing.T) {
	cfg := tobac.Config{Seed: 3}
	for _, gaps := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "table.csv")
		must.Do(t, os.WriteFile(path, []byte(mixedTable(gaps)), 0o600))
		r := must.Get(tobac.FitFile(context.Background(), path, cfg))(t)
		if want := []string{"x", "y", "sex", "site"}; !slices.Equal(r.Names, want) ||
			r.Model != "mixed" && r.Model != "generalised" {
			t.Errorf("columns %q under %s, want %q under a model of all kinds", r.Names, r.Model,
				want)
		}
		if p := r.Probabilities; !(p.At(0, 1)+p.At(1, 0) > 0.95) || !(p.At(0, 3)+p.At(3, 0) < 0.5) {
			t.Errorf("adjacency of x and y %v, of x and site %v", p.At(0, 1)+p.At(1, 0),
				p.At(0, 3)+p.At(3, 0))
		}
		if (r.Imputation != nil) != gaps || len(r.Notes) == 0 {
			t.Errorf("gaps %v: imputation %v, notes %q", gaps, r.Imputation, r.Notes)
		}
	}
}

// A table of numbers is that of dataset.ReadFile, whose fit is the same.
func TestFitFileOfNumbers(t *testing.T) {
	path := filepath.Join("ordering", "testdata", "linear-d10-e20-run0", "train.csv")
	cfg := tobac.Config{Model: sem.Linear{}, Seed: 3}
	data := must.Get(dataset.ReadFile(path))(t)
	want := must.Get(tobac.Fit(context.Background(), data, cfg))(t)
	got := must.Get(tobac.FitFile(context.Background(), path, cfg))(t)
	if !mat.Equal(got.Probabilities, want.Probabilities) {
		t.Error("FitFile and Fit give other probabilities")
	}
}

// What is wrong with a file is said with its name.
func TestFitFileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "one.csv")
	must.Do(t, os.WriteFile(path, []byte("a\n1\n2\n3\n"), 0o600))
	for _, file := range []string{path, path + ".missing"} {
		if _, err := tobac.FitFile(context.Background(), file, tobac.Config{}); err == nil ||
			!strings.HasPrefix(err.Error(), "tobac: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", file, err)
		}
	}
}

// Completed tables may support different models: the equations of one that is given up are not
// drawn from. In these simulated data some tables support curves, others straight lines.
func TestFitFileOfModelsInDoubt(t *testing.T) {
	r := must.Get(tobac.FitFile(t.Context(), "testdata/limits.csv", tobac.Config{Seed: 1}))(t)
	m := r.Imputation
	if m.Limited != 32 || m.Supporting(r.Model) == m.Tables ||
		r.Posterior.Pair(0, 1).Adjacent < 0.9 {
		t.Errorf("%d limits, %d of %d tables support %s, lead and iq are adjacent with "+
			"probability %.2f", m.Limited, m.Supporting(r.Model), m.Tables, r.Model,
			r.Posterior.Pair(0, 1).Adjacent)
	}
}

// A counted model has the likelihood of [tailed] for whole numbers from 0 on, and none for others.
type counted struct{ tailed }

func (m counted) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	for _, v := range data.X.RawMatrix().Data {
		if v < 0 || v != math.Trunc(v) {
			return nil, fmt.Errorf("%v is no count", v)
		}
	}
	x := mat.DenseCopyOf(data.X)
	x.Scale(0.1, x)
	return tailedLikelihood{m.tailed, x}, nil
}

// A rooted model has a likelihood that is not a number.
type rooted struct{ tailed }

func (rooted) String() string { return "rooted" }

func (m rooted) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return rootedLikelihood{tailedLikelihood{m.tailed, data.X}}, nil
}

type rootedLikelihood struct{ tailedLikelihood }

func (m rootedLikelihood) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	prior, data = m.tailedLikelihood.Terms(g, theta)
	return prior, data.Add(data.Square().AddScalar(1).Neg().Sqrt())
}

// Gaps of a custom likelihood, which may have no density between the values of a column, get values
// that were observed; of more columns than all sets of parents are estimated for, its evidences
// decide all the same.
func TestFitFileOfCountsWithGaps(t *testing.T) {
	for _, c := range []struct {
		columns int
		cfg     tobac.Config
		engine  string
	}{
		{3, brief(counted{}, 0, 1, 2), "svgd"},
		{9, tobac.Config{Model: counted{}, Seed: 1}, "tempering"},
	} {
		if testing.Short() && c.columns > 3 {
			continue
		}
		rng := rand.New(rand.NewPCG(1, 3))
		var b strings.Builder
		b.WriteString("a,b,c,d,e,f,g,h,i"[:2*c.columns-1] + "\n")
		for range 20 {
			for j := range c.columns {
				if j > 0 {
					b.WriteByte(',')
				}
				if j != 1 || rng.Float64() > 0.1 {
					fmt.Fprintf(&b, "%d", rng.IntN(25))
				}
			}
			b.WriteByte('\n')
		}
		path := filepath.Join(t.TempDir(), "counts.csv")
		must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
		r := must.Get(tobac.FitFile(t.Context(), path, c.cfg))(t)
		if c.columns == 3 {
			_, err := tobac.FitFile(t.Context(), path, brief(rooted{}, 0, 1, 2))
			if err == nil || !strings.Contains(err.Error(), "the likelihood of the model rooted") {
				t.Errorf("a likelihood without a value: error %v", err)
			}
		}
		if r.Imputation == nil || r.Engine != c.engine {
			t.Errorf("%d columns: imputation %v, engine %s, want %s", c.columns, r.Imputation,
				r.Engine, c.engine)
		}
	}
}
