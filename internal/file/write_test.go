package file_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tobac/internal/file"
	"tobac/internal/must"
)

// checkFolder compares the content of path and asserts that nothing else lies
// beside it but others.
func checkFolder(t *testing.T, path, want string, others ...string) {
	t.Helper()
	if got := readFile(t, path); got != want {
		t.Errorf("content %q, want %q", got, want)
	}
	if names := listing(t, filepath.Dir(path)); len(names) != 1+len(others) {
		t.Errorf("folder holds %v, want the file and %v", names, others)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	must.Do(t, file.Write(path, writes("first")))
	checkFolder(t, path, "first")
	must.Do(t, os.Chmod(path, 0o600))
	must.Do(t, file.Write(path, writes("second")))
	checkFolder(t, path, "second")
	checkMode(t, path, 0o600)
}

func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info := must.Get(os.Stat(path))(t)
	if got := info.Mode().Perm(); got != want {
		t.Errorf("mode %v, want %v", got, want)
	}
}

func TestWriteLeavesTheOldFileOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	writeFile(t, path, "old")
	t.Run("error", func(t *testing.T) {
		broken := &fs.PathError{Op: "read", Path: "elsewhere", Err: errors.New("broken")}
		err := file.Write(path, func(w io.Writer) error {
			return errors.Join(writes("half")(w), broken)
		})
		if want := path + ": read elsewhere: broken"; err == nil || err.Error() != want ||
			!errors.Is(err, broken) {
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
		_ = file.Write(path, func(w io.Writer) error { panic("broken") })
	})
}

func TestWritePlaces(t *testing.T) {
	folder := t.TempDir()
	t.Run("no folder", func(t *testing.T) {
		path := filepath.Join(folder, "nowhere", "out.csv")
		err := file.Write(path, writes("x"))
		if want := path + ": no such file or directory"; err == nil || err.Error() != want ||
			!errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	})
	t.Run("is a folder", func(t *testing.T) {
		err := file.Write(folder, writes("x"))
		if want := folder + ": is a folder; allowed: a file"; err == nil || err.Error() != want {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	})
	t.Run("below a file", func(t *testing.T) {
		above := filepath.Join(t.TempDir(), "file")
		writeFile(t, above, "")
		path := filepath.Join(above, "out.csv")
		err := file.Write(path, writes("x"))
		if want := path + ": not a directory"; err == nil || err.Error() != want {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	})
	t.Run("symbolic link", func(t *testing.T) {
		folder := t.TempDir()
		target, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
		writeFile(t, target, "old")
		if err := os.Symlink("file", link); err != nil {
			t.Skip("no symbolic links: ", err)
		}
		must.Do(t, file.Write(link, writes("new")))
		checkFolder(t, target, "new", link)
		if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("the link became %v, error %v", info, err)
		}
	})
	t.Run("device", func(t *testing.T) {
		must.Do(t, file.Write(os.DevNull, writes("x")))
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s became %v, error %v", os.DevNull, info, err)
		}
	})
}

// Check finds what Write would fail at, and leaves nothing behind.
func TestCheck(t *testing.T) {
	inFolder(t)
	writeFile(t, "old", "old")
	must.Do(t, os.Mkdir("folder", 0o777))
	for path, want := range map[string]string{
		"old":       "",
		"new":       "",
		"folder/a":  "",
		"folder":    "folder: is a folder; allowed: a file",
		"no/where":  "no/where: no such file or directory",
		"old/state": "old/state: old is no folder",
	} {
		got := ""
		if err := file.Check(path); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Check(%q) is %q, want %q", path, got, want)
		}
		failed := file.Write(path, writes("x")) != nil
		if failed != (want != "") {
			t.Errorf("Write(%q) failed: %v, where Check said %q", path, failed, want)
		}
	}
	if got := listing(t, "."); len(got) != 3 {
		t.Errorf("left behind: %v", got)
	}
}

// A full disk is reported under the path that the caller knows.
func TestWriteNamesThePathOfTheCaller(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no device that is always full")
	}
	err := file.Write("/dev/full", writes("x"))
	if want := "/dev/full: "; err == nil || err.Error()[:len(want)] != want {
		t.Errorf("error %v", err)
	}
}

func TestOpen(t *testing.T) {
	inFolder(t)
	writeFile(t, "good", "text")
	f, err := file.Open("good", "a file")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "text" {
		t.Errorf("read %q, error %v", text, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	_, err = file.Open(".", "a table")
	if want := ".: is a folder; allowed: a table"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = file.Open("no", "a table")
	if want := "no: no such file or directory"; err == nil || err.Error() != want ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %s", err, want)
	}
}
