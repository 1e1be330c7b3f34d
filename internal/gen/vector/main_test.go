package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCommitted: the files of package vector are those that this program writes.
func TestCommitted(t *testing.T) {
	folder := t.TempDir()
	for _, f := range files {
		if err := write(folder, f.name, f.kernels); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) != 3*len(files) {
		t.Fatalf("wrote %d files, want %d; %v", len(names), 3*len(files), err)
	}
	for _, name := range names {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("../../vector", filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the committed one: run go generate ./internal/vector", filepath.Base(name))
		}
	}
}
