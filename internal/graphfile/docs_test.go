package graphfile_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/internal/graphfile"
	"tobac/internal/must"
)

// documented is the graph of formats.md.
func documented() *graphfile.Graph {
	return &graphfile.Graph{Names: []string{"smoking", "tar", "lung cancer", "age"},
		Edges: []graphfile.Edge{
			{From: 0, To: 1, Probability: graphfile.Known(0.98), Adjacent: graphfile.Known(1),
				Weight: graphfile.Known(1.5), WeightSD: graphfile.Known(0.2)},
			{From: 1, To: 2, Undirected: true, Probability: graphfile.Known(0.55),
				Adjacent: graphfile.Known(0.93), Weight: graphfile.Known(0.8)},
		}}
}

// The files in formats.md are what is written, and the others there can be read.
func TestDocumentedFormats(t *testing.T) {
	page := must.Get(os.ReadFile("formats.md"))(t)
	shown := map[string]bool{}
	for _, block := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(
		string(page), -1) {
		name, text := block[1], block[2]
		if name == "read" {
			if _, _, err := graphfile.Read(strings.NewReader(text), "formats.md"); err != nil {
				t.Errorf("%v:\n%s", err, text)
			}
			continue
		}
		shown[name] = true
		for _, f := range graphfile.Formats() {
			if f.String() != name {
				continue
			}
			g := documented()
			var got strings.Builder
			must.Do(t, f.Write(&got, g))
			if diff := cmp.Diff(got.String(), text); diff != "" {
				t.Errorf("%v (-written +formats.md):\n%s", f, diff)
			}
		}
	}
	for _, f := range graphfile.Formats() {
		if !shown[f.String()] && f != graphfile.NPY && f != graphfile.NPZ {
			t.Errorf("formats.md has no example of %v", f)
		}
		if !strings.Contains(string(page), "`"+f.String()+"`") ||
			!strings.Contains(string(page), "`"+f.Ending()+"`") {
			t.Errorf("formats.md does not name %v or %s", f, f.Ending())
		}
	}
}
