package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tobac/dag"
	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/graphfile"
	"tobac/internal/memory"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// readPosterior reads what is to be judged: a folder that tobac fit wrote, a
// folder of adjacency matrices, or a file of edge probabilities. variables, if
// not nil, are the names of all variables, for files of other programs; edited is what
// --edited says.
func readPosterior(path string, variables []string, edited bool) (*posterior.Posterior, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w; allowed: %s", file.WithPath(path, err), judged)
	}
	if !info.IsDir() {
		if !edited {
			if err := file.CheckEdited(path); err != nil {
				return nil, err
			}
		}
		return readProbabilities(path, variables)
	}
	f, err := file.OpenFolder(path, edited)
	if err != nil {
		return nil, err
	}
	p, err := readDraws(f, path, particlesFile)
	if errors.Is(err, fs.ErrNotExist) {
		if p, err = readAdjacencies(path, variables); err != nil {
			err = fmt.Errorf("%s: no %s in it, and not a folder of adjacency matrices: %w", path,
				particlesFile, err)
		}
	}
	return p, err
}

// judged is what tobac eval takes.
const judged = "a folder written by tobac fit --out, a folder of adjacency matrices, or a file " +
	"of edge probabilities"

// readProbabilities reads a NumPy file, or text.
func readProbabilities(path string, variables []string) (*posterior.Posterior, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	if isNumPy(path) {
		return graphfile.ReadProbabilitiesNPY(f, path, variables)
	}
	return graphfile.ReadProbabilities(f, path, variables)
}

func isNumPy(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npy") }

// matrixFiles are the endings of files that may hold a matrix.
var matrixFiles = []string{".csv", ".tsv", ".txt", ".npy"}

// readAdjacencies reads every matrix in a folder as one graph of an equally
// weighted sample; other files are left alone.
func readAdjacencies(dir string, variables []string) (*posterior.Posterior, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, file.WithPath(dir, err)
	}
	names, first := variables, ""
	var graphs []*dag.Graph
	for _, entry := range entries { // sorted by name
		if info, err := os.Stat(filepath.Join(dir, entry.Name())); err == nil &&
			!info.Mode().IsRegular() ||
			!slices.Contains(matrixFiles, strings.ToLower(filepath.Ext(entry.Name()))) ||
			strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		own, m, err := readMatrix(path)
		if err != nil {
			return nil, err
		}
		switch {
		case names == nil:
			names, first = own, path
		case first == "":
			if own, m, err = graphfile.Arrange(own, m, names); err != nil {
				return nil, cli.Located(path, err)
			}
		}
		if !slices.Equal(own, names) {
			return nil, fmt.Errorf("%s: other variables than in %s", path, first)
		}
		g, err := graphfile.Adjacency(m)
		if err != nil {
			return nil, cli.Located(path, err)
		}
		graphs = append(graphs, g)
	}
	if graphs == nil {
		return nil, fmt.Errorf("no matrix (%s)", strings.Join(matrixFiles, ", "))
	}
	return graphfile.FromGraphs(names, graphs), nil
}

func readMatrix(path string) (names []string, m *mat.Dense, err error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // only read
	if isNumPy(path) {
		return graphfile.ReadMatrixNPY(f, path)
	}
	return graphfile.ReadMatrix(f, path)
}

// effectsHeader is the first line of effects.csv.
const effectsHeader = "from,to,mean,sd,q05,q50,q95,path,mean_in_sd"

// readEffects reads total effects as writeEffects wrote them; path names the file in errors.
func readEffects(in io.Reader, path string, names []string) ([]effects.Effect, error) {
	text, err := delimited.Read(in, path, delimited.Syntax{})
	if err != nil {
		return nil, err
	}
	fault := func(record delimited.Record, problem, allowed string) error {
		return &delimited.Error{Source: path, Line: record.Line, Problem: problem, Allowed: allowed}
	}
	var header []string
	for _, field := range text.Records[0].Fields {
		header = append(header, field.Text)
	}
	if strings.Join(header, ",") != effectsHeader {
		return nil, fault(text.Records[0],
			"header is "+delimited.Excerpt(strings.Join(header, ",")), effectsHeader)
	}
	numbers := text.Numbers()
	var all []effects.Effect
	for _, record := range text.Records[1:] {
		if len(record.Fields) != len(header) {
			return nil, fault(record,
				fmt.Sprintf("got %d values, want %d", len(record.Fields), len(header)), "")
		}
		var ends [2]int
		for k := range ends {
			name := record.Fields[k].Text
			if ends[k] = slices.Index(names, name); ends[k] < 0 {
				return nil, fault(record, "unknown variable "+delimited.Excerpt(name),
					delimited.Excerpts(names))
			}
		}
		v := make([]float64, len(header))
		for k := 2; k < len(v); k++ {
			if v[k] = math.NaN(); record.Fields[k].Text == "" {
				continue
			}
			if v[k], err = numbers.Parse(record.Fields[k].Text, record.Line,
				header[k]); err != nil {
				return nil, err
			}
		}
		all = append(all, effects.Effect{From: ends[0], To: ends[1], Path: v[7], InSD: v[8],
			Positive: math.NaN(), Negative: math.NaN(),
			Distribution: effects.Distribution{Mean: v[2], SD: v[3], Q05: v[4], Q50: v[5],
				Q95: v[6]}})
	}
	return all, nil
}

// effectsFile holds the total effects of a run.
const effectsFile = "effects.csv"

// errNoSummary is for a folder without what a report needs.
var errNoSummary = errors.New("allowed: a folder written by tobac fit --out")

// needed adds to the error of a missing file what is allowed instead.
func needed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; %w", err, errNoSummary)
	}
	return err
}

// readDraws reads a posterior in a folder that tobac fit wrote.
func readDraws(f *file.Folder, dir, name string) (*posterior.Posterior, error) {
	in, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read: closing cannot lose anything
	p, err := posterior.Read(in, filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	return p, f.SameRun(name, p.Run)
}

// storedText is all of a file in a folder of results.
func storedText(files *file.Folder, folder, name string) ([]byte, error) {
	in, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	text, err := memory.ReadAll(in, 4)
	if err != nil {
		return nil, file.WithPath(filepath.Join(folder, name), err)
	}
	return text, nil
}
