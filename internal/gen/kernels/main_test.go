package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCommitted: the files in the repository are those that this program writes.
func TestCommitted(t *testing.T) {
	const root = "../../.."
	files, err := write(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the committed one: run go generate ./internal/vector", name)
		}
	}
}
