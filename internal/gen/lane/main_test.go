package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The assembly in the repository is what the description makes.
func TestCommitted(t *testing.T) {
	const committed = "../../../autograd/internal/lane/vm"
	dir := t.TempDir()
	table, err := os.ReadFile(filepath.Join(committed, "table.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "table.go"), table, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"avx2_amd64.s", "avx512_amd64.s"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate makes", name)
		}
	}
}
