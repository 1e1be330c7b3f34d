package study_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/internal/must"
	"tobac/internal/study"
)

// authorsFolder has five data sets of the names of the authors' ones, of two columns.
func authorsFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for run := range 5 {
		writeFolder(t, filepath.Join(dir, fmt.Sprintf("linear-d20-e40-run%d", run)),
			map[string]string{
				"train.csv":   fmt.Sprintf("a,b\n1,2\n2,%d\n3,1\n", run),
				"heldout.csv": "a,b\n1,1\n2,3\n", "graph.csv": "source,target\na,b\n",
			})
	}
	return dir
}

// writeFolder makes a folder with files in it.
func writeFolder(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	must.Do(t, os.Mkdir(dir, 0o755))
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
}

// The study beside the authors' program has two methods on five data sets with many seeds each, and
// its table a line for each before any cell is done.
func TestAuthors(t *testing.T) {
	o := study.Options{Seed: 1, Data: authorsFolder(t)}
	if cells := study.Cells([]study.Study{one(t, study.Authors, o)}); len(cells) != 5*20*2 {
		t.Errorf("%d cells, want 200", len(cells))
	}
	o.Quick = true
	s := one(t, study.Authors, o)
	n := len(study.Cells([]study.Study{s}))
	if n != 5*5*2 {
		t.Errorf("%d quick cells, want 50", n)
	}
	r := must.Get(study.Collect([]study.Study{s}, make([][]byte, n), make([]string, n),
		make([]float64, n)))(t)
	table, ok := r.BesideAuthors()
	if !ok || len(table.Rows) != 5*2 {
		t.Fatalf("%d lines of the table, want 10", len(table.Rows))
	}
	if line := strings.Join(table.Rows[0], " | "); !strings.HasPrefix(line,
		"linear-d20-e40-run0 | TOBAC, EqVar (250 steps) | 42.0 / 0.963 / 1818 | 50.0 / 0.948") {
		t.Errorf("the first line is %s", line)
	}
	if !strings.Contains(table.Note, "over 5 inference seeds") ||
		!strings.Contains(table.Note, "√(1 + 1/5)") {
		t.Errorf("the note is %s", table.Note)
	}
}

// A cell of networks says how far its posterior is from the reference, which two of them share;
// that of tempering itself is nearest.
func TestNetworksBesideTheirReference(t *testing.T) {
	data := study.SimulatedData(study.Nonlinear, 6, 1, 4, 1, 4)[0]
	shared := study.Functions()[study.JobKind]
	off := map[string]float64{}
	for _, row := range one(t, study.Networks, study.Options{Seed: 1}).Sections[0].Rows {
		if row.Name != "gp-true" && row.Name != "tempering-true" {
			continue
		}
		c := study.Cell{Data: data, Method: row.Method, Seed: 1}
		text := must.Get(shared(t.Context(), c.Job()))(t)
		var o study.Outcome
		must.Do(t, json.Unmarshal(text, &o))
		e := o.Exact
		if e == nil || !(math.Abs(float64(e.LogProbDifference)) < 3) {
			t.Fatalf("%s: %+v", row.Name, e)
		}
		off[row.Name] = float64(e.MeanAbsError)
	}
	if !(off["tempering-true"] < 0.02 && off["tempering-true"] < off["gp-true"]) {
		t.Errorf("mean absolute errors %v", off)
	}
}

// A quick study has every method on every section, and every section of the full one.
func TestQuickStudyHasAllMethods(t *testing.T) {
	quick, full := all(t, study.Options{Quick: true}), all(t, study.Options{})
	for i, s := range full {
		for k, section := range s.Sections {
			got := quick[i].Sections[k]
			if got.Name != section.Name || len(got.Data) != study.QuickRuns ||
				len(got.Rows) != len(section.Rows) {
				t.Errorf("%s: quick has %d data sets and %d rows of %s", section.Name,
					len(got.Data), len(got.Rows), got.Name)
				continue
			}
			for r, row := range section.Rows {
				if q := got.Rows[r]; q.Name != row.Name || q.Kind != row.Kind ||
					q.Order != row.Order || q.Skipped != row.Skipped {
					t.Errorf("%s: quick has %s in the place of %s", section.Name, q.Name, row.Name)
				}
				if _, err := got.Rows[r].Config(); err != nil {
					t.Errorf("%s, %s: %v", section.Name, row.Name, err)
				}
			}
		}
	}
}
