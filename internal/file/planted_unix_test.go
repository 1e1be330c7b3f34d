//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/file"
)

// plant makes a folder as a run leaves it that was killed while it moved files, for moves of any names.
func plant(t *testing.T, dir, journal string, names []string, removed ...string) (staging string) {
	t.Helper()
	staging = filepath.Join(dir, ".tobac-1.tmp")
	digest := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	j := map[string]any{"names": names, "removed": removed}
	former, fresh := map[string]string{}, map[string]string{}
	if err := os.MkdirAll(staging, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		former[name], fresh[name] = digest("old"), digest("evil")
		flat := strings.ReplaceAll(name, "/", "%2F")
		os.WriteFile(filepath.Join(staging, flat), []byte("evil"), 0o600) // not of a name that no file can have
		os.WriteFile(filepath.Join(staging, flat+".former"), []byte("evil"), 0o600)
	}
	for _, name := range removed {
		former[name], fresh[name] = digest("old"), digest("old")
	}
	j["former"], j["fresh"] = former, fresh
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".lock": "tobac: temporary files of a run\n", journal: string(text)} {
		if err := os.WriteFile(filepath.Join(staging, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return staging
}

// tree is everything below a folder, with contents and the targets of links.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, _ := os.Readlink(path) // "" of what is no link
		if e.Type().IsRegular() {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			begin, err := io.ReadAll(io.LimitReader(f, 200))
			if text = string(begin); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", path, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What somebody else has put into a folder does not move, replace or remove files: not outside, and inside
// those alone that the command replaces itself. It stays as it is, and is named once.
func TestPlantedMoves(t *testing.T) {
	places := []string{"a", "below/c", "gone"}
	named := func(names ...string) func(*testing.T) {
		return func(t *testing.T) { plant(t, "run", ".moves", names) }
	}
	good := func(change func(t *testing.T, staging string)) func(*testing.T) {
		return func(t *testing.T) { change(t, plant(t, "run", ".moves", places[:1])) }
	}
	must := func(t *testing.T, errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T)
		why  string
	}{
		{"outside", named("../home/new"), `"../home/new"`},
		{"a known file outside", named("../home/known"), `"../home/known"`},
		{"removed outside", func(t *testing.T) { plant(t, "run", ".moves", nil, "../home/known") }, `"../home/known"`},
		{"taken back outside", func(t *testing.T) { plant(t, "run", ".back", []string{"../home/new"}) }, `"../home/new"`},
		{"removed by taking back", func(t *testing.T) { plant(t, "run", ".back", nil, "../home/known") }, `"../home/known"`},
		{"absolute", func(t *testing.T) { here, _ := os.Getwd(); plant(t, "run", ".moves", []string{here + "/home/new"}) }, "/home/new"},
		{"there and back", named("below/../../home/new"), "home/new"},
		{"hooks of git", named(".git/hooks/post-commit"), ".git/hooks/post-commit"},
		{"another file of the folder", named("Makefile"), `"Makefile"`},
		{"one of several", named("a", "Makefile"), `"Makefile"`},
		{"another case", named("A"), `"A"`},
		{"encoded", named("..%2Fhome%2Fnew"), `"..%2Fhome%2Fnew"`},
		{"of Windows", named(`..\home\new`), `"..\\home\\new"`},
		{"with NUL", named("a\x00b"), `"a\x00b"`},
		{"with a line end", named("a\nb"), `"a\nb"`},
		{"the folder", named("."), `"."`},
		{"no name", named(""), `""`},
		{"the journal", named(".tobac-1.tmp/.moves"), ".moves"},
		{"staged link", good(func(t *testing.T, s string) { must(t, os.Remove(s+"/a"), os.Symlink("../../home/known", s+"/a")) }), "is not what its journal says"},
		{"staged folder", good(func(t *testing.T, s string) { must(t, os.Remove(s+"/a"), os.Mkdir(s+"/a", 0o700)) }), "is not what its journal says"},
		{"other content", good(func(t *testing.T, s string) { writeFile(t, s+"/a", "other") }), "is not what its journal says"},
		{"through a link", func(t *testing.T) {
			must(t, os.Symlink("../home", "run/below"))
			plant(t, "run", ".moves", []string{"below/c"})
		}, "cannot be replaced"},
		{"taken back through a link", func(t *testing.T) {
			must(t, os.Symlink("../home", "run/below"))
			plant(t, "run", ".back", []string{"below/c"})
		}, "cannot be moved"},
		{"linked folder", good(func(t *testing.T, s string) { must(t, os.Rename(s, "else"), os.Symlink("../else", s)) }), "it is a link"},
		{"folder that others may write to", good(func(t *testing.T, s string) { must(t, os.Chmod(s, 0o777)) }), "others may write to it"},
		{"folder that a group may write to", good(func(t *testing.T, s string) { must(t, os.Chmod(s, 0o770)) }), "others may write to it"},
		{"journal that others may write to", good(func(t *testing.T, s string) { must(t, os.Chmod(s+"/.moves", 0o666)) }), ".moves is not known to be this user's own"},
		{"journal that is a link", good(func(t *testing.T, s string) {
			must(t, os.Rename(s+"/.moves", "else"), os.Symlink("../../else", s+"/.moves"))
		}), ".moves is not known"},
		{"huge journal", good(func(t *testing.T, s string) { must(t, os.Truncate(s+"/.moves", 1<<40)) }), "cannot be read"},
		{"damaged journal", func(t *testing.T) {
			s := plant(t, "run", ".back", places[:1])
			writeFile(t, s+"/.back", "{")
		}, "its journal is damaged"},
		{"no lock", good(func(t *testing.T, s string) { must(t, os.Remove(s+"/.lock")) }), "it has no .lock"},
		{"pipe for a lock", good(func(t *testing.T, s string) { must(t, os.Remove(s+"/.lock"), syscall.Mkfifo(s+"/.lock", 0o600)) }), ".lock is not known"},
		{"another lock", good(func(t *testing.T, s string) { writeFile(t, s+"/.lock", "x") }), ".lock is not that of a run"},
		{"of another user", good(func(t *testing.T, s string) { t.Cleanup(file.ActAs(os.Geteuid() + 1)) }), "is not known to be this user's own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t)
			must(t, os.MkdirAll("home", 0o777), os.Mkdir("run", 0o777))
			writeFile(t, "home/known", "old")
			writeFile(t, "run/a", "old")
			c.make(t)
			before := tree(t, ".")
			var told []string
			defer file.OnUnfollowed(func(folder, why string) { told = append(told, folder+": "+why) })()
			s, err := file.OpenSet("run", places, file.Guard{Force: true})
			if link := strings.Contains(c.name, "through a link"); (err != nil) != link || link && err.Error() != "run/below: is a link or a file; allowed: a folder" {
				t.Errorf("error %v", err)
			}
			s.Discard()
			if after := tree(t, "."); after != before {
				t.Errorf("changed from\n%s\nto\n%s", before, after)
			}
			if len(told) != 1 || !strings.HasPrefix(told[0], "run/.tobac-1.tmp: ") || !strings.Contains(told[0], c.why) {
				t.Errorf("told %q, want %q", told, c.why)
			}
			must(t, file.Write("run/x", writes("x")), os.Remove("run/x")) // which makes no moves at all
			if after := tree(t, "."); after != before || len(told) != 2 {
				t.Errorf("by one file: told %q, changed from\n%s\nto\n%s", told, before, after)
			}
		})
	}
}

// A folder whose names lead elsewhere by the time of a move keeps what is elsewhere.
func TestLinksThatComeLate(t *testing.T) {
	inFolder(t)
	if err := errorsOf(os.Mkdir("home", 0o777), os.Mkdir("other", 0o777)); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "home/c", "old")
	for _, swap := range []struct {
		at, want string
		do       func() error
	}{
		{"below", "run/below/c: a link in the path leads out of the folder", func() error { return errorsOf(os.Remove("run/below"), os.Symlink("../home", "run/below")) }},
		{".moves", "run: is another folder than it was", nil},
	} {
		os.RemoveAll("run")
		s, err := file.OpenSet("run", []string{"below/c"}, file.Guard{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Write("below/c", writes("new")); err != nil {
			t.Fatal(err)
		}
		if swap.do == nil {
			if err := errorsOf(os.Rename("run", "moved"), os.Symlink("other", "run")); err != nil {
				t.Fatal(err)
			}
		}
		restore := file.Inject(func(call, path string) error {
			if swap.do != nil && call == "rename" && strings.HasPrefix(filepath.Base(path), "below") {
				do := swap.do
				swap.do = nil
				return do()
			}
			return nil
		})
		err = s.Commit()
		restore()
		if err == nil || err.Error() != swap.want {
			t.Errorf("%s: error %v, want %s", swap.at, err, swap.want)
		}
		if got := readFile(t, "home/c"); got != "old" || len(listing(t, "home")) != 1 || len(listing(t, "other")) != 0 {
			t.Errorf("%s: elsewhere there is %q now, in %v and %v", swap.at, got, listing(t, "home"), listing(t, "other"))
		}
	}
}

// A link of another user is not written through.
func TestLinkOfAnotherUser(t *testing.T) {
	inFolder(t)
	writeFile(t, "mine", "old")
	if err := os.Symlink("mine", "state"); err != nil {
		t.Fatal(err)
	}
	for _, user := range []int{os.Geteuid() + 1, os.Geteuid()} {
		if user != os.Geteuid() && os.Geteuid() == 0 {
			if err := os.Lchown("state", 1, 1); err != nil {
				t.Fatal(err)
			}
			user = 0
		}
		restore := file.ActAs(user)
		err := errors.Join(file.Check("state"), file.Write("state", writes("new")))
		restore()
		if refused := err != nil && strings.HasPrefix(err.Error(), "state: is a link that is not known to be this user's own"); !refused || readFile(t, "mine") != "old" {
			t.Errorf("as %d: error %v, the file holds %q", user, err, readFile(t, "mine"))
		}
		if os.Geteuid() == 0 {
			break
		}
	}
}
