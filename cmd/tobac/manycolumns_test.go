package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"tobac"
	"tobac/engine"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// edges.csv and pairs.csv list whatever has a probability above 0 up to 100 columns, and of more
// columns what has one of 0.001 or more.
func TestFilesOfManyColumns(t *testing.T) {
	for d, want := range map[int]int{100: 3, 101: 2} {
		p := &posterior.Posterior{Kind: posterior.Draws}
		for j := range d {
			p.Names = append(p.Names, fmt.Sprint("x", j))
		}
		p.Probabilities = mat.NewDense(d, d, nil)
		p.Probabilities.Set(0, 1, 0.5)
		p.Probabilities.Set(2, 3, 0.001)
		p.Probabilities.Set(4, 5, 0.0009)
		r := &result{Result: &tobac.Result{Outcome: engine.Outcome{Posterior: p}}}
		var edges, pairs bytes.Buffer
		if err := r.writeEdges(&edges); err != nil {
			t.Fatal(err)
		}
		if err := r.writePairs(&pairs); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"edges.csv": edges.String(),
			"pairs.csv": pairs.String()} {
			if got := strings.Count(text, "\n") - 1; got != want {
				t.Errorf("%s of %d columns lists %d, want %d:\n%s", name, d, got, want, text)
			}
		}
	}
}

// Total effects between all pairs are of at most results.effects columns; the output says how to
// get others.
func TestEffectsOfManyColumns(t *testing.T) {
	simulated(t)
	got := succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--details", "--set",
		"results.effects=2", "--out", "run")...)
	if _, err := os.Stat("run/" + effectsFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want none", effectsFile, err)
	}
	if want := "columns were not computed: tobac effect has those of one column"; !strings.Contains(
		got.stdout, want) {
		t.Errorf("no %q in\n%s", want, got.stdout)
	}
}
