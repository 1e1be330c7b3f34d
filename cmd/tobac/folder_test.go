package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func TestFolderCommit(t *testing.T) {
	inFolder(t, nil)
	for _, content := range []string{"first", "second"} {
		f, err := openFolder("a/b", "one", "two")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"one", "two"} {
			if err := f.add(name, writes(content+name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.commit(); err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, "a/b/one") + readFile(t, "a/b/two"); got != content+"one"+content+"two" {
			t.Errorf("files hold %q", got)
		}
		if diff := cmp.Diff([]string{"one", "two"}, listing(t, "a/b")); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	}
}

// A failure at any point leaves the folder as it was, or no folder where there
// was none.
func TestFolderFailures(t *testing.T) {
	full := errors.New("disk full")
	for _, c := range []struct {
		name string
		fail func(f *folder) error
	}{
		{"while writing", func(f *folder) error {
			return f.add("two", func(w io.Writer) error {
				if err := writes("half")(w); err != nil {
					return err
				}
				return full
			})
		}},
		{"while moving", func(f *folder) error {
			if err := f.add("two", writes("new")); err != nil {
				return err
			}
			if err := os.Remove(f.staging + "/two"); err != nil {
				return err
			}
			return f.commit()
		}},
		{"folder in the place of a file", func(f *folder) error {
			if err := f.add("sub", writes("new")); err != nil {
				return err
			}
			return f.commit()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, nil)
			if err := os.MkdirAll("old/sub", 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"old/one", "old/two"} {
				if err := os.WriteFile(name, []byte("former"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f, err := openFolder("old", "one", "two")
			if err != nil {
				t.Fatal(err)
			}
			if err := f.add("one", writes("new")); err != nil {
				t.Fatal(err)
			}
			if err := c.fail(f); err == nil {
				t.Error("no error")
			}
			f.discard()
			if diff := cmp.Diff([]string{"one", "sub", "two"}, listing(t, "old")); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if one, two := readFile(t, "old/one"), readFile(t, "old/two"); one != "former" || two != "former" {
				t.Errorf("files hold %q and %q, want the former content", one, two)
			}
		})
	}
	inFolder(t, nil)
	f, err := openFolder("new/deep", "one")
	if err != nil {
		t.Fatal(err)
	}
	f.discard()
	if left := listing(t, "."); len(left) > 0 {
		t.Errorf("a discarded new folder leaves %v", left)
	}
}

func TestFolderPlaceTaken(t *testing.T) {
	inFolder(t, nil)
	if err := os.MkdirAll("run/one", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder("run", "one"); err == nil || !strings.HasSuffix(err.Error(), "one: is a folder where a file must be written") {
		t.Errorf("error %v", err)
	}
}
