package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
)

// A session is one command of a page with the output that the page shows.
type session struct {
	line    int // of the page
	command string
	want    []string
}

// sessions finds the commands of a page. Those that are run stand in blocks marked
// ```console, behind a $; the lines below a command are its output: standard output,
// then standard error. A line … stands for any lines, and … within one for any text.
func sessions(t *testing.T, page string) (all []session) {
	t.Helper()
	inside := false
	for k, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case strings.HasPrefix(line, "$ "):
			all = append(all, session{line: k + 1, command: strings.TrimPrefix(line, "$ ")})
		case len(all) == 0:
			t.Fatalf("line %d: output before the first command", k+1)
		default:
			last := &all[len(all)-1]
			last.want = append(last.want, line)
		}
	}
	return all
}

// shows reports whether lines of output are those wanted.
func shows(got, want []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "…":
		for skip := range len(got) + 1 {
			if shows(got[skip:], want[1:]) {
				return true
			}
		}
		return false
	case len(got) == 0:
		return false
	}
	parts := strings.Split(want[0], "…")
	for k := range parts {
		parts[k] = regexp.QuoteMeta(parts[k])
	}
	return regexp.MustCompile("^"+strings.Join(parts, ".*")+"$").MatchString(got[0]) &&
		shows(got[1:], want[1:])
}

// outputLines are the lines of a text without blanks at their ends.
func outputLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// execute runs a command of a page: tobac, or one of few others, with the same
// meaning on every system.
func execute(t *testing.T, command string) (text string, ok bool) {
	t.Helper()
	words := strings.Fields(command)
	for k, w := range words {
		words[k] = strings.Trim(w, `'"`)
	}
	input := ""
	if at := slices.Index(words, "<"); at > 0 {
		input, words = readFile(t, words[at+1]), words[:at]
	}
	switch words[0] {
	case "tobac":
		got := runWith(t, t.Context(), input, words[1:]...)
		// Steps of a run are no part of what a page shows.
		quiet := slices.DeleteFunc(outputLines(got.stderr), func(l string) bool {
			return strings.HasPrefix(l, "step ") || strings.Contains(l, ", elapsed ")
		})
		return got.stdout + strings.Join(append(quiet, ""), "\n"), true
	case "cat":
		return readFile(t, words[1]), true
	case "ls":
		return strings.Join(listing(t, words[1]), "\n") + "\n", true
	}
	return "", false
}

// The commands of the pages do what the pages say.
func TestDocumentation(t *testing.T) {
	root := must.Get(filepath.Abs("../.."))(t)
	pages := must.Get(filepath.Glob(filepath.Join(root, "docs", "*.md")))(t)
	notes := must.Get(filepath.Glob(filepath.Join(root, "bench", "notes", "*.md")))(t)
	examples := must.Get(filepath.Glob(filepath.Join(root, "docs", "*.csv")))(t)
	tables := map[string]string{}
	for _, name := range examples {
		tables["docs/"+filepath.Base(name)] = readFile(t, name)
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "autograd/executor.md",
		"beam/README.md",
		"cmd/tobac/wrong-use.md", "internal/dependencies.md", "internal/graphfile/formats.md"} {
		notes = append(notes, filepath.Join(root, filepath.FromSlash(name)))
	}
	found := 0
	for _, path := range slices.Concat(pages, notes) {
		page := readFile(t, path)
		found += len(sessions(t, page))
		t.Run(filepath.Base(path), func(t *testing.T) {
			inFolder(t, tables)
			for _, s := range sessions(t, page) {
				text, ok := execute(t, s.command)
				if !ok {
					t.Errorf("line %d: unknown command %q; allowed in such a block: tobac, cat, ls",
						s.line, s.command)
				}
				if got := outputLines(text); !shows(got, s.want) {
					t.Errorf("line %d: %s prints\n%s\nwant\n%s", s.line, s.command,
						strings.Join(got, "\n"), strings.Join(s.want, "\n"))
				}
			}
			// Links to other files of the repository lead somewhere.
			for _, link := range regexp.MustCompile(
				`\]\(([^)#:]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(page, -1) {
				if !cli.Exists(filepath.Join(filepath.Dir(path), link[1])) {
					t.Errorf("%s is not there", link[1])
				}
			}
		})
	}
	if found < 10 {
		t.Errorf("%d commands on all pages", found)
	}
}

// The comparison sees what differs.
func TestShows(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a", false},
		{"a", "a\nb", false},
		{"a\nb\nc", "a\n…", true},
		{"a\nb\nc", "…\nc", true},
		{"a\nb\nc", "…\nd", false},
		{"", "…", true},
		{"time 3.2 s", "time … s", true},
		{"time 3.2 min", "time … s", false},
		{"a+b", "a+b", true},
		{"aab", "a+b", false},
	} {
		if got := shows(outputLines(c.got), outputLines(c.want)); got != c.same {
			t.Errorf("%q shows %q: %v", c.got, c.want, got)
		}
	}
	page := "```console\n$ tobac x\nout\n$ tobac y\n```\n```\n$ tobac z\n```\n"
	if got := sessions(t, page); len(got) != 2 || got[1].command != "tobac y" ||
		!slices.Equal(got[0].want, []string{"out"}) {
		t.Errorf("sessions %+v", got)
	}
}
