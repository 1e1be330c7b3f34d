package file_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/internal/file"
	"tobac/internal/must"
)

// put writes files as a set does.
func put(dir string, guard file.Guard, contents map[string]string, names ...string) error {
	s, err := file.OpenSet(dir, names, guard)
	if err != nil {
		return err
	}
	defer s.Discard()
	for _, name := range names {
		if text, ok := contents[name]; ok {
			if err := s.Write(name, writes(text)); err != nil {
				return err
			}
		}
	}
	return s.Commit()
}

const refusal = " not written by tobac, or "

// What a set wrote is replaced, as long as nobody changed it; everything else is
// not, but by force.
func TestSetReplacesItsOwnFiles(t *testing.T) {
	first := map[string]string{"a": "a1", "b": "b1"}
	second := map[string]string{"a": "a2", "b": "b2"}
	for _, c := range []struct {
		name    string
		change  func()
		refused []string // nil means not
		other   bool     // refused for the folder, which then counts as somebody else's
	}{
		{name: "nothing", change: func() {}},
		{name: "one deleted", change: func() { os.Remove("run/a") }},
		{"one edited", func() { writeFile(t, "run/b", "mine") }, []string{"run/b"}, false},
		{"all edited", func() { writeFile(t, "run/a", "my own"); writeFile(t, "run/b", "mine") },
			[]string{"run/a", "run/b"}, false},
		{name: "written again with the same content", change: func() {
			os.Remove("run/b")
			writeFile(t, "run/b", "b1")
		}},
		{"manifest deleted", func() { os.Remove("run/" + file.Manifest) }, []string{"a", "b"},
			true},
		{"manifest of another program", func() {
			writeFile(t, "run/"+file.Manifest, `{"files":{"a":"x"}}`)
		}, []string{"a", "b", file.Manifest}, true},
		{"manifest damaged", func() { writeFile(t, "run/"+file.Manifest, `{"note":`) },
			[]string{"a", "b", file.Manifest}, true},
		{"manifest and files replaced", func() {
			errorsOf(os.RemoveAll("run"), os.Mkdir("run", 0o777))
			for _, name := range []string{"notes", "x", "y", "z", ".hidden"} {
				writeFile(t, "run/"+name, "mine")
			}
		}, []string{"notes", "x", "y and 1 more"}, true},
		{name: "another file", change: func() { writeFile(t, "run/other", "mine") }},
		{"link in the place of a file", func() {
			os.Remove("run/a")
			writeFile(t, "target", "a1")
			if err := os.Symlink("../target", "run/a"); err != nil {
				t.Skip("no symbolic links: ", err)
			}
		}, []string{"run/a"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t)
			must.Do(t, put("run", file.Guard{}, first, "a", "b"))
			c.change()
			before := contents(t, "run")
			err := put("run", file.Guard{}, second, "a", "b")
			if c.refused == nil {
				if err != nil || readFile(t, "run/a")+readFile(t, "run/b") != "a2b2" {
					t.Errorf("error %v, files %v", err, contents(t, "run"))
				}
				return
			}
			want := strings.Join(c.refused, ", ") + ": were" + refusal
			if c.other {
				want = "run: holds other things than results of tobac (" +
					strings.Join(c.refused, ", ") + ", no valid tobac.json)"
			} else if len(c.refused) == 1 {
				want = c.refused[0] + ": was" + refusal
			}
			if !errors.As(err, new(*file.Refusal)) || !strings.HasPrefix(err.Error(), want) ||
				!strings.Contains(err.Error(), "--force") {
				t.Errorf("error %v, want %s", err, want)
			}
			if after := contents(t, "run"); after != before {
				t.Errorf("the folder was changed from\n%s\nto\n%s", before, after)
			}
			if err := put("run", file.Guard{Force: true}, second, "a", "b"); err != nil ||
				readFile(t, "run/a")+readFile(t, "run/b") != "a2b2" {
				t.Errorf("by force: error %v, files %v", err, contents(t, "run"))
			}
			if text, err := os.ReadFile("target"); err == nil && string(text) != "a1" {
				t.Errorf("the target of a link holds %q", text)
			}
			if err := put("run", file.Guard{}, first, "a", "b"); err != nil {
				t.Errorf("after force: %v", err)
			}
		})
	}
}

// contents are the names and texts of the files in a folder.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	for _, name := range listing(t, dir) {
		all = append(all, name+": "+readFile(t, filepath.Join(dir, name)))
	}
	return strings.Join(all, "\n")
}

// Files that this run does not have but an earlier one left go; those of other
// sets and of the user stay.
func TestSetTakesFormerResultsAway(t *testing.T) {
	inFolder(t)
	writes := map[string]string{"a": "a", "b": "b", "c": "c", "other": "o"}
	for _, names := range [][]string{{"other"}, {"a", "b", "c"}} {
		must.Do(t, put("run", file.Guard{}, writes, names...))
	}
	writeFile(t, "run/mine", "mine")
	delete(writes, "b")
	must.Do(t, put("run", file.Guard{}, writes, "a", "b", "c"))
	if got := strings.Join(listing(t, "run"), " "); got != "a c mine other "+file.Manifest {
		t.Errorf("folder holds %s", got)
	}
	// What stays is still known as written here.
	if err := put("run", file.Guard{}, writes, "other"); err != nil {
		t.Error(err)
	}
}

// Inputs are not replaced, not even by force, and by no name.
func TestSetRefusesInputs(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() (input string)
	}{
		{"the file", func() string { return "run/a" }},
		{"another path to it", func() string { return "run/../run/a" }},
		{"a hard link", func() string {
			if err := os.Link("run/a", "data"); err != nil {
				t.Skip("no hard links: ", err)
			}
			return "data"
		}},
		{"a link to it", func() string {
			if err := os.Symlink("run/a", "data"); err != nil {
				t.Skip("no symbolic links: ", err)
			}
			return "data"
		}},
		{"a link in its place", func() string {
			writeFile(t, "data", "x")
			if err := errorsOf(os.Remove("run/a"), os.Symlink("../data", "run/a")); err != nil {
				t.Skip("no symbolic links: ", err)
			}
			return "data"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t)
			must.Do(t, put("run", file.Guard{}, map[string]string{"a": "a"}, "a"))
			input := c.make()
			before := readFile(t, input)
			for _, force := range []bool{false, true} {
				guard := file.Guard{Inputs: []file.Input{{Path: "nowhere", What: "nothing"},
					{Path: input, What: "the data"}}, Force: force}
				err := put("run", guard, map[string]string{"a": "b"}, "a")
				if want := filepath.Join("run", "a") + ": is the data, which is never " +
					"overwritten; choose another place for the results"; err == nil ||
					err.Error() != want {
					t.Errorf("force %v: error %v, want %s", force, err, want)
				}
			}
			if after := readFile(t, input); after != before {
				t.Errorf("the input holds %q", after)
			}
		})
	}
}

func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// What comes to the folder between opening and commit is found.
func TestSetChecksAgain(t *testing.T) {
	inFolder(t)
	s := must.Get(file.OpenSet("run", []string{"a"}, file.Guard{}))(t)
	defer s.Discard()
	must.Do(t, s.Write("a", writes("result")))
	writeFile(t, "run/a", "mine")
	if err := s.Commit(); err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("error %v", err)
	}
	if got := contents(t, "run"); got != "a: mine" {
		t.Errorf("the folder holds %s", got)
	}
}
