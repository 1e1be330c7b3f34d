package figures_test

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/figures"
	"tobac/internal/must"
)

// -gallery DIR writes all figures of the gallery, to be looked at.
var galleryDir = flag.String("gallery", "", "folder for the figures of the tests")

// Every figure of the gallery is drawn twice with the same bytes.
func TestGallery(t *testing.T) {
	again := gallery()
	for name, g := range gallery() {
		t.Run(name, func(t *testing.T) {
			f := must.Get(g.Draw())(t)
			second := must.Get(again[name].Draw())(t)
			var svg, other, png bytes.Buffer
			for _, err := range []error{f.WriteSVG(&svg), second.WriteSVG(&other)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(svg.Bytes(), other.Bytes()) {
				t.Error("a second drawing has other bytes")
			}
			if *galleryDir == "" && strings.Contains(name, "-") { // drawing is slow
				return
			}
			must.Do(t, f.WritePNG(&png))
			if *galleryDir == "" {
				return
			}
			for ending, b := range map[string][]byte{".svg": svg.Bytes(), ".png": png.Bytes()} {
				must.Do(t, os.WriteFile(filepath.Join(*galleryDir, name+ending), b,
					0o666))
			}
		})
	}
}

// Faults of values are errors that say where.
func TestErrors(t *testing.T) {
	nan, zero := math.NaN(), 0.0
	one := figures.Predictions{Probabilities: []float64{0.5, 0.1}, Edges: []bool{true, false}}
	for want, d := range map[string]drawer{
		"box plots: got 0 methods and 0 groups, " +
			"want at least one of each": figures.Boxes{},
		`box plots: group "g": got values of 0 methods, want 1`: figures.Boxes{Methods: []string{"m"}, Groups: []figures.Group{{Name: "g"}}},
		`box plots: got 2 kinds for 1 methods`:                  figures.Boxes{Methods: []string{"m"}, Kinds: []int{1, 2}, Groups: []figures.Group{{}}},
		`box plots: got kind 2, want 0 to 1`:                    figures.Boxes{Methods: []string{"m"}, Kinds: []int{2}, KindNames: []string{"a", "b"}, Groups: []figures.Group{{}}},
		`box plots: group "g": got level NaN`:                   figures.Boxes{Methods: []string{"m"}, Groups: []figures.Group{{Name: "g", Values: [][]float64{{1}}, Level: &nan}}},
		`box plots: group "g", m: got -1, want positive numbers on a ` +
			`logarithmic axis`: figures.Boxes{Log: true, Methods: []string{"m"}, Groups: []figures.Group{{Name: "g", Values: [][]float64{{-1}}}}},
		"ROC curves: no methods": figures.ROC{},
		"ROC curves: m: no data sets": figures.ROC{
			Methods: []figures.Judged{{Method: "m"}}},
		"ROC curves: m, data set 2: want pairs with and without an edge": figures.ROC{
			Methods: []figures.Judged{{Method: "m", Sets: []figures.Predictions{one,
				{Probabilities: []float64{1}, Edges: []bool{true}}}}}},
		"calibration: m, data set 1: 1 " +
			"probabilities of 2 pairs": figures.Calibration{Methods: []figures.Judged{{Method: "m",
			Sets: []figures.Predictions{{Probabilities: []float64{1},
				Edges: []bool{true, true}}}}}},
		"calibration: m, data set 1, pair 1: got " +
			"probability NaN, want 0 to 1": figures.Calibration{
			Methods: []figures.Judged{{Method: "m",
				Sets: []figures.Predictions{{Probabilities: []float64{nan},
					Edges: []bool{true}}}}}},
		"heat maps: got 0 variables and 0 maps, want 1 " +
			"to 100 and at least one": figures.Maps{},
		"heat maps: m: got a matrix " +
			"2×2 for 1 variables": figures.Maps{Names: []string{"a"},
			Maps: []figures.Map{{Name: "m", Probabilities: mat.NewDense(2, 2, nil)}}},
		"heat maps: m, entry (1, 2): got " +
			"probability 2, want 0 to 1": figures.Maps{Names: []string{"a", "b"},
			Maps: []figures.Map{{Name: "m",
				Probabilities: mat.NewDense(2, 2, []float64{0, 2, 0, 0})}}},
		"curves: got 0 series, want 1 to 14": figures.Curves{},
		"curves: s: place 2 is 1, want " +
			"numbers that ascend": figures.Curves{Series: []figures.Series{{Name: "s",
			X: []float64{2, 1}, Runs: [][]float64{{1, 2}}}}},
		"curves: s, run 1: got 1 " +
			"values for 2 places": figures.Curves{Series: []figures.Series{{Name: "s",
			X: []float64{1, 2}, Runs: [][]float64{{1}}}}},
		"curves: got level 0": figures.Curves{LogY: true, Level: &zero,
			Series: []figures.Series{{Name: "s", X: []float64{1, 2}, Runs: [][]float64{{1, 2}}}}},
	} {
		if _, err := d.Draw(); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}
