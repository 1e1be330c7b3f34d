package bench_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// Wrong uses of the scripts end with a line that says what is wrong, before anything is built
// or installed.
func TestScriptsRefuse(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"./compare", nil, 2, "bench/compare: got 0 commits, want one"},
		{"./compare", []string{"a", "b"}, 2, "bench/compare: got 2 commits, want one"},
		{"./compare", []string{"-n", "-3", "HEAD"}, 2,
			"bench/compare: -n: got '-3', want a positive number"},
		{"./compare", []string{"no-such-commit"}, 1,
			"bench/compare: no-such-commit: no such commit"},
		{"./compare", []string{"-p", "./nowhere", "HEAD"}, 1,
			"bench/compare: -p: ./nowhere: no such folder"},
		{"./rivals/run", []string{"--only", "nobody", "."}, 2,
			"unknown program 'nobody'; known are sumu, dibs, "},
		{"./rivals/run", []string{"rivals"}, 2, "rivals: no train.csv"},
		{"./rivals/categories", []string{"--rows", "200,x"}, 2,
			"--rows: want whole numbers from 10 on"},
		{"./rivals/mechanisms", []string{"--rows", "3"}, 2,
			"--tables and --rows: want at least 1 and 20"},
		{"./rivals/mixed", []string{"--tables", "0"}, 2, "--tables: want at least 1"},
		{"./rivals/pairs", []string{"--rows", "3"}, 2,
			"--rows and --pairs: want at least 10 and 1"},
	} {
		t.Run(c.name+" "+strings.Join(c.args, " "), func(t *testing.T) {
			interpreter := "git"
			if strings.HasPrefix(c.name, "./rivals/") {
				interpreter = "python3"
			}
			if _, err := exec.LookPath(interpreter); err != nil {
				t.Skip(err)
			}
			if interpreter == "git" && exec.Command("git", "rev-parse", "HEAD").Run() != nil {
				t.Skip("not in a git repository")
			}
			out, err := exec.Command(c.name, c.args...).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != c.code ||
				!strings.Contains(string(out), c.says) {
				t.Errorf("got %v and %s\nwant exit status %d and %s", err, out, c.code, c.says)
			}
		})
	}
}
