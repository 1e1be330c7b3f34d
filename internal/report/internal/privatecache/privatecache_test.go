package privatecache_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	_ "github.com/goccy/go-graphviz" // whose initialisation keeps machine code in a folder

	"tobac/internal/report/internal/privatecache"
)

const child = "TOBAC_TEST_CHILD"

func TestMain(m *testing.M) {
	before := os.TempDir()
	privatecache.Restore()
	if os.Getenv(child) != "" {
		os.Stdout.WriteString(before + "\n" + os.TempDir() + "\n")
		return
	}
	os.Exit(m.Run())
}

// The layout library finds its folder below the user's own, not in the temporary folder,
// and the variable has its value again afterwards.
func TestCacheIsTheUsersOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("temporary folders are the user's own")
	}
	start := func(home, cache, temporary string) (during, after string) {
		t.Helper()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), child+"=1", "HOME="+home, "XDG_CACHE_HOME="+cache, "TMPDIR="+temporary)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(out), "\n")
		return lines[0], lines[1]
	}
	home, temporary := t.TempDir(), t.TempDir()
	during, after := start(home, "", temporary)
	if want := filepath.Join(home, ".cache", "tobac"); during != want || after != temporary {
		t.Errorf("temporary folders %s, then %s, want %s, then %s", during, after, want, temporary)
	}
	if entries, err := os.ReadDir(temporary); err != nil || len(entries) > 0 {
		t.Errorf("left in the temporary folder: %v, error %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(home, ".cache", "tobac", "go-graphviz")); err != nil {
		t.Error(err)
	}
	cache := t.TempDir()
	if during, _ := start(home, cache, temporary); during != filepath.Join(cache, "tobac") {
		t.Errorf("with XDG_CACHE_HOME: %s", during)
	}
	// Without a place of the user's own nothing is kept.
	open := filepath.Join(cache, "tobac")
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"", ""}, {home, cache}, {"/dev/null", ""}} {
		if during, after := start(c[0], c[1], temporary); !strings.HasPrefix(during, "/dev/null/") || after != temporary {
			t.Errorf("HOME=%q XDG_CACHE_HOME=%q: temporary folders %s, then %s", c[0], c[1], during, after)
		}
	}
}
