package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/file"
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
			err = fmt.Errorf("%s: no %s in it, and not a folder of adjacency matrices: %w", path, particlesFile, err)
		}
	}
	return p, err
}

// judged is what tobac eval takes.
const judged = "a folder written by tobac fit --out, a folder of adjacency matrices, or a file of edge probabilities"

// readProbabilities reads a NumPy file, or text.
func readProbabilities(path string, variables []string) (*posterior.Posterior, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	if isNumPy(path) {
		return posterior.ReadProbabilitiesNPY(f, path, variables)
	}
	return posterior.ReadProbabilities(f, path, variables)
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
		if info, err := os.Stat(filepath.Join(dir, entry.Name())); err == nil && !info.Mode().IsRegular() || !slices.Contains(matrixFiles, strings.ToLower(filepath.Ext(entry.Name()))) || strings.HasPrefix(entry.Name(), ".") {
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
			if own, m, err = posterior.Arrange(own, m, names); err != nil {
				return nil, cli.Located(path, err)
			}
		}
		if !slices.Equal(own, names) {
			return nil, fmt.Errorf("%s: other variables than in %s", path, first)
		}
		g, err := posterior.Adjacency(m)
		if err != nil {
			return nil, cli.Located(path, err)
		}
		graphs = append(graphs, g)
	}
	if graphs == nil {
		return nil, fmt.Errorf("no matrix (%s)", strings.Join(matrixFiles, ", "))
	}
	return posterior.FromGraphs(names, graphs), nil
}

func readMatrix(path string) (names []string, m *mat.Dense, err error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // only read
	if isNumPy(path) {
		return posterior.ReadMatrixNPY(f, path)
	}
	return posterior.ReadMatrix(f, path)
}
