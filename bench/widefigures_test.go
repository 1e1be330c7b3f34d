package bench_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"tobac/internal/figures"
	"tobac/internal/must"
)

// A wideCell is a fit of bench/rivals/wide.
type wideCell struct {
	table                    string
	columns, rows, processor float64
}

func wideCells(t *testing.T) (all []wideCell) {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/wide.csv"))(t)
	lines := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	for _, line := range lines[1:] {
		c := wideCell{table: line[0]}
		for k, at := range []*float64{&c.columns, &c.rows, nil, &c.processor} {
			if at == nil {
				continue
			}
			*at = must.Get(strconv.ParseFloat(line[k+1], 64))(t)
		}
		all = append(all, c)
	}
	return all
}

// wideCurves are seconds of processor along columns or rows, a series for each table with several
// cells that keep accepts.
func wideCurves(all []wideCell, keep func(wideCell) bool,
	along func(wideCell) float64) (list []figures.Series) {
	for _, c := range all {
		if !keep(c) || slices.ContainsFunc(list, func(s figures.Series) bool {
			return s.Name == c.table
		}) {
			continue
		}
		at := map[float64]float64{}
		for _, o := range all {
			if keep(o) && o.table == c.table {
				at[along(o)] = o.processor
			}
		}
		s := figures.Series{Name: c.table, Runs: [][]float64{nil}}
		for x := range at {
			s.X = append(s.X, x)
		}
		slices.Sort(s.X)
		for _, x := range s.X {
			s.Runs[0] = append(s.Runs[0], at[x])
		}
		if len(s.X) > 1 {
			list = append(list, s)
		}
	}
	return list
}

// The figures of time over columns and rows show the cells that bench/rivals/wide --cells measured.
// TOBAC_FIGURES=write draws them anew.
//
//	bench/rivals/wide --tobac /tmp/tobac --columns 30,100,300 --cells bench/testdata/wide.csv
//	TOBAC_FIGURES=write go test ./bench -run TestWideFigures
func TestWideFigures(t *testing.T) {
	all := wideCells(t)
	for name, c := range map[string]figures.Curves{
		"wide-columns": {Title: "Markov chains until they agree, 1,000 rows", X: "columns",
			Series: wideCurves(all, func(c wideCell) bool { return c.rows == 1000 },
				func(c wideCell) float64 { return c.columns })},
		"wide-rows": {Title: "Markov chains until they agree, 30 columns", X: "rows",
			Series: wideCurves(all, func(c wideCell) bool { return c.columns == 30 },
				func(c wideCell) float64 { return c.rows })},
	} {
		c.Y, c.LogX, c.LogY = "seconds of processor", true, true
		figure, err := c.Draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got bytes.Buffer
		must.Do(t, figure.WriteSVG(&got))
		file := filepath.Join("figures", name+".svg")
		if os.Getenv("TOBAC_FIGURES") == "write" {
			must.Do(t, os.WriteFile(file, got.Bytes(), 0o644))
		}
		if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s does not show testdata/wide.csv (%v): TOBAC_FIGURES=write", file, err)
		}
	}
}
