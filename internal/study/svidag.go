package study

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tobac"
	"tobac/metrics"
)

// The cases of the comparison and its numbers of rows.
var (
	svidagCases = []struct {
		number int
		text   string
		linear bool // judged on equivalence classes
	}{
		{2, "linear, 25 variables, 40 edges", true},
		{3, "nonlinear, 25 variables, 40 edges", false},
		{5, "linear, 50 variables, 80 edges", true},
		{6, "nonlinear, 50 variables, 80 edges", false},
	}
	svidagRows    = []int{100, 316, 1000, 3162}
	svidagMethods = []struct{ name, title string }{
		{"dibs", "DiBS"}, {"bcd", "BCD Nets"}, {"dds", "DDS"}, {"bayesdag", "BayesDAG"},
		{"prodag", "ProDAG"}, {"svidag", "SVI-DAG"},
	}
)

// mostReplicates is how many tables of a cell are looked for.
const mostReplicates = 100

// svidagSection is the name of a cell of the comparison, as of its folders.
func svidagSection(number, rows int) string { return fmt.Sprintf("case%d-n%d", number, rows) }

// svidagSections are the cells of a folder of tables: this program's default beside the published
// results. A cell without a table is left out; runs bounds the tables of each, 0 takes all.
func svidagSections(dir string, runs int) (all []Section, err error) {
	known, err := readSVIDAG(filepath.Join(dir, "published.csv"))
	if err != nil {
		return nil, err
	}
	if runs == 0 {
		runs = mostReplicates
	}
	for _, c := range svidagCases {
		for _, rows := range svidagRows {
			name := svidagSection(c.number, rows)
			s := Section{
				Name: name, Title: fmt.Sprintf("case %d: %s, n = %d", c.number, c.text, rows),
				Panel: fmt.Sprintf("case %d, n = %d", c.number, rows),
				Rows: []Row{{Method: fitMethod("default", "this program's default", NoOrder,
					tobac.Config{})}},
			}
			for k := range min(runs, mostReplicates) {
				d, err := readFolder(filepath.Join(dir, fmt.Sprintf("%s-r%d", name, k)),
					Data{Source: SVIDAGTables, Classes: c.linear}, svidagFiles)
				if errors.Is(err, fs.ErrNotExist) {
					break
				}
				if err != nil {
					return nil, err
				}
				s.Data = append(s.Data, d)
			}
			if len(s.Data) == 0 {
				continue
			}
			for _, m := range svidagMethods {
				line := published{Method: Method{Name: m.name, Title: m.title + ", published",
					Kind: PublishedKind}}
				for k := range s.Data {
					var o *Outcome
					p, ok := known[svidagKey{c.number, rows, k, m.name}]
					if ok {
						o = &Outcome{SVIDAG: &p.SVIDAGScores}
					}
					line.outcomes, line.seconds = append(line.outcomes, o),
						append(line.seconds, p.seconds)
				}
				s.published = append(s.published, line)
			}
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no folder such as %s-r0 with train.npy and graph.csv", dir,
			svidagSection(2, 100))
	}
	return all, nil
}

// A svidagKey names a published result, and a svidagResult is one.
type svidagKey struct {
	number, rows, replicate int
	method                  string
}

type svidagResult struct {
	SVIDAGScores
	seconds float64 // on a GPU
}

// readSVIDAG reads the published results.
func readSVIDAG(path string) (map[svidagKey]svidagResult, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	want := []string{"case", "rows", "replicate", "method", "e_shd", "auroc", "brier", "e_f1",
		"seconds"}
	if len(lines) == 0 || !slices.Equal(lines[0], want) {
		return nil, fmt.Errorf("%s: the first line is not %v", path, want)
	}
	all := map[svidagKey]svidagResult{}
	for n, line := range lines[1:] {
		var whole [3]int
		for k := range whole {
			if whole[k], err = strconv.Atoi(line[k]); err != nil {
				return nil, fmt.Errorf("%s, line %d: %s is %q, want a whole number", path, n+2,
					want[k], line[k])
			}
		}
		var v [5]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(line[4+k], 64); err != nil {
				return nil, fmt.Errorf("%s, line %d: %s is %q, want a number", path, n+2, want[4+k],
					line[4+k])
			}
		}
		scores := SVIDAGScores{metrics.Number(v[0]), metrics.Number(v[1]), metrics.Number(v[2]),
			metrics.Number(v[3])}
		all[svidagKey{whole[0], whole[1], whole[2], line[3]}] = svidagResult{scores, v[4]}
	}
	return all, nil
}
