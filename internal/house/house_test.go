package house_test

import (
	"slices"
	"testing"

	"tobac/internal/house"
)

// limit is the largest circle of files that a package may have.
const limit = 4

// exceptions are the packages above the limit, with the size of their circle. It may only shrink.
var exceptions = map[string]int{
	"autograd":                  13,
	"autograd/internal/dense":   16,
	"autograd/internal/lane":    12,
	"autograd/internal/lane/vm": 8,
}

// Files of a package have a direction: what needs each other is at most four files.
func TestFilesHaveADirection(t *testing.T) {
	packages, err := house.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 40 {
		t.Fatalf("got %d packages, want the whole module", len(packages))
	}
	for _, p := range packages {
		circle := p.Circle()
		allowed := max(limit, exceptions[p.Folder])
		switch {
		case len(circle) > allowed:
			t.Errorf("%s: %d files need each other, want at most %d:\n%s", p.Folder, len(circle), allowed, p.Explain(circle))
		case allowed > limit && len(circle) <= limit:
			t.Errorf("%s: the largest circle has %d files: it is no exception any more", p.Folder, len(circle))
		}
	}
}

func TestCircle(t *testing.T) {
	packages, err := house.Load("testdata/circle")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := packages[0].Circle(), []string{"a.go", "b.go", "c.go"}; !slices.Equal(got, want) {
		t.Errorf("got the circle %v, want %v", got, want)
	}
	if got, want := packages[0].Exported(), []string{"A", "A.Method", "V"}; !slices.Equal(got, want) {
		t.Errorf("got the exported names %v, want %v", got, want)
	}
}
