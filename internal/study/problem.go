package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/numpy"
	"tobac/internal/stream"
)

// Problem is one data set, with the graph that made it.
type Problem struct {
	Name    string
	Train   *dataset.Table
	Heldout *dataset.Table // nil means none
	Truth   *dag.Graph
}

// Source is where the rows of a [Data] come from.
type Source string

const (
	// Sachs are random splits of the standardised flow cytometry data.
	Sachs Source = "sachs"
	// Linear and Nonlinear are simulated, by [dataset.SimulateLinear] and
	// [dataset.SimulateNonlinear] on a graph of [dataset.SimulateER].
	Linear    Source = "linear"
	Nonlinear Source = "nonlinear"
	// Tables are given, see [ReadTables].
	Tables Source = "tables"
	// SVIDAGTables are tables of the SVI-DAG comparison (Zinage 2026), each a folder with train.npy
	// and graph.csv, that are judged by its metrics.
	SVIDAGTables Source = "svi-dag"
)

// Data says which problem a cell is about, by everything that determines it.
type Data struct {
	// Name stands in tables and in the names of cells. It determines nothing.
	Name   string `json:"-"`
	Source Source `json:"source"`
	// Vars, EdgesPerNode and Rows are the size of simulated data, as many rows being held out as
	// there are for training; noise variances are 0.1.
	Vars         int     `json:"vars,omitempty"`
	EdgesPerNode float64 `json:"edges_per_node,omitempty"`
	Rows         int     `json:"rows,omitempty"`
	// Seed of the simulation, or of the splits, of which Run is the number.
	Seed uint64 `json:"seed"`
	Run  int    `json:"run,omitempty"`
	// Digests of the tables of the source Tables, in the sequence of their files.
	Digests []string `json:"digests,omitempty"`
	// Classes says that a table of [SVIDAGTables] is judged on equivalence classes.
	Classes bool `json:"classes,omitempty"`

	tables [][]byte
	width  int // columns of these
}

// vars is the number of variables, 0 if it is not known before the tables are read.
func (d Data) vars() int {
	switch d.Source {
	case Sachs:
		return sachsVars
	case Tables, SVIDAGTables:
		return d.width
	}
	return d.Vars
}

// SachsData are the problems of Table I, one for each run.
func SachsData(runs int, seed uint64) []Data {
	all := make([]Data, runs)
	for r := range all {
		all[r] = Data{Name: fmt.Sprintf("sachs-split%d", r), Source: Sachs, Seed: seed, Run: r}
	}
	return all
}

// SimulatedData are data sets of one size, one for each run. Sizes share what they can: with the
// same seed, run number and number of variables, more rows continue the same table, and linear and
// nonlinear sets have the same graph.
func SimulatedData(source Source, vars int, edgesPerNode float64, rows, runs int,
	seed uint64) []Data {
	all := make([]Data, runs)
	for r := range all {
		all[r] = Data{
			Name: fmt.Sprintf("%s-d%d-e%g-n%d-run%d", source, vars, edgesPerNode*float64(vars),
				rows, r),
			Source: source, Vars: vars, EdgesPerNode: edgesPerNode, Rows: rows,
			Seed: stream.Seed(seed, stream.StudyRun, r),
		}
	}
	return all
}

// tableFiles are those of a folder of [ReadTables].
var tableFiles = []string{"train.csv", "heldout.csv", "graph.csv"}

// ReadTables reads a folder with the files train.csv, heldout.csv and graph.csv that tobac simulate
// writes; the data set is named after the folder.
func ReadTables(dir string) (Data, error) {
	return readFolder(dir, Data{Source: Tables}, tableFiles)
}

// readFolder reads the files of a folder, after which the data set is named.
func readFolder(dir string, d Data, files []string) (Data, error) {
	d.Name = filepath.Base(dir)
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return Data{}, err
		}
		d.tables = append(d.tables, text)
		d.Digests = append(d.Digests, digest(text))
	}
	p, err := d.Problem()
	if err != nil {
		return Data{}, fmt.Errorf("%s: %w", dir, err)
	}
	d.width = p.Truth.Len()
	return d, nil
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Problem makes or reads the data set.
func (d Data) Problem() (*Problem, error) {
	switch d.Source {
	case Sachs:
		return sachsSplit(d.Seed, d.Run)
	case Linear, Nonlinear:
		return d.simulate()
	case Tables:
		return d.parse()
	case SVIDAGTables:
		return d.parseSVIDAG()
	}
	return nil, fmt.Errorf("study: data of unknown source %q", d.Source)
}

func (d Data) simulate() (*Problem, error) {
	g, err := dataset.SimulateER(dataset.ERConfig{Vars: d.Vars, EdgesPerNode: d.EdgesPerNode,
		Seed: d.Seed})
	if err != nil {
		return nil, err
	}
	var s *dataset.Simulation
	if d.Source == Linear {
		s, err = dataset.SimulateLinear(g,
			dataset.LinearConfig{Rows: d.Rows, HeldoutRows: d.Rows, Seed: d.Seed})
	} else {
		s, err = dataset.SimulateNonlinear(g,
			dataset.NonlinearConfig{Rows: d.Rows, HeldoutRows: d.Rows, Seed: d.Seed})
	}
	if err != nil {
		return nil, err
	}
	return &Problem{Name: d.Name, Train: s.Train, Heldout: s.Heldout, Truth: g}, nil
}

func (d Data) parse() (*Problem, error) {
	if len(d.tables) != len(tableFiles) {
		return nil, fmt.Errorf("study: %d tables, want %d: %s", len(d.tables), len(tableFiles),
			strings.Join(tableFiles, ", "))
	}
	p := &Problem{Name: d.Name}
	var err error
	if p.Train, err = dataset.ReadCSV(bytes.NewReader(d.tables[0]), tableFiles[0]); err != nil {
		return nil, err
	}
	if p.Heldout, err = dataset.ReadCSV(bytes.NewReader(d.tables[1]), tableFiles[1]); err != nil {
		return nil, err
	}
	if p.Truth, _, err = dag.ReadEdges(bytes.NewReader(d.tables[2]), tableFiles[2],
		p.Train.Names); err != nil {
		return nil, err
	}
	return p, nil
}

// sachsVars is the number of variables of the Sachs data.
const sachsVars = 11

// sachsSplit is a problem of Table I: the flow cytometry data of package dataset, standardised on
// all 853 rows, then split at random into 767 training and 86 held-out rows, which depend on seed
// and run only.
func sachsSplit(seed uint64, run int) (*Problem, error) {
	if run < 0 {
		return nil, errors.New("study: a split of a negative number")
	}
	raw, truth, err := dataset.Sachs()
	if err != nil {
		return nil, err
	}
	table, err := raw.Standardize()
	if err != nil {
		return nil, err
	}
	p := &Problem{Name: fmt.Sprintf("sachs-split%d", run), Truth: truth}
	p.Train, p.Heldout, err = table.Split(0.1, stream.New(seed, stream.SachsSplit, run))
	return p, err
}

// svidagFiles are those of a folder of [SVIDAGTables].
var svidagFiles = []string{"train.npy", "graph.csv"}

// parseSVIDAG makes the problem of a table.
func (d Data) parseSVIDAG() (*Problem, error) {
	if len(d.tables) != len(svidagFiles) {
		return nil, fmt.Errorf("study: %d tables, want %d: %s", len(d.tables), len(svidagFiles),
			strings.Join(svidagFiles, ", "))
	}
	a, err := numpy.Read(bytes.NewReader(d.tables[0]))
	if err != nil {
		return nil, fmt.Errorf("train.npy: %w", err)
	}
	x, err := a.Matrix()
	if err != nil {
		return nil, fmt.Errorf("train.npy: %w", err)
	}
	_, width := x.Dims()
	t := &dataset.Table{X: x}
	for j := range width {
		t.Names = append(t.Names, fmt.Sprintf("X%d", j))
	}
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("train.npy: %w", err)
	}
	truth, _, err := dag.ReadEdges(bytes.NewReader(d.tables[1]), "graph.csv", t.Names)
	if err != nil {
		return nil, err
	}
	return &Problem{Name: d.Name, Train: t, Truth: truth}, nil
}
