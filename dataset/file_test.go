package dataset_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
)

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadFileChoosesByExtension(t *testing.T) {
	folder := t.TempDir()
	text := []byte("a,b\n1,2\n")
	array := npyFile("<f8", "False", "(1, 2)", binary.LittleEndian, []float64{1, 2})
	for name, data := range map[string][]byte{"t.csv": text, "t.tsv": text, "T.TXT": text,
		"plain": text, "t.npy": array, "T.NPY": array} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name)
			writeFile(t, path, data)
			got, err := dataset.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if want := mat.NewDense(1, 2, []float64{1, 2}); !mat.Equal(got.X, want) {
				t.Errorf("got %v", got.X)
			}
		})
	}
}

func TestReadFileErrors(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing.csv")
	_, err := dataset.ReadFile(missing)
	if want := missing + ": no such file or directory"; err == nil || err.Error() != want ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file\n got %v\nwant %s", err, want)
	}
	_, err = dataset.ReadFile(folder)
	if want := folder + ": is a folder; allowed: a text table or a NumPy file (.npy)"; err == nil ||
		err.Error() != want {
		t.Errorf("directory\n got %v\nwant %s", err, want)
	}
	ragged := filepath.Join(folder, "ragged.csv")
	writeFile(t, ragged, []byte("a,b\n1\n"))
	_, err = dataset.ReadFile(ragged)
	if want := ragged + ": line 2: got 1 values, want 2 as on line 1"; err == nil ||
		err.Error() != want {
		t.Errorf("ragged rows\n got %v\nwant %s", err, want)
	}
}
