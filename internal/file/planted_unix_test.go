//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/file"
	"tobac/internal/must"
)

// What looks like the temporary folder of a run that was killed stays as it is where it is not
// known to be the user's.
func TestPlantedFolders(t *testing.T) {
	const staging = "run/.tobac-1.tmp"
	for name, change := range map[string]func(t *testing.T) error{
		"": func(*testing.T) error { return nil },
		"a link": func(*testing.T) error {
			return errorsOf(os.Rename(staging, "else"), os.Symlink("../else", staging))
		},
		"others may write to it":  func(*testing.T) error { return os.Chmod(staging, 0o777) },
		"a group may write to it": func(*testing.T) error { return os.Chmod(staging, 0o770) },
		"others may write to its lock": func(*testing.T) error {
			return os.Chmod(staging+"/.lock", 0o666)
		},
		"no lock": func(*testing.T) error {
			return os.Remove(staging + "/.lock")
		},
		"pipe for a lock": func(*testing.T) error {
			return errorsOf(os.Remove(staging+"/.lock"), syscall.Mkfifo(staging+"/.lock", 0o600))
		},
		"another lock": func(t *testing.T) error {
			writeFile(t, staging+"/.lock", "x")
			return nil
		},
		"another user's": func(t *testing.T) error {
			t.Cleanup(file.ActAs(os.Geteuid() + 1))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t)
			must.Do(t, os.MkdirAll(staging, 0o700))
			for file, text := range map[string]string{"/.lock": "tobac: temporary files of a run\n",
				"/a": "evil"} {
				must.Do(t, os.WriteFile(staging+file, []byte(text), 0o600))
			}
			must.Do(t, change(t))
			if err := file.Write("run/x", writes("x")); err != nil {
				t.Error(err)
			}
			if kept := exists(staging + "/a"); kept != (name != "") {
				t.Errorf("kept: %v", kept)
			}
		})
	}
}

// A folder whose names lead elsewhere by the time of a move keeps what is elsewhere.
func TestLinksThatComeLate(t *testing.T) {
	inFolder(t)
	must.Do(t, errorsOf(os.Mkdir("home", 0o777), os.Mkdir("other", 0o777)))
	writeFile(t, "home/c", "old")
	for _, swap := range []struct {
		at, want string
		do       func() error
	}{
		{"below", "run/below/c: a link in the path leads out of the folder", func() error {
			return errorsOf(os.Remove("run/below"), os.Symlink("../home", "run/below"))
		}},
		{".moves", "run: is another folder than it was", nil},
	} {
		os.RemoveAll("run")
		s, err := file.OpenSet("run", []string{"below/c"}, file.Guard{})
		if err != nil {
			t.Fatal(err)
		}
		must.Do(t, s.Write("below/c", writes("new")))
		if swap.do == nil {
			must.Do(t, errorsOf(os.Rename("run", "moved"), os.Symlink("other", "run")))
		}
		restore := file.Inject(func(call, path string) error {
			if swap.do != nil && call == "rename" &&
				strings.HasSuffix(filepath.ToSlash(path), "below/c") {
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
		if got := readFile(t, "home/c"); got != "old" || len(listing(t, "home")) != 1 ||
			len(listing(t, "other")) != 0 {
			t.Errorf("%s: elsewhere there is %q now, in %v and %v", swap.at, got,
				listing(t, "home"), listing(t, "other"))
		}
	}
}

// A link of another user is not written through.
func TestLinkOfAnotherUser(t *testing.T) {
	inFolder(t)
	writeFile(t, "mine", "old")
	must.Do(t, os.Symlink("mine", "state"))
	for _, user := range []int{os.Geteuid() + 1, os.Geteuid()} {
		if user != os.Geteuid() && os.Geteuid() == 0 {
			must.Do(t, os.Lchown("state", 1, 1))
			user = 0
		}
		restore := file.ActAs(user)
		err := errors.Join(file.Check("state"), file.Write("state", writes("new")))
		restore()
		if refused := err != nil &&
			strings.HasPrefix(err.Error(),
				"state: is a link that is not known to be this user's own"); !refused ||
			readFile(t, "mine") != "old" {
			t.Errorf("as %d: error %v, the file holds %q", user, err, readFile(t, "mine"))
		}
		if os.Geteuid() == 0 {
			break
		}
	}
}
