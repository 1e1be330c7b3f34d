package house_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"tobac/internal/house"
	"tobac/internal/must"
)

// limit is the largest circle of files that a package may have.
const limit = 4

// module has the packages of the module, read once.
var module = sync.OnceValues(func() ([]*house.Package, error) { return house.Load("../..") })

// Files of a package have a direction: what needs each other is at most four files.
func TestFilesHaveADirection(t *testing.T) {
	packages := must.Get(module())(t)
	if len(packages) < 40 {
		t.Fatalf("got %d packages, want the whole module", len(packages))
	}
	for _, p := range packages {
		if circle := p.Circle(); len(circle) > limit {
			t.Errorf("%s: %d files need each other, want at most %d:\n%s", p.Folder, len(circle),
				limit, p.Explain(circle))
		}
	}
}

// asserted are the tests of a model's or an engine's concrete type outside its package that are
// left: recipes and options that change settings of one engine or model. The list may only shrink.
var asserted = []string{
	"cmd/tobac/choices.go: stein.SVGD",
	"cmd/tobac/phrases.go: stein.DiBS", "cmd/tobac/phrases.go: stein.SVGD",
	"internal/reference/build.go: neural.Tempering",
	"internal/study/fit.go: stein.DiBS", "internal/study/fit.go: stein.SVGD",
	"internal/study/networks.go: stein.SVGD",
}

// Who handles all models and engines asks for a power, never for a type.
func TestNoTypeTests(t *testing.T) {
	packages := must.Get(module())(t)
	var got []string
	for _, p := range packages {
		got = append(got, p.Asserted(func(path string) bool {
			return path == "tobac/sem" || strings.HasPrefix(path, "tobac/engine")
		})...)
	}
	slices.Sort(got)
	got = slices.Compact(got)
	only(t, got, asserted, "a test of a concrete type, want a power")
}

// only checks that faults are the exceptions, and that no exception has gone.
func only(t *testing.T, faults, exceptions []string, fault string) {
	t.Helper()
	for _, at := range faults {
		if !slices.Contains(exceptions, at) {
			t.Errorf("%s: %s", at, fault)
		}
	}
	for _, at := range exceptions {
		if !slices.Contains(faults, at) {
			t.Errorf("%s is no exception any more", at)
		}
	}
}

// Each power that somebody asks models for has a model: one whose method has another name or
// signature would be taken for a model without the power.
func TestPowersHaveModels(t *testing.T) {
	packages := must.Get(module())(t)
	powers := 0
	for _, p := range packages {
		for power, at := range p.Asked("tobac/sem", "As") {
			powers++
			if !slices.ContainsFunc(packages, func(p *house.Package) bool {
				return p.Implements(power)
			}) {
				t.Errorf("%s: no model has\n%s", at, power)
			}
		}
	}
	if powers < 20 {
		t.Errorf("%d powers, want those of the module", powers)
	}
}

// Links of comments lead to what is there.
func TestLinks(t *testing.T) {
	packages := must.Get(module())(t)
	for _, p := range packages {
		for _, at := range p.Dangling(packages) {
			t.Errorf("%s leads nowhere", at)
		}
	}
}

// hidden are the types of exported names that go doc does not show and that are left. The list may
// only shrink.
var hidden = []string{
	". Result.Sequence: inspect.Sequence",
	"autograd Function.Lowered: ir.Func",
	"engine Outcome.Functional: drawn.Functions",
	"engine Shared.Sequence: inspect.Sequence",
	"engine/bcdnets BCDNets.Training: bcd.Settings", "engine/bcdnets Settings: bcd.Settings",
	"engine/flownets GFlowNet.Training: gflownet.Settings",
	"engine/flownets Settings: gflownet.Settings",
}

// Exported names speak of exported types only, so that go doc is complete.
func TestPublicTypesDirection(t *testing.T) {
	packages := must.Get(module())(t)
	var got []string
	for _, p := range packages {
		if strings.Contains("/"+p.Folder+"/", "/internal/") || p.Types.Name() == "main" {
			continue
		}
		for _, at := range p.Hidden() {
			got = append(got, p.Folder+" "+at)
		}
	}
	only(t, got, hidden, "not in go doc")
}

func TestCircle(t *testing.T) {
	packages := must.Get(house.Load("testdata/circle"))(t)
	if got, want := packages[0].Circle(),
		[]string{"a.go", "b.go", "c.go"}; !slices.Equal(got, want) {
		t.Errorf("got the circle %v, want %v", got, want)
	}
	if got, want := packages[0].Exported(),
		[]string{"A", "A.Method", "V"}; !slices.Equal(got, want) {
		t.Errorf("got the exported names %v, want %v", got, want)
	}
}
