package dataset_test

import (
	"encoding/binary"
	"errors"
	"io"
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
	for name, data := range map[string][]byte{"t.csv": text, "t.tsv": text, "T.TXT": text, "plain": text, "t.npy": array, "T.NPY": array} {
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
	if want := missing + ": no such file or directory"; err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file\n got %v\nwant %s", err, want)
	}
	_, err = dataset.ReadFile(folder)
	if want := folder + ": is a directory; allowed: a text table or a NumPy file (.npy)"; err == nil || err.Error() != want {
		t.Errorf("directory\n got %v\nwant %s", err, want)
	}
	ragged := filepath.Join(folder, "ragged.csv")
	writeFile(t, ragged, []byte("a,b\n1\n"))
	_, err = dataset.ReadFile(ragged)
	if want := ragged + ": line 2: got 1 values, want 2 as on line 1"; err == nil || err.Error() != want {
		t.Errorf("ragged rows\n got %v\nwant %s", err, want)
	}
}

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// checkFolder compares the content of path and asserts that nothing else lies beside it.
func checkFolder(t *testing.T, path, want string, others ...string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("content %q, want %q", got, want)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1+len(others) {
		t.Errorf("folder holds %v, want the file and %v", entries, others)
	}
}

func TestWriteAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	if err := dataset.WriteAtomic(path, write("first")); err != nil {
		t.Fatal(err)
	}
	checkFolder(t, path, "first")
	checkMode(t, path, 0o644)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteAtomic(path, write("second")); err != nil {
		t.Fatal(err)
	}
	checkFolder(t, path, "second")
	checkMode(t, path, 0o600)
}

func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("mode %v, want %v", got, want)
	}
}

func TestWriteAtomicLeavesTheOldFileOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	writeFile(t, path, []byte("old"))
	t.Run("error", func(t *testing.T) {
		broken := &fs.PathError{Op: "read", Path: "elsewhere", Err: errors.New("broken")}
		err := dataset.WriteAtomic(path, func(w io.Writer) error { return errors.Join(write("half")(w), broken) })
		if want := path + ": read elsewhere: broken"; err == nil || err.Error() != want || !errors.Is(err, broken) {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
		checkFolder(t, path, "old")
	})
	t.Run("panic", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
			checkFolder(t, path, "old")
		}()
		_ = dataset.WriteAtomic(path, func(w io.Writer) error { panic("broken") })
	})
}

func TestWriteAtomicPlaces(t *testing.T) {
	folder := t.TempDir()
	t.Run("no folder", func(t *testing.T) {
		path := filepath.Join(folder, "nowhere", "out.csv")
		err := dataset.WriteAtomic(path, write("x"))
		if want := path + ": no such file or directory"; err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	})
	t.Run("is a folder", func(t *testing.T) {
		err := dataset.WriteAtomic(folder, write("x"))
		if want := folder + ": is a directory"; err == nil || err.Error() != want {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	})
	t.Run("below a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		writeFile(t, file, nil)
		path := filepath.Join(file, "out.csv")
		err := dataset.WriteAtomic(path, write("x"))
		if want := path + ": not a directory"; err == nil || err.Error() != want {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	})
	t.Run("symbolic link", func(t *testing.T) {
		folder := t.TempDir()
		file, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
		writeFile(t, file, []byte("old"))
		if err := os.Symlink("file", link); err != nil {
			t.Skip("no symbolic links: ", err)
		}
		if err := dataset.WriteAtomic(link, write("new")); err != nil {
			t.Fatal(err)
		}
		checkFolder(t, file, "new", link)
		if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("the link became %v, error %v", info, err)
		}
	})
	t.Run("device", func(t *testing.T) {
		if err := dataset.WriteAtomic(os.DevNull, write("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s became %v, error %v", os.DevNull, info, err)
		}
	})
}
