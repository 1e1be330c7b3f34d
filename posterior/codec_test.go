package posterior_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/posterior"
)

// bits compares posteriors bit by bit, NaN with NaN.
var bits = cmp.Options{
	cmp.Comparer(func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
	}),
	cmp.Comparer(func(a, b *dag.Graph) bool { return a.Equal(b) }),
	cmp.Comparer(func(a, b mat.Matrix) bool {
		if v, ok := a.(*mat.Dense); a == nil || b == nil || ok && v == nil {
			return a == b
		}
		if v, ok := b.(*mat.Dense); ok && v == nil {
			return false
		}
		rows, columns := a.Dims()
		if r, c := b.Dims(); r != rows || c != columns {
			return false
		}
		for i := range rows {
			for j := range columns {
				if math.Float64bits(a.At(i, j)) != math.Float64bits(b.At(i, j)) {
					return false
				}
			}
		}
		return true
	}),
}

// decorate adds what engines other than the sampler know.
func decorate(t *rapid.T, p *posterior.Posterior) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "decoration"), 19))
	d := len(p.Names)
	if rng.IntN(2) == 0 {
		p.Run = "0123456789abcdef"
	}
	if rng.IntN(2) == 0 {
		p.Warnings = []string{"the order is a guess", "two\nlines and \"quotes\" <&>"}
	}
	if rng.IntN(2) == 0 {
		p.Standardization = &posterior.Standardization{}
		for range d {
			p.Standardization.Mean = append(p.Standardization.Mean, rng.NormFloat64())
			p.Standardization.SD = append(p.Standardization.SD, rng.ExpFloat64())
		}
	}
	if rng.IntN(2) == 0 {
		p.Draws[0].LogLikelihood, p.Components[0].LogEvidence = math.NaN(), math.NaN()
	}
	if rng.IntN(2) == 0 {
		m := p.Under(0).Marginals
		p.Components[0].Marginals = &m
	}
	if e := p.Draws[0].Equations; e != nil && rng.IntN(2) == 0 {
		e.WeightSD = mat.NewDense(d, d, nil)
		for _, edge := range p.Draws[0].Graph.Edges() {
			e.WeightSD.(*mat.Dense).Set(edge.From, edge.To, rng.ExpFloat64())
		}
	}
	if rng.IntN(4) == 0 {
		p.Draws = nil
		for k := range p.Components {
			p.Components[k].Draws = 0
		}
	}
	if rng.IntN(4) == 0 {
		p.Components = nil
	}
}

// What is read is what was written, bit by bit, and is written the same again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosterior(t)
		decorate(t, p)
		var text bytes.Buffer
		must.Do(t, p.Write(&text))
		first := text.String()
		q, err := posterior.Read(&text, "particles.json")
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		if diff := cmp.Diff(p, q, bits); diff != "" {
			t.Fatalf("(-written +read)\n%s", diff)
		}
		must.Do(t, q.Write(&text))
		if diff := cmp.Diff(first, text.String()); diff != "" {
			t.Fatalf("written again (-first +second)\n%s", diff)
		}
		if lines := strings.Count(first, "\n"); lines != 12+len(p.Draws)+1 {
			t.Fatalf("%d lines for %d draws", lines, len(p.Draws))
		}
	})
}

// sample is a posterior with one particle whose file is easy to spoil.
func sample(t testing.TB) string {
	t.Helper()
	g := graph(t, 2, [2]int{0, 1})
	p := &posterior.Posterior{
		Names: []string{"x", "y"}, Engine: "svgd", Model: "linear",
		Draws: []posterior.Draw{{Graph: g, LogPrior: -1, LogLikelihood: -2,
			Equations: &posterior.Equations{Weights: mat.NewDense(2, 2, []float64{0, 1.5, 0, 0}),
				NoiseVariances: []float64{1, 2}}}},
		Components: []posterior.Component{{Order: []int{0, 1}, Draws: 1, Weight: 1,
			LogEvidence: -3}},
	}
	p.Marginals = p.Frequencies()
	var text bytes.Buffer
	must.Do(t, p.Write(&text))
	return text.String()
}

func TestFormat(t *testing.T) {
	want := `{"version":5,
"run":"",
"names":["x","y"],
"engine":"svgd",
"model":"linear",
"settings":"",
"warnings":null,
"standardization":null,
"kind":"particles",
"marginals":{"probabilities":[[0,1],[0,0]],"weight_mean":[[null,1.5],[null,null]],"weight_sd":[[null,null],[null,null]]},
"components":[{"order":[0,1],"draws":1,"weight":1,"log_weight":0,"log_evidence":-3}],
"draws":[
{"edges":[[0,1]],"log_weight":0,"log_prior":-1,"log_likelihood":-2,"equations":{"weights":[1.5],"noise_variances":[1,2]}}
]}
`
	if diff := cmp.Diff(want, sample(t)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A file of the first version, which has no id of a run, is read.
func TestReadFormer(t *testing.T) {
	former := strings.Replace(strings.Replace(sample(t), `"version":5`, `"version":2`, 1),
		"\"run\":\"\",\n", "", 1)
	p := must.Get(posterior.Read(strings.NewReader(former), "former"))(t)
	var now bytes.Buffer
	if err := p.Write(&now); err != nil || now.String() != sample(t) {
		t.Errorf("error %v, read and written it is\n%s", err, now.String())
	}
}

func TestReadFaults(t *testing.T) {
	for _, row := range []struct{ name, old, new, want string }{
		{"nothing", sample(t), "", "the text ends early"},
		{"no object", `{"version":5`, `[`, "got [, want {"},
		{"cut short", "\n]}\n", "", "draws: the text ends early"},
		{"cut in a draw", `"log_prior":-1`, `"log_prior`, `draw 1: `},
		{"more after it", "\n]}\n", "\n]}\n{}", "text after the end of the posterior"},
		{"older", `"version":5,`, ``,
			`begins with "run", want "version": not a posterior that tobac wrote, or an older one: fit again`},
		{"newer", `"version":5`, `"version":6`, "version 6, want 5: fit again"},
		{"unknown key", `"engine"`, `"motor"`, `unknown or repeated key "motor"`},
		{"repeated key", `"engine":"svgd"`, `"engine":"svgd","engine":"mcmc"`,
			`unknown or repeated key "engine"`},
		{"unknown key in a draw", `"log_prior"`, `"log_priors"`,
			`draw 1: json: unknown field "log_priors"`},
		{"no names", `["x","y"]`, `[]`, "2 rows of probabilities for 0 names"},
		{"repeated names", `["x","y"]`, `["x","x"]`, `variables 1 and 2 are both named "x"`},
		{"empty name", `["x","y"]`, `["x",""]`, `variable 2 has an empty name`},
		{"kind", `"particles"`, `"samples"`,
			`unknown kind "samples" of draws; allowed: particles, draws`},
		{"no marginals",
			`"marginals":{"probabilities":[[0,1],[0,0]],"weight_mean":[[null,1.5],[null,null]],"weight_sd":[[null,null],[null,null]]}`, `"marginals":null`, "no edge probabilities"},
		{"rows", `[[0,1],[0,0]]`, `[[0,1]]`, "1 rows of probabilities for 2 names"},
		{"columns", `[[0,1],[0,0]]`, `[[0,1],[0]]`,
			"row 2 of the probabilities has 1 numbers, want 2"},
		{"null probability", `[[0,1],[0,0]]`, `[[0,null],[0,0]]`,
			"marginals: number 1 of a list is null"},
		{"probability", `[[0,1],[0,0]]`, `[[0,1.5],[0,0]]`,
			"probability of 1 -> 2 is 1.5, want a number from 0 to 1"},
		{"diagonal", `[[0,1],[0,0]]`, `[[0,1],[0,1]]`,
			"probability of 2 -> 2 is 1, want 0 on the diagonal"},
		{"means alone", `,"weight_sd":[[null,null],[null,null]]`, ``,
			"got only one of means and standard deviations of weights, want both or none"},
		{"negative deviation", `"weight_sd":[[null,null]`, `"weight_sd":[[null,-1]`,
			"standard deviation of the weight of 1 -> 2 is -1, want a number from 0 on, or null " +
				"where it is unknown"},
		{"order", `"order":[0,1]`, `"order":[1,1]`,
			"component 1: order [1 1] is not a permutation of 0 to 1"},
		{"short order", `"order":[0,1]`, `"order":[1]`,
			"component 1: order of 1 variables, want 2"},
		{"against the order", `"order":[0,1]`, `"order":[1,0]`,
			"draw 1: edge 1 -> 2 against the order"},
		{"draws of components", `"draws":1,`, `"draws":2,`, "components have 2 draws, there are 1"},
		{"weight", `"weight":1,`, `"weight":0.5,`,
			"component 1: weight 0.5 and log weight 0 do not agree"},
		{"sum", `"weight":1,"log_weight":0,`, `"weight":1e-300,"log_weight":-690.7755278982137,`,
			"weights of the components sum to 1.0000000000"},
		{"vertex", `[[0,1]]`, `[[0,2]]`, "draw 1: edge 0 is 0 -> 2, want vertices from 0 to 1"},
		{"null for a draw", "\n]}\n", ",\nnull\n]}\n", "draw 2: no graph"},
		{"loop", `[[0,1]]`, `[[1,1]]`, "draw 1: edge 0 is 1 -> 1, want two different vertices"},
		{"ends", `[[0,1]]`, `[[0,1,1]]`, "draw 1: edge 0 has 3 ends, want source and target"},
		{"repeated edge", `"edges":[[0,1]]`, `"edges":[[0,1],[0,1]]`,
			"draw 1: an edge is repeated"},
		{"weights", `"weights":[1.5]`, `"weights":[]`,
			"draw 1: 0 weights and 0 standard deviations for 1 edges"},
		{"noise variance", `"noise_variances":[1,2]`, `"noise_variances":[1,0]`,
			"draw 1: noise variance of variable 2 is 0, want a number above 0"},
		{"noise variances", `"noise_variances":[1,2]`, `"noise_variances":[1]`,
			"draw 1: 0 intercepts and 1 noise variances, want 2 of each, or none"},
		{"scale", `"standardization":null`, `"standardization":{"mean":[0,0],"sd":[1,-1]}`,
			`standardization: standard deviation of "y" is -1, want a number above 0`},
		{"overflow", `"log_prior":-1`, `"log_prior":-1e999`,
			"draw 1: json: cannot unmarshal number -1e999"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.Replace(sample(t), row.old, row.new, 1)
			p, err := posterior.Read(strings.NewReader(text), "run/particles.json")
			if err == nil || p != nil {
				t.Fatalf("no error for\n%s", text)
			}
			if got := err.Error(); !strings.HasPrefix(got, "run/particles.json: "+row.want) ||
				strings.Contains(got, "\n") {
				t.Errorf("got  %s\nwant run/particles.json: %s", got, row.want)
			}
		})
	}
}

// A value that is not valid is not written, and nothing of it.
func TestWriteFaults(t *testing.T) {
	p := must.Get(posterior.Read(strings.NewReader(sample(t)), "sample"))(t)
	p.Draws[0].LogPrior = math.Inf(1)
	var text bytes.Buffer
	if err := p.Write(&text); err == nil ||
		err.Error() != "posterior: draw 1: log prior +Inf, want a finite number, or null where "+
			"it is unknown" || text.Len() > 0 {
		t.Errorf("got error %v and %d bytes", err, text.Len())
	}
	p.Draws[0].LogPrior = 0
	if err := p.Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("got error %v, want that of the writer", err)
	}
}

var errFull = errors.New("no space left")

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// Whatever the text is, reading gives a valid posterior that survives another
// round, or an error of one line.
func FuzzRead(f *testing.F) {
	text := sample(f)
	f.Add(text)
	f.Add(strings.Replace(text, `"order":[0,1]`, `"order":null`, 1))
	f.Add(strings.Replace(text, `1.5]`, `-0]`, 1))
	f.Add(strings.Replace(strings.Replace(text, `"version":5`, `"version":2`, 1), "\"run\":\"\",\n",
		"", 1))
	f.Add(`{"version":5}`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := posterior.Read(strings.NewReader(text), "fuzz")
		if err != nil {
			if strings.Contains(strings.TrimPrefix(err.Error(), "fuzz: "), "\n") {
				t.Fatalf("error of several lines: %v", err)
			}
			return
		}
		var first, second bytes.Buffer
		if err := p.Write(&first); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		q := must.Get(posterior.Read(bytes.NewReader(first.Bytes()), "again"))(t)
		if err := q.Write(&second); err != nil || first.String() != second.String() {
			t.Fatalf("%v; the second file differs from the first", err)
		}
	})
}
