package tobac_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tobac/internal/must"
)

// allowed says what each package may import beside the standard library and
// packages below itself; every entry stands for the packages below it too. The
// commands may import the whole module, and nothing imports a command. Packages
// that are not listed follow the nearest listed folder above them.
var allowed = map[string][]string{
	"tobac/internal/file":      {},
	"tobac/internal/house":     {},
	"tobac/internal/memory":    {},
	"tobac/internal/numpy":     {"gonum.org/v1/gonum"},
	"tobac/internal/parallel":  {},
	"tobac/internal/rapidseed": {"pgregory.net/rapid"},
	"tobac/internal/stream":    {},
	"tobac/internal/unwritten": {"tobac/internal/vector"},
	"tobac/internal/words":     {},
	"tobac/internal/vector":    {"gonum.org/v1/gonum", "golang.org/x/sys/cpu"},
	// The compiler, from the public package down to what everything rests on.
	"tobac/autograd":                    {"tobac/internal/vector", "gonum.org/v1/gonum"},
	"tobac/autograd/gradtest":           {"tobac/autograd"},
	"tobac/autograd/internal/evaltest":  {"tobac/autograd"},
	"tobac/autograd/internal/ir":        {},
	"tobac/autograd/internal/ir/irtest": {"tobac/autograd", "tobac/autograd/internal/ir"},
	"tobac/autograd/internal/passes":    {"tobac/autograd/internal/ir"},
	"tobac/autograd/internal/native":    {},
	"tobac/autograd/internal/dense": {"tobac/autograd/internal/ir",
		"tobac/autograd/internal/passes", "tobac/autograd/internal/native", "tobac/internal/vector",
		"gonum.org/v1/gonum"},
	"tobac/autograd/internal/lane/vm": {"tobac/internal/vector"},
	"tobac/autograd/internal/lane": {"tobac/autograd/internal/ir",
		"tobac/autograd/internal/passes", "tobac/autograd/internal/dense", "tobac/internal/vector"},
	"tobac/autograd/internal/exec": {"tobac/autograd/internal/ir", "tobac/autograd/internal/passes",
		"tobac/autograd/internal/dense",
		"tobac/autograd/internal/lane", "tobac/internal/pool", "tobac/internal/vector"},
	// The door to gorgonia, which alone imports it.
	"tobac/autograd/gorgonia": {"tobac/autograd", "tobac/models", "tobac/autograd/internal/ir",
		"tobac/autograd/internal/exec", "gonum.org/v1/gonum",
		"gorgonia.org/gorgonia", "gorgonia.org/tensor", "github.com/chewxy/hm"},
	"tobac/internal/ridge":  {},
	"tobac/internal/anneal": {"gonum.org/v1/gonum"},
	"tobac/schedule":        {},
	"tobac/setting":         {"tobac/schedule", "tobac/internal/delimited"},
	"tobac/models": {"tobac/autograd", "tobac/dag", "tobac/schedule",
		"tobac/internal/ridge", "tobac/internal/scoring", "tobac/internal/vector",
		"gonum.org/v1/gonum"},
	"tobac/internal/likelihoods": {"tobac/autograd", "tobac/models", "tobac/internal/scoring",
		"gonum.org/v1/gonum"},
	"tobac/svgd": {"tobac/schedule", "tobac/internal/pool", "tobac/internal/vector",
		"gonum.org/v1/gonum"},
	"tobac/ordering":           {"gonum.org/v1/gonum"},
	"tobac/internal/delimited": {},
	"tobac/dag":                {"tobac/internal/delimited", "gonum.org/v1/gonum"},
	"tobac/dataset": {"tobac/dag", "tobac/internal/delimited", "tobac/internal/numpy",
		"tobac/internal/ranks",
		"gonum.org/v1/gonum"},
	"tobac/internal/ranks":     {},
	"tobac/internal/mechanism": {"tobac/dag", "tobac/dataset"},
	"tobac/internal/table": {"tobac/dag", "tobac/dataset", "tobac/internal/delimited",
		"tobac/internal/inspect", "tobac/internal/numpy", "gonum.org/v1/gonum"},
	// Alone with its large library.
	"tobac/parquet": {"tobac/internal/table", "tobac/internal/numpy",
		"github.com/parquet-go/parquet-go"},
	"tobac/score": {"tobac/internal/scoring", "tobac/internal/vector", "tobac/dag",
		"gonum.org/v1/gonum"},
	"tobac/internal/scoring": {"gonum.org/v1/gonum"},
	"tobac/internal/nodescore": {"tobac/score", "tobac/internal/scoring", "tobac/dag",
		"tobac/internal/ranks", "gonum.org/v1/gonum"},
	"tobac/internal/additive": {"tobac/dag", "tobac/internal/vector", "tobac/internal/nodescore",
		"tobac/internal/scoring", "tobac/autograd", "tobac/internal/smooth", "tobac/score",
		"gonum.org/v1/gonum"},
	"tobac/internal/smooth": {"tobac/internal/nodescore", "tobac/internal/scoring",
		"tobac/dag", "tobac/score", "tobac/internal/search", "tobac/internal/vector",
		"gonum.org/v1/gonum"},
	"tobac/internal/generalised": {"tobac/internal/nodescore", "tobac/internal/scoring",
		"tobac/dag", "tobac/internal/smooth", "tobac/dataset", "tobac/score",
		"tobac/internal/vector", "gonum.org/v1/gonum"},
	"tobac/internal/exact": {"tobac/internal/nodescore", "tobac/internal/scoring",
		"tobac/score", "tobac/dag", "tobac/internal/vector", "gonum.org/v1/gonum"},
	"tobac/internal/search": {"tobac/internal/scoring", "tobac/internal/nodescore",
		"tobac/score", "tobac/dag"},
	"tobac/internal/mcmc": {"tobac/internal/scoring", "tobac/diagnostics",
		"tobac/internal/nodescore", "tobac/score", "tobac/internal/search", "tobac/dag",
		"tobac/internal/vector", "gonum.org/v1/gonum"},
	"tobac/internal/impute": {"gonum.org/v1/gonum"},
	"tobac/internal/bcd": {"tobac/autograd", "tobac/dag", "tobac/posterior",
		"tobac/internal/vector", "gonum.org/v1/gonum"},

	"tobac/internal/completions": {"tobac/internal/drawn", "tobac/dataset", "tobac/diagnostics",
		"tobac/internal/impute", "tobac/internal/inspect", "tobac/posterior", "gonum.org/v1/gonum"},

	"tobac/internal/inspect": {"tobac/internal/ranks", "tobac/dag", "tobac/dataset",
		"tobac/internal/delimited",
		"gonum.org/v1/gonum"},
	// What is known of graphs, and structural equation models.
	"tobac/background": {"tobac/setting", "tobac/autograd", "tobac/models", "tobac/score",
		"tobac/ordering", "tobac/dag", "tobac/dataset",
		"gonum.org/v1/gonum"},
	"tobac/internal/priors": {"tobac/autograd", "tobac/background", "tobac/dag", "tobac/models",
		"tobac/ordering", "tobac/score", "gonum.org/v1/gonum"},
	"tobac/sem": {"tobac/internal/ranks", "tobac/internal/refinement", "tobac/internal/delimited",
		"tobac/internal/nodescore", "tobac/internal/scoring", "tobac/setting",
		"tobac/internal/additive", "tobac/internal/generalised", "tobac/internal/smooth",
		"tobac/internal/exact", "tobac/internal/likelihoods", "tobac/models", "tobac/score",
		"tobac/effects", "tobac/posterior",
		"tobac/internal/inspect", "tobac/internal/search", "tobac/internal/stream",
		"tobac/dag", "tobac/dataset", "gonum.org/v1/gonum"},

	"tobac/internal/refinement": {"tobac/internal/nodescore", "tobac/internal/exact", "tobac/score",
		"tobac/dag"},
	"tobac/internal/hidden": {"gonum.org/v1/gonum"},
	"tobac/internal/trust": {"tobac/internal/ranks", "tobac/internal/nodescore",
		"tobac/internal/inspect", "tobac/internal/scoring",
		"tobac/internal/additive", "tobac/internal/exact", "tobac/internal/hidden",
		"tobac/internal/parallel",
		"tobac/score", "tobac/sem", "tobac/dag", "tobac/dataset", "gonum.org/v1/gonum"},
	"tobac/internal/drawn": {"tobac/internal/nodescore", "tobac/score", "tobac/sem",
		"tobac/models", "tobac/effects", "tobac/posterior", "tobac/dag", "tobac/dataset",
		"gonum.org/v1/gonum"},

	"tobac/diagnostics": {"tobac/internal/pareto", "tobac/internal/ranks",
		"gonum.org/v1/gonum"},
	"tobac/internal/graphchecks": {"tobac/dag", "tobac/posterior", "gonum.org/v1/gonum"},
	"tobac/graphsum":             {"tobac/autograd", "tobac/internal/exact", "tobac/score"},
	"tobac/arviz":                {"tobac/chain", "tobac/density", "gonum.org/v1/gonum"},
	"tobac/calibration":          {"tobac/density", "gonum.org/v1/gonum"},
	"tobac/chainplot":            {"gonum.org/v1/gonum", "gonum.org/v1/plot"},
	// svgd for its optimiser.
	"tobac/internal/gflownet": {"tobac/internal/nodescore", "tobac/internal/scoring",
		"tobac/autograd", "tobac/score", "tobac/dag", "tobac/svgd", "gonum.org/v1/gonum"},
	"tobac/chain":                {"gonum.org/v1/gonum"},
	"tobac/internal/hamiltonian": {"tobac/chain", "gonum.org/v1/gonum"},
	"tobac/hmc": {"tobac/chain", "tobac/internal/hamiltonian",
		"gonum.org/v1/gonum"},
	"tobac/nuts": {"tobac/chain", "tobac/internal/hamiltonian",
		"gonum.org/v1/gonum"},
	"tobac/slice": {"tobac/chain", "gonum.org/v1/gonum"},
	"tobac/sample": {"tobac/arviz", "tobac/chain", "tobac/density",
		"tobac/diagnostics", "tobac/gaussian", "tobac/nuts", "tobac/smc", "gonum.org/v1/gonum"},
	"tobac/internal/pareto": {"gonum.org/v1/gonum"},
	"tobac/gaussian": {"tobac/chain", "tobac/svgd", "tobac/internal/anneal",
		"tobac/internal/pareto", "gonum.org/v1/gonum"},
	"tobac/smc":      {"tobac/chain", "tobac/internal/anneal", "gonum.org/v1/gonum"},
	"tobac/langevin": {"gonum.org/v1/gonum"},
	"tobac/density":  {"tobac/autograd", "gonum.org/v1/gonum"},
	// What samplers are tried on.
	"tobac/internal/posteriordb": {"tobac/autograd", "tobac/density", "tobac/diagnostics",
		"gonum.org/v1/gonum"},
	// vector for the arithmetic that the bits of results depend on.
	"tobac/internal/jobs": {"tobac/internal/vector"},
	"tobac/internal/tempering": {"tobac/models", "tobac/dag", "tobac/internal/anneal",
		"tobac/internal/nodescore",
		"tobac/internal/ridge", "tobac/internal/vector", "gonum.org/v1/gonum"},
	"tobac/internal/evidence": {"tobac/autograd", "tobac/models", "tobac/score", "tobac/smc",
		"tobac/dag", "tobac/internal/anneal", "tobac/internal/nodescore", "gonum.org/v1/gonum"},
	"tobac/internal/sparse": {"gonum.org/v1/gonum"},
	"tobac/posterior": {"tobac/dag", "tobac/internal/delimited", "tobac/internal/sparse",
		"gonum.org/v1/gonum"},
	"tobac/internal/graphfile": {"tobac/dag", "tobac/dataset", "tobac/internal/delimited",
		"tobac/posterior", "tobac/internal/numpy", "gonum.org/v1/gonum"},
	"tobac/metrics": {"tobac/dag", "tobac/posterior", "gonum.org/v1/gonum"},
	// The layout library and the one that keeps it from choosing its folder are known here alone.
	"tobac/internal/report": {"tobac/dag", "tobac/posterior", "tobac/internal/scene",
		"gonum.org/v1/gonum"},
	"tobac/internal/scene": {"gonum.org/v1/plot", "codeberg.org/go-fonts/liberation",
		"golang.org/x/image"},
	"tobac/internal/figures": {"gonum.org/v1/plot", "golang.org/x/image", "gonum.org/v1/gonum"},
	"tobac/bench": {"tobac/autograd", "tobac/models", "tobac/svgd", "tobac/ordering", "tobac/score",
		"tobac/internal/exact", "tobac/internal/mcmc",
		"tobac/posterior", "tobac/metrics", "tobac/effects", "tobac/internal/impute",
		"tobac/internal/jobs", "tobac/dag", "tobac/dataset", "gonum.org/v1/gonum"},
	"tobac/engine": {"tobac/internal/drawn", "tobac/background", "tobac/dataset",
		"tobac/diagnostics", "tobac/internal/inspect", "tobac/ordering", "tobac/posterior",
		"tobac/sem", "tobac/setting"},
	// What engines and runs ask of a problem.
	"tobac/internal/problems": {"tobac/background", "tobac/dataset", "tobac/engine",
		"tobac/internal/drawn", "tobac/internal/priors", "tobac/internal/scoring",
		"tobac/posterior", "tobac/score", "tobac/sem"},
	// Engines, which follow one rule: anything that a computation may need.
	"tobac/engine/*": {"tobac/internal/likelihoods", "tobac/internal/priors",
		"tobac/internal/drawn", "tobac/internal/graphchecks",
		"tobac/internal/scoring", "tobac/internal/nodescore", "tobac/background", "tobac/dag",
		"tobac/dataset", "tobac/diagnostics", "tobac/engine", "tobac/internal/exact",
		"tobac/internal/mcmc",
		"tobac/models", "tobac/ordering", "tobac/posterior", "tobac/schedule", "tobac/score",
		"tobac/internal/search", "tobac/sem", "tobac/setting",
		"tobac/svgd", "tobac/internal/bcd", "tobac/internal/delimited", "tobac/internal/evidence",
		"tobac/internal/gflownet", "tobac/internal/inspect",
		"tobac/internal/graphchains", "tobac/internal/inference", "tobac/internal/estimated",
		"tobac/internal/orders", "tobac/internal/problems", "tobac/internal/tempering",
		"tobac/internal/trained",
		"gonum.org/v1/gonum"},
	"tobac/internal/estimated": {"tobac/internal/scoring", "tobac/internal/priors",
		"tobac/internal/problems",
		"tobac/internal/drawn",
		"tobac/internal/smooth",
		"tobac/internal/inspect", "tobac/internal/trust", "tobac/internal/refinement",
		"tobac/internal/evidence", "tobac/internal/nodescore", "tobac/dag", "tobac/dataset",
		"tobac/diagnostics",
		"tobac/engine", "tobac/internal/exact", "tobac/internal/graphchains",
		"tobac/internal/inference", "tobac/internal/orders", "tobac/internal/tempering",
		"tobac/internal/mcmc", "tobac/posterior", "tobac/score", "tobac/sem", "gonum.org/v1/gonum"},
	"tobac/internal/graphchains": {"tobac/internal/priors", "tobac/internal/problems",
		"tobac/internal/scoring",
		"tobac/internal/drawn", "tobac/internal/nodescore", "tobac/internal/search",
		"tobac/background",
		"tobac/internal/jobs", "tobac/internal/trust",
		"tobac/internal/refinement", "tobac/dag", "tobac/dataset",
		"tobac/diagnostics", "tobac/engine", "tobac/internal/inference", "tobac/internal/mcmc",
		"tobac/posterior", "tobac/score", "tobac/sem", "tobac/setting", "gonum.org/v1/gonum"},
	"tobac/internal/inference": {"tobac/internal/priors", "tobac/internal/problems",
		"tobac/internal/sparse",
		"tobac/internal/graphchecks",
		"tobac/internal/scoring", "tobac/internal/drawn", "tobac/internal/trust",
		"tobac/internal/refinement", "tobac/internal/generalised", "tobac/internal/nodescore",
		"tobac/background", "tobac/dag", "tobac/dataset", "tobac/diagnostics", "tobac/engine",
		"tobac/internal/exact", "tobac/internal/evidence", "tobac/internal/inspect",
		"tobac/internal/anneal", "tobac/internal/mcmc", "tobac/posterior", "tobac/score",
		"tobac/internal/search", "tobac/internal/words", "tobac/models", "tobac/sem",
		"gonum.org/v1/gonum"},
	"tobac/internal/orders": {"tobac/internal/priors", "tobac/background", "tobac/dag",
		"tobac/dataset", "tobac/engine",
		"tobac/internal/inference", "tobac/internal/exact", "tobac/ordering", "tobac/posterior",
		"tobac/sem", "gonum.org/v1/gonum"},
	"tobac/internal/engines": {"tobac/engine", "tobac/engine/bcdnets", "tobac/engine/flownets",
		"tobac/engine/local", "tobac/engine/markov", "tobac/engine/neural", "tobac/engine/stein",
		"tobac/engine/sums", "tobac/setting"},
	"tobac/internal/trained": {"tobac/diagnostics", "tobac/engine", "tobac/internal/inference",
		"tobac/internal/problems"},
	// A small problem for examples and tests of engines.
	"tobac/internal/enginetest": {"tobac/dag", "tobac/dataset", "tobac/engine"},
	"tobac/internal/scoretest": {"tobac/dag", "tobac/internal/nodescore", "tobac/score",
		"gonum.org/v1/gonum"},
	// What a result means.
	"tobac/internal/explain": {"tobac", "gonum.org/v1/gonum"},
	// What other methods' authors set.
	"tobac/internal/recipes": {"tobac"},
	// What a result is compared with.
	"tobac/internal/reference": {"tobac", "gonum.org/v1/gonum"},
	// Everything but the command, which alone knows experiments.
	"tobac/internal/study": {"tobac", "gonum.org/v1/gonum"},
	"tobac": {"tobac/internal/priors", "tobac/internal/drawn", "tobac/internal/refinement",
		"tobac/autograd",
		"tobac/background", "tobac/internal/bcd", "tobac/dag", "tobac/dataset", "tobac/diagnostics",
		"tobac/effects", "tobac/engine", "tobac/internal/engines", "tobac/engine/markov",
		"tobac/engine/neural",
		"tobac/internal/inference", "tobac/internal/orders", "tobac/internal/problems",
		"tobac/engine/stein", "tobac/engine/sums", "tobac/internal/exact",
		"tobac/internal/gflownet",
		"tobac/internal/completions", "tobac/internal/impute", "tobac/internal/inspect",
		"tobac/internal/table", "tobac/internal/mcmc", "tobac/models", "tobac/ordering",
		"tobac/posterior", "tobac/schedule", "tobac/score", "tobac/sem", "tobac/setting",
		"tobac/svgd", "tobac/internal/tempering", "gonum.org/v1/gonum"},
	// What every command shares.
	"tobac/internal/cli": {"tobac", "github.com/spf13/cobra", "github.com/spf13/pflag",
		"golang.org/x/term", "github.com/BurntSushi/toml"},
	"tobac/cmd": {"gonum.org/v1/gonum", "github.com/spf13/cobra", "github.com/spf13/pflag",
		"golang.org/x/term", "github.com/BurntSushi/toml"},
}

// leaves import the standard library alone, and every package may import them.
var leaves = []string{"tobac/internal/file", "tobac/internal/memory", "tobac/internal/parallel",
	"tobac/internal/stream", "tobac/internal/words"}

// vague are package names that say nothing about what a package is for.
var vague = []string{"util", "utils", "common", "helper", "helpers", "types", "config", "misc",
	"base"}

// A source is a Go file of the module that some platform builds into a
// package: neither a test nor excluded everywhere.
type source struct {
	file string // slash-separated path in the module
	pkg  string // import path of its package
	ast  *ast.File
}

// sources parses every non-test file of the module.
func sources(t *testing.T) (*token.FileSet, []source) {
	t.Helper()
	fset := token.NewFileSet()
	var all []source
	must.Do(t, filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := e.Name()
		switch {
		case e.IsDir() && name != "." && (strings.HasPrefix(base, ".") ||
			strings.HasPrefix(base, "_") || base == "testdata" || isModule(name)):
			return fs.SkipDir
		case e.IsDir(), !strings.HasSuffix(base, ".go"), strings.HasSuffix(base, "_test.go"),
			!builds(t, name):
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(name)
		all = append(all, source{file: file, pkg: path.Join("tobac", path.Dir(file)), ast: f})
		return nil
	}))
	return fset, all
}

// isModule reports whether a folder is the root of a module of its own.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// builds reports whether a file belongs to its package on amd64 or elsewhere.
func builds(t *testing.T, name string) bool {
	t.Helper()
	for _, arch := range []string{"amd64", "arm64"} {
		ctx := build.Default
		ctx.GOARCH, ctx.CgoEnabled = arch, false
		match := must.Get(ctx.MatchFile(filepath.Dir(name), filepath.Base(name)))(t)
		if match {
			return true
		}
	}
	return false
}

// within reports whether import path p is root or below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

// rule finds the entry of allowed that governs a package: that of the longest
// path at or above it, where a/* stands for every folder of a.
func rule(pkg string) (root string, imports []string) {
	for at := pkg; at != "." && at != "/"; at = path.Dir(at) {
		for _, key := range []string{at, path.Dir(at) + "/*"} {
			if list, ok := allowed[key]; ok {
				return key, list
			}
		}
	}
	return "", nil
}

func permitted(pkg, imported string) bool {
	root, list := rule(pkg)
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case !within(imported, "tobac") && !strings.Contains(first, "."):
		return true // standard library
	case within(imported, "tobac/cmd"):
		return false
	case root == "tobac/cmd" && within(imported, "tobac"):
		return true
	case root != "tobac" && within(imported, root):
		return true
	case slices.Contains(leaves, root):
		return false
	}
	return slices.ContainsFunc(slices.Concat(list, leaves), func(a string) bool {
		return within(imported, a)
	})
}

// The packages and the arrows between them are fixed: autograd/gorgonia alone knows
// gorgonia, samplers and orders know no models, nothing knows the command.
func TestImports(t *testing.T) {
	fset, all := sources(t)
	if len(all) < 40 {
		t.Fatalf("parsed %d files, want the whole module: is the test running in its root?",
			len(all))
	}
	seen := map[string]bool{}
	for _, s := range all {
		root, _ := rule(s.pkg)
		seen[root] = true
		for _, spec := range s.ast.Imports {
			imported := must.Get(strconv.Unquote(spec.Path.Value))(t)
			if !permitted(s.pkg, imported) {
				t.Errorf("%v: package %s imports %s", fset.Position(spec.Pos()), s.pkg, imported)
			}
		}
	}
	for root := range allowed {
		if !seen[root] {
			t.Errorf("no file of package %s was found", root)
		}
	}
}

// TestLinked: whoever uses the framework, the models, the samplers or the root links gonum
// and x/sys only, besides the standard library.
func TestLinked(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{.Module.Path}}{{end}}",
		"./autograd", "./models", "./svgd", "./nuts", ".")
	list.Stderr = os.Stderr
	out := must.Get(list.Output())(t)
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	want := []string{"golang.org/x/sys", "gonum.org/v1/gonum", "tobac"}
	slices.Sort(want) // the module may have another path
	if got := slices.Compact(modules); !slices.Equal(got, want) {
		t.Errorf("linked modules: got %v, want %v", got, want)
	}
}

// The rules themselves, on imports that must and must not pass.
func TestImportRules(t *testing.T) {
	for _, row := range []struct {
		name, pkg, imported string
		want                bool
	}{
		{"standard library", "tobac/svgd", "math/rand/v2", true},
		{"gorgonia in autograd", "tobac/autograd", "gorgonia.org/gorgonia", false},
		{"tensors in autograd", "tobac/autograd", "gorgonia.org/tensor", false},
		{"gorgonia below autograd", "tobac/autograd/gradtest", "gorgonia.org/gorgonia", false},
		{"tensors in their package", "tobac/autograd/gorgonia", "gorgonia.org/tensor", true},
		{"gorgonia in the compiler", "tobac/autograd/internal/exec", "gorgonia.org/gorgonia",
			false},
		{"the compiler in autograd", "tobac/autograd", "tobac/autograd/internal/exec", true},
		{"autograd in the compiler", "tobac/autograd/internal/exec", "tobac/autograd", false},
		{"kernels in functions", "tobac/autograd/internal/ir", "tobac/internal/vector", false},
		{"passes in functions", "tobac/autograd/internal/ir", "tobac/autograd/internal/passes",
			false},
		{"functions in passes", "tobac/autograd/internal/passes", "tobac/autograd/internal/ir",
			true},
		{"instructions in passes", "tobac/autograd/internal/passes",
			"tobac/autograd/internal/dense", false},
		{"the machine in instructions", "tobac/autograd/internal/dense",
			"tobac/autograd/internal/lane/vm", false},
		{"instructions in element programs", "tobac/autograd/internal/lane",
			"tobac/autograd/internal/dense", true},
		{"the machine in element programs", "tobac/autograd/internal/lane",
			"tobac/autograd/internal/lane/vm", true},
		{"element programs in the machine", "tobac/autograd/internal/lane/vm",
			"tobac/autograd/internal/lane", false},
		{"running in element programs", "tobac/autograd/internal/lane",
			"tobac/autograd/internal/exec", false},
		{"gorgonia in models", "tobac/models", "gorgonia.org/gorgonia", false},
		{"gorgonia in the root", "tobac", "gorgonia.org/gorgonia", false},
		{"models in the sampler", "tobac/svgd", "tobac/models", false},
		{"graphs in the sampler", "tobac/svgd", "tobac/dag", false},
		{"kernels in the sampler", "tobac/svgd", "tobac/internal/vector", true},
		{"kernels in the command's library", "tobac", "tobac/internal/vector", false},
		{"the sampler in the kernels", "tobac/internal/vector", "tobac/svgd", false},
		{"graphs in the orders", "tobac/ordering", "tobac/dag", false},
		{"orders in the models", "tobac/models", "tobac/ordering", false},
		{"text in dag", "tobac/dag", "tobac/internal/delimited", true},
		{"text in dataset", "tobac/dataset", "tobac/internal/delimited", true},
		{"text in the sampler", "tobac/svgd", "tobac/internal/delimited", false},
		{"matrices in graph files", "tobac/internal/graphfile", "tobac/posterior", true},
		{"graph files in a posterior", "tobac/posterior", "tobac/internal/graphfile", false},
		{"graph files in the root", "tobac", "tobac/internal/graphfile", false},
		{"graphs in text", "tobac/internal/delimited", "tobac/dag", false},
		{"below a listed folder", "tobac/models/modeltest", "tobac/models", true},
		{"a leaf in the sampler", "tobac/svgd", "tobac/internal/stream", true},
		{"a leaf in a new package", "tobac/new", "tobac/internal/parallel", true},
		{"a package in a leaf", "tobac/internal/stream", "tobac/dag", false},
		{"metrics in a posterior", "tobac/posterior", "tobac/metrics", false},
		{"models in a posterior", "tobac/posterior", "tobac/models", false},
		{"posteriors in metrics", "tobac/metrics", "tobac/posterior", true},
		{"metrics in the root", "tobac", "tobac/metrics", false},
		{"pictures of scenes", "tobac/internal/scene", "gonum.org/v1/plot/vg/vgimg", true},
		{"metrics in the report", "tobac/internal/report", "tobac/metrics", false},
		{"the report in a posterior", "tobac/posterior", "tobac/internal/report", false},
		{"root in bench", "tobac/bench", "tobac", false},
		{"root in a study", "tobac/internal/study", "tobac", true},
		{"a study in the root", "tobac", "tobac/internal/study", false},
		{"bench in the root", "tobac", "tobac/bench", false},
		{"bench in the command", "tobac/cmd/tobac", "tobac/bench", true},
		{"root in the command", "tobac/cmd/tobac", "tobac", true},
		{"command in the root", "tobac", "tobac/cmd/tobac", false},
		{"command in a command", "tobac/cmd/other", "tobac/cmd/tobac", false},
		{"a prefix is no folder", "tobac/svgd", "gonum.org/v1/gonumplot", false},
		{"a new dependency", "tobac/dag", "example.org/graph", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := permitted(row.pkg, row.imported); got != row.want {
				t.Errorf("%s imports %s: got permitted %v, want %v", row.pkg, row.imported, got,
					row.want)
			}
		})
	}
}

// ARCHITECTURE.md names every package but engines, parts of packages and what only tests import.
func TestArchitecture(t *testing.T) {
	page := must.Get(os.ReadFile("ARCHITECTURE.md"))(t)
	_, rooms, _ := strings.Cut(string(page), "\n## Rooms\n")
	rooms, _, _ = strings.Cut(rooms, "\n## ")
	named := strings.FieldsFunc(rooms, func(r rune) bool {
		return strings.ContainsRune("`{}, |/\n", r)
	})
	_, all := sources(t)
	seen := map[string]bool{}
	for _, s := range all {
		name, parent := path.Base(s.pkg), path.Dir(s.pkg)
		_, part := allowed[parent]
		part = part && !within(parent, "tobac/autograd") && parent != "tobac"
		if seen[s.pkg] || part || within(s.pkg, "tobac/bench") || strings.HasSuffix(name, "test") ||
			slices.Contains([]string{"rapidseed", "vm"}, name) {
			continue
		}
		seen[s.pkg] = true
		if !slices.Contains(named, name) {
			t.Errorf("ARCHITECTURE.md does not name package %s in a room", s.pkg)
		}
	}
}

// Every package is named after what it does.
func TestPackageNames(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		if slices.Contains(vague, path.Base(s.pkg)) || slices.Contains(vague, s.ast.Name.Name) {
			t.Errorf("%s: package %s, want a name that says what it is for", s.file, s.pkg)
		}
	}
}

// Libraries neither print, nor log, nor end the process: only the command does.
func TestOnlyTheCommandPrintsAndExits(t *testing.T) {
	fset, all := sources(t)
	banned := map[string][]string{
		"fmt": {"Print", "Printf", "Println"},
		"os":  {"Exit", "Stdout", "Stderr"},
	}
	for _, s := range all {
		if within(s.pkg, "tobac/cmd") {
			continue
		}
		for _, spec := range s.ast.Imports {
			if p := spec.Path.Value; p == `"log"` || p == `"log/slog"` {
				t.Errorf("%v: package %s imports %s", fset.Position(spec.Pos()), s.pkg, p)
			}
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(banned[x.Name], sel.Sel.Name) {
				t.Errorf("%v: package %s uses %s.%s", fset.Position(n.Pos()), s.pkg, x.Name,
					sel.Sel.Name)
			}
			return true
		})
	}
}
