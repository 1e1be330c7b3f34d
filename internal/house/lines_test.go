package house_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the widest line of Go that a reader gets, where a tab counts four.
const columns = 100

// Lines of Go have at most 100 columns under the module's shortest path. Free are lines that a
// generator wrote, raw strings, what examples print, and comments that are formulas or directives.
func TestLinesOfGo(t *testing.T) {
	files := 0
	head, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(string(head), "module "), "\n")
	err = filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() &&
			(d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		free := freeLines(text)
		for k, line := range strings.Split(string(text), "\n") {
			line = strings.ReplaceAll(line, path, "tobac")
			n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if n > columns && !free[k+1] {
				t.Errorf("%s:%d has %d columns, want at most %d", name, k+1, n, columns)
			}
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// freeLines are the lines of a file of Go that may be wider, counted from 1.
func freeLines(text []byte) map[int]bool {
	free := map[int]bool{}
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	generated, output := false, false
	for {
		at, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		first := set.Position(at).Line
		switch {
		case tok == token.STRING && lit[0] == '`':
			for k := first; k <= first+strings.Count(lit, "\n"); k++ {
				free[k] = true
			}
		case tok == token.COMMENT:
			output = output || strings.HasPrefix(lit, "// Output:") ||
				strings.HasPrefix(lit, "// Unordered output:")
			generated = generated || strings.HasPrefix(lit, "// Code generated ")
			free[first] = free[first] || output || !strings.HasPrefix(lit, "// ") ||
				strings.HasPrefix(lit, "//   ")
		default:
			output = false
		}
	}
	if generated {
		for k := range strings.Count(string(text), "\n") + 2 {
			free[k] = true
		}
	}
	return free
}
