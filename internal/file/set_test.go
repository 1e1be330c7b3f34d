package file_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/internal/file"
	"tobac/internal/must"
)

// inFolder makes an empty temporary folder the current one.
func inFolder(t *testing.T) { t.Chdir(t.TempDir()) }

func readFile(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

// listing returns the names in a folder, hidden ones included.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestSetCommit(t *testing.T) {
	inFolder(t)
	for _, content := range []string{"first", "second"} {
		f := must.Get(file.OpenSet("a/b", []string{"one", "two"}, file.Guard{}))(t)
		for _, name := range []string{"one", "two"} {
			must.Do(t, f.Write(name, writes(content+name)))
		}
		must.Do(t, f.Commit())
		if got := readFile(t, "a/b/one") + readFile(t, "a/b/two"); got != content+"one"+content+
			"two" {
			t.Errorf("files hold %q", got)
		}
		if diff := cmp.Diff([]string{"one", file.Manifest, "two"}, listing(t, "a/b")); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
}

// A failure before the moves leaves the folder as it was, or no folder where there
// was none.
func TestSetFailures(t *testing.T) {
	full := errors.New("disk full")
	for _, c := range []struct {
		name string
		fail func(f *file.Set) error
	}{
		{"while writing", func(f *file.Set) error {
			return f.Write("two", func(w io.Writer) error {
				if err := writes("half")(w); err != nil {
					return err
				}
				return full
			})
		}},
		{"folder in the place of a file", func(f *file.Set) error {
			if err := errors.Join(f.Write("late", writes("new")),
				os.Mkdir("old/late", 0o755)); err != nil {
				return nil // which the test refuses
			}
			defer os.Remove("old/late")
			return f.Commit()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t)
			must.Do(t, os.MkdirAll("old/sub", 0o755))
			for _, name := range []string{"old/one", "old/two"} {
				must.Do(t, os.WriteFile(name, []byte("former"), 0o644))
			}
			f := must.Get(file.OpenSet("old", []string{"one", "two", "late"},
				file.Guard{Force: true}))(t)
			must.Do(t, f.Write("one", writes("new")))
			if err := c.fail(f); err == nil {
				t.Error("no error")
			}
			f.Discard()
			if diff := cmp.Diff([]string{"one", "sub", "two"}, listing(t, "old")); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if one, two := readFile(t, "old/one"), readFile(t, "old/two"); one != "former" ||
				two != "former" {
				t.Errorf("files hold %q and %q, want the former content", one, two)
			}
		})
	}
	inFolder(t)
	f := must.Get(file.OpenSet("new/deep", []string{"one"}, file.Guard{}))(t)
	f.Discard()
	if left := listing(t, "."); len(left) > 0 {
		t.Errorf("a discarded new folder leaves %v", left)
	}
}

func TestSetPlaceTaken(t *testing.T) {
	inFolder(t)
	must.Do(t, os.MkdirAll("run/one", 0o755))
	if _, err := file.OpenSet("run", []string{"one"}, file.Guard{Force: true}); err == nil ||
		!strings.HasSuffix(err.Error(), "one: is a folder where a file must be written") {
		t.Errorf("error %v", err)
	}
}
