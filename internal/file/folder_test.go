package file_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/internal/file"
	"tobac/internal/must"
)

// A reader gets what a set wrote, and nothing that was changed, exchanged or added.
func TestFolder(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func()
		want   string // begin of the error for a; "" means its content
		edited string // content with --edited; "" means none
	}{
		{"as written", func() {}, "", "a1"},
		{"changed", func() { writeFile(t, "run/a", "a2") },
			"run/a: not what the run wrote: its SHA-256 is not that in run/tobac.json", "a2"},
		{"gone", func() { os.Remove("run/a") },
			"run/a: not what the run wrote: it is missing, and run/tobac.json lists it", ""},
		{"manifest gone", func() { os.Remove("run/tobac.json") }, "", "a1"},
		{"manifest cut", func() {
			writeFile(t, "run/tobac.json", readFile(t, "run/tobac.json")[:40])
		}, "run/tobac.json: not what the run wrote: it is damaged", "a1"},
		{"not listed", func() {
			writeFile(t, "run/tobac.json",
				strings.Replace(readFile(t, "run/tobac.json"), `"a":`, `"x":`, 1))
		}, "run/a: not what the run wrote: run/tobac.json does not list it", "a1"},
		{"a folder", func() { errorsOf(os.Remove("run/a"), os.Mkdir("run/a", 0o777)) },
			"run/a: is a folder; allowed: a file", ""},
		{"no id, not listed", func() {
			writeFile(t, "run/tobac.json",
				strings.Replace(strings.Replace(readFile(t, "run/tobac.json"), `"a":`, `"x":`, 1),
					`"run":`, `"ran":`, 1))
		}, "", "a1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t)
			s := must.Get(file.OpenSet("run", []string{"a", "b"}, file.Guard{}))(t)
			s.SetID("7")
			must.Do(t, errors.Join(s.Write("a", writes("a1")), s.Write("b", writes("b1")),
				s.Commit()))
			c.change()
			text, err := proved("run", "a")
			if c.want == "" && (err != nil || text != "a1") || c.want != "" &&
				(err == nil || !strings.HasPrefix(err.Error(), c.want) ||
					errors.Is(err, file.ErrUnproven) != strings.Contains(c.want, "not what")) {
				t.Errorf("got %q and error %v, want %s", text, err, c.want)
			}
			f := must.Get(file.OpenFolder("run", true))(t)
			edited, err := all(f, "a")
			if string(edited) != c.edited || (c.edited == "") != (err != nil) {
				t.Errorf("as it is: got %q and error %v", edited, err)
			}
			if err := errors.Join(f.SameRun("a", "1"), f.SameRun("b", "2")); err != nil {
				t.Errorf("as it is: %v", err)
			}
		})
	}
}

// Files say of which run they are, and the first decides where no manifest does.
func TestSameRun(t *testing.T) {
	inFolder(t)
	f := must.Get(file.OpenFolder(".", false))(t)
	if err := errors.Join(f.SameRun("a", "1"), f.SameRun("b", "1")); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"2", ""} {
		err := f.SameRun("c", id)
		if want := "c: not what the run wrote: it is of " + map[bool]string{true: "no run",
			false: "the run 2"}[id == ""] + ", a of the run 1; fit again"; !errors.Is(err,
			file.ErrUnproven) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

// A set that has no id of its own leaves that of the folder.
func TestSetKeepsTheID(t *testing.T) {
	inFolder(t)
	s := must.Get(file.OpenSet("run", []string{"a"}, file.Guard{}))(t)
	s.SetID("first")
	must.Do(t, errors.Join(s.Write("a", writes("a")), s.Commit()))
	must.Do(t, put("run", file.Guard{}, map[string]string{"b": "b"}, "b"))
	f := must.Get(file.OpenFolder("run", false))(t)
	if f.SameRun("a", "first") != nil || f.SameRun("a", "second") == nil {
		t.Error("the id was lost")
	}
}

// Whatever bytes a manifest has, a folder gives a file as it is there, or an error that
// begins with a path in it.
func FuzzFolder(f *testing.F) {
	const note = `{"note":"files that tobac wrote, with their SHA-256: tobac replaces these, and others only with --force",`
	for _, text := range []string{"", "{}", note, note + `"files":{}}`,
		note + `"run":"7","files":{"a":"0"}}`,
		note +
			`"files":{"a":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb","../b":""}}`, note + `"files":null}`, note + `"files":[]}`} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		writeFile(t, filepath.Join(dir, file.Manifest), string(text))
		writeFile(t, filepath.Join(dir, "a"), "a")
		got, err := proved(dir, "a")
		if err == nil && got != "a" || err != nil &&
			(!errors.Is(err, file.ErrUnproven) || !strings.HasPrefix(err.Error(), dir)) {
			t.Errorf("got %q, error %v", got, err)
		}
		if err := put(dir, file.Guard{}, map[string]string{"a": "b"}, "a"); err == nil {
			if got, err := proved(dir, "a"); err != nil || got != "b" {
				t.Errorf("replaced: got %q, error %v", got, err)
			}
		}
	})
}

// A sealed text is read back, and with any bit flipped, any beginning of it alone, or
// anything behind it is not.
func TestSeal(t *testing.T) {
	for _, content := range []string{"", "x", "{\"a\":1}\n", strings.Repeat("long ", 50)} {
		var b bytes.Buffer
		must.Do(t, file.Sealed(writes(content))(&b))
		text := b.Bytes()
		if got, err := file.Unseal(text); err != nil || string(got) != content {
			t.Errorf("got %q and error %v, want %q", got, err, content)
		}
		refused := func(what string, at int, text []byte) {
			if got, err := file.Unseal(text); !errors.Is(err, file.ErrSeal) || got != nil {
				t.Errorf("%s %d: got %q and error %v", what, at, got, err)
			}
		}
		for at := range len(text) {
			refused("cut at", at, text[:at])
			for bit := range 8 {
				text[at] ^= 1 << bit
				refused("flipped in byte", at, text)
				text[at] ^= 1 << bit
			}
		}
		refused("longer than", len(text), append(bytes.Clone(text), '\n'))
		refused("doubled", len(text), append(bytes.Clone(text), text...))
	}
	broken := errors.New("broken")
	if err := file.Sealed(writes("x"))(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("got error %v, want that of the writer", err)
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }
