package posterior_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/posterior"
)

// many is a posterior over more variables than matrices are written of: of the pairs i < j the
// probabilities are all different, those of others 0 except for one.
func many(d int) *posterior.Posterior {
	p := &posterior.Posterior{
		Kind: posterior.Draws,
		Components: []posterior.Component{
			{Draws: 1, Weight: 1, LogEvidence: math.NaN()},
		},
		Draws: []posterior.Draw{
			{Graph: dag.New(d), LogPrior: math.NaN(), LogLikelihood: math.NaN()},
		},
	}
	nan := mat.NewDense(d, d, slices.Repeat([]float64{math.NaN()}, d*d))
	p.Marginals = posterior.Marginals{
		Probabilities: mat.NewDense(d, d, nil), WeightMean: nan, WeightSD: mat.DenseCopyOf(nan),
	}
	for i := range d {
		p.Names = append(p.Names, fmt.Sprint("x", i))
		for j := i + 1; j < d; j++ {
			p.Probabilities.Set(i, j, 0.9/float64(1+(i*d+j)*7919%(d*d)))
		}
	}
	p.Probabilities.Set(d-1, 0, 1e-9)
	p.Probabilities.Set(0, 1, 0.95)
	p.WeightMean.Set(0, 1, 2.5)
	p.WeightSD.Set(0, 1, 0.5)
	return p
}

// Of many variables the probable edges come back bit by bit and impossible ones stay impossible;
// the others share what they have together, and the text does not grow with their number.
func TestListed(t *testing.T) {
	const d, listed = 250, 100 * 250
	p := many(d)
	text := new(bytes.Buffer)
	must.Do(t, p.Write(text))
	if most := 50 * listed; text.Len() > most {
		t.Errorf("%d bytes, want at most %d", text.Len(), most)
	}
	got := must.Get(posterior.Read(bytes.NewReader(text.Bytes()), "it"))(t)
	if v := got.WeightMean.At(0, 1); v != 2.5 || got.WeightSD.At(0, 1) != 0.5 {
		t.Errorf("weight %v ± %v, want 2.5 ± 0.5", v, got.WeightSD.At(0, 1))
	}
	if !math.IsNaN(got.WeightMean.At(d-1, 0)) {
		t.Errorf("weight %v of an edge without one", got.WeightMean.At(d-1, 0))
	}
	same, others := 0, map[float64]int{}
	for i := range d {
		for j := range d {
			was, is := p.Probabilities.At(i, j), got.Probabilities.At(i, j)
			switch {
			case was == is && was > 0:
				same++
			case was > 0:
				others[is]++
			case is != 0:
				t.Fatalf("%d → %d: %v, want 0", i, j, is)
			}
		}
	}
	if same != listed || len(others) != 1 {
		t.Errorf("%d probabilities are as they were, want %d; others: %v", same, listed, others)
	}
	if a, b := mat.Sum(p.Probabilities), mat.Sum(got.Probabilities); math.Abs(a-b) > 1e-9*a {
		t.Errorf("the sum of all is %v, want %v", b, a)
	}
}

func TestListedErrors(t *testing.T) {
	text := new(bytes.Buffer)
	must.Do(t, many(101).Write(text))
	for _, tt := range []struct{ name, from, to, want string }{
		{"repeated", `"edges":[[100,0],[0,1]`, `"edges":[[100,0],[100,0]`,
			"listed edge 2 is [100 0]"},
		{"beyond", `"edges":[[100,0],`, `"edges":[[101,0],`, "listed edge 1 is [101 0]"},
		{"both", `"listed":{`, `"probabilities":[],"listed":{`, "both as matrices and listed"},
		{"short", `"probabilities":[1e-9,`, `"probabilities":[`, "probabilities for"},
		{"run", `"none":[[`, `"none":[[-1,3],[`, "run [-1 3] of impossible edges"},
		{"negative", `"others":0,`, `"others":-1,`, "others have the probability -1"},
	} {
		changed := strings.Replace(text.String(), tt.from, tt.to, 1)
		if changed == text.String() {
			t.Fatalf("%s: %q is not in %.400s", tt.name, tt.from, changed)
		}
		_, err := posterior.Read(strings.NewReader(changed), "it")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
