package models_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The code of docs/your-own-model.md is that of the examples, which are compiled
// and run.
func TestGuide(t *testing.T) {
	guide := must.Get(os.ReadFile(filepath.Join("..", "docs", "your-own-model.md")))(t)
	var source string
	for _, name := range []string{"studentt_example_test.go", "logistic_example_test.go",
		"network_example_test.go", filepath.Join("..", "examplemodel_test.go"),
		filepath.Join("..", "sample", "example_schools_test.go")} {
		text := must.Get(os.ReadFile(name))(t)
		source += string(text)
	}
	blocks := strings.Split(string(guide), "```go\n")[1:]
	for i, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		if !strings.Contains(source, code) {
			t.Errorf("block %d of the guide is not in the examples:\n%s", i+1, code)
		}
	}
	if len(blocks) < 3 {
		t.Errorf("the guide has %d blocks of code, want at least one for each example", len(blocks))
	}
	for _, output := range []string{"0 → 1, weight 1.5, exact posterior mean 1.5\n",
		"slope      particles -2.4 ± 1.0, exact -2.4 ± 1.0\n",
		"f(-3): particles -1.1 ± 0.3, reference -1.1 ± 0.3\n"} {
		if !strings.Contains(string(guide), output) || !strings.Contains(source, "// "+output) {
			t.Errorf("the guide and the examples do not both print %q", output)
		}
	}
}

// Each model of the guide is written, checked, sampled and compared with its known
// answer in fewer than 45 lines of code: blank lines, comments, the data and the
// independent computation of the answer are not counted.
func TestGuideModelsAreShort(t *testing.T) {
	for _, row := range []struct {
		file, names string
	}{
		{"logistic_example_test.go", "logistic ExampleNewTarget_logisticRegression"},
		{"network_example_test.go", "network networkPosterior ExampleNewTarget_neuralNetwork"},
		{"studentt_example_test.go",
			"studentT _ Vars ParamLen InitParams Terms ExampleLikelihood_studentT"},
	} {
		names := strings.Fields(row.names)
		if lines := codeLines(t, row.file, names); lines < len(names) || lines >= 45 {
			t.Errorf("%s: %s take %d lines, want fewer than 45", row.file, row.names, lines)
		} else {
			t.Logf("%s: %d lines", row.file, lines)
		}
	}
}

// codeLines counts the lines of some declarations at the top level of a file, all
// of which must be there, without blank lines and lines of comments.
func codeLines(t *testing.T, file string, names []string) int {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	fset := token.NewFileSet()
	parsed := must.Get(parser.ParseFile(fset, file, text, parser.SkipObjectResolution))(t)
	lines, found := 0, 0
	for _, decl := range parsed.Decls {
		name := ""
		switch d := decl.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
		case *ast.GenDecl:
			switch s := d.Specs[0].(type) {
			case *ast.TypeSpec:
				name = s.Name.Name
			case *ast.ValueSpec:
				name = s.Names[0].Name
			}
		}
		if !slices.Contains(names, name) {
			continue
		}
		found++
		for _, line := range strings.Split(
			string(text[fset.Position(decl.Pos()).Offset:fset.Position(decl.End()).Offset]), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	if found != len(names) {
		t.Fatalf("%s: found %d of the declarations %v", file, found, names)
	}
	return lines
}

// The graphs of all particles are those of each.
func TestGraphs(t *testing.T) {
	target := newTOBAC(t, studentT{x: heavyTailed(9)},
		models.TOBACConfig{Particles: 7, Samples: 4, Prior: models.UniformPrior()})
	z := target.Init()[0]
	got := target.Graphs(z)
	if len(got) != 7 {
		t.Fatalf("got %d graphs of 7 particles", len(got))
	}
	edges := 0
	for i, g := range got {
		edges += len(g.Edges())
		if want := target.HardGraph(z.RawRowView(i)); !slices.Equal(g.Edges(), want.Edges()) {
			t.Errorf("particle %d: got edges %v, want %v", i, g.Edges(), want.Edges())
		}
	}
	if edges == 0 || edges == 7*3 {
		t.Errorf("got %d edges in all, which tells no graph from another", edges)
	}
}

// The launch data are those that the literature has analysed: Newton's method on
// the likelihood alone finds the published estimates 15.0429 and −0.2322 per °F
// (Dalal, Fowlkes and Hoadley, JASA 84 (1989) 945–957, fitted to the seven flights
// with damage and the sixteen without).
func TestLaunchData(t *testing.T) {
	a, b := 0.0, 0.0
	for range 50 {
		var ga, gb, haa, hab, hbb float64
		for i, x := range launchTemperature {
			p := sigmoid(a + b*x)
			ga += launchDamage[i] - p
			gb += (launchDamage[i] - p) * x
			haa += p * (1 - p)
			hab += p * (1 - p) * x
			hbb += p * (1 - p) * x * x
		}
		det := haa*hbb - hab*hab
		a += (hbb*ga - hab*gb) / det
		b += (haa*gb - hab*ga) / det
	}
	check(t, "maximum of the likelihood", []float64{a, b}, []float64{15.0429, -0.2322}, 1e-5)
}

// The models of the guide are what their comments say, computed in plain Go, and
// their gradients are right at soft and at hard graphs.
func TestGuideModels(t *testing.T) {
	rng := newRand(131)
	lik := studentT{x: heavyTailed(12)}
	density := distuv.StudentsT{Mu: 0, Sigma: noiseScale, Nu: 3}
	for _, tg := range graphs(rng, 3) {
		theta := normals(rng, 9)
		prior, data := termsOf(t, lik, tg.g, theta)
		wantPrior, wantData := make([]float64, 3), make([]float64, 3)
		for j := range 3 {
			for i := range 3 {
				wantPrior[j] += tg.g[i*3+j] * lnNormal(theta[i*3+j], 0, 1)
			}
			for r := range 12 {
				residual := lik.x.At(r, j)
				for i := range 3 {
					residual -= lik.x.At(r, i) * tg.g[i*3+j] * theta[i*3+j]
				}
				wantData[j] += density.LogProb(residual)
			}
		}
		check(t, tg.kind+": log p(Θ|G)", prior, wantPrior, 1e-13)
		check(t, tg.kind+": log p(D|G,Θ)", data, wantData, 1e-13)
		if err := gradientsOf(t, lik, tg.g, theta, normals(rng, 3)); err != nil {
			t.Errorf("%s: %v", tg.kind, err)
		}
	}

	theta, at := normals(rng, 7), []float64{-2, 0.3, 5}
	b := autograd.NewBuilder("network")
	tn := b.Input("theta", autograd.Shape{7})
	got := evaluate(t, []*autograd.Node{tn}, [][]float64{theta}, network(tn, at))[0]
	var want []float64
	for _, x := range at {
		want = append(want, plainNetwork(theta, x))
	}
	check(t, "network", got, want, 1e-14)
	for name, posterior := range map[string]func([]*autograd.Node) *autograd.Node{
		"logistic": logistic, "network": networkPosterior} {
		n := map[string]int{"logistic": 2, "network": 7}[name]
		err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
			return posterior(x)
		}, [][]float64{normals(rng, n)}, []autograd.Shape{{n}}, gradtest.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A custom likelihood goes through every target: with and without an
// order, and by both kinds of gradient.
func TestOwnLikelihoodEverywhere(t *testing.T) {
	lik := studentT{x: heavyTailed(9)}
	for _, embedding := range []models.Embedding{models.OrderedPairs, models.AllPairs} {
		for _, gradient := range []models.Gradient{models.Reparameterised, models.ScoreFunction,
			models.ScoreFunctionLOO} {
			t.Run(fmt.Sprintf("embedding=%d/%v", embedding, gradient), func(t *testing.T) {
				target := newTOBAC(t, lik, models.TOBACConfig{Particles: 2, Samples: 4,
					Embedding: embedding, Gradient: gradient, Prior: models.UniformPrior()})
				got := score(t, target, target.Init(), 7)
				for b := range got {
					if n := mat.Norm(got[b], 1); n == 0 || math.IsNaN(n) {
						t.Errorf("score of block %d has norm %v", b, n)
					}
				}
			})
		}
	}
	_, _, err := models.LogJoint(lik, []*dag.Graph{dag.New(3)}, mat.NewDense(1, 9, nil))
	if err != nil {
		t.Error(err)
	}
}
