package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tobac/internal/must"
)

// referencePage is docs/reference.md: the help of every command, and of every topic.
func referencePage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Reference\n\nThe help of every command and topic, as the program prints it. " +
		"Written by\n" +
		"`TOBAC_REFERENCE=write go test ./cmd/tobac -run TestReference`.\n")
	section := func(heading string, args ...string) {
		got := runWith(t, t.Context(), "", args...)
		if got.stderr != "" || got.stdout == "" {
			t.Errorf("tobac %s: %q", strings.Join(args, " "), got.stderr)
		}
		b.WriteString("\n## " + heading + "\n\n```text\n" + strings.TrimRight(got.stdout, "\n") +
			"\n```\n")
	}
	root := newRoot()
	section("tobac", "--help")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			section("tobac "+c.Name(), c.Name(), "--help")
		}
	}
	for _, topic := range newFitOptions().topics() {
		section("tobac help "+topic.Name, "help", topic.Name)
	}
	return b.String()
}

// The reference is what the program prints.
func TestReference(t *testing.T) {
	name, want := "../../docs/reference.md", referencePage(t)
	if os.Getenv("TOBAC_REFERENCE") == "write" {
		must.Do(t, os.WriteFile(name, []byte(want), 0o666))
	}
	if readFile(t, name) != want {
		t.Error("docs/reference.md is stale: run TOBAC_REFERENCE=write go test ./cmd/tobac -run " +
			"TestReference")
	}
}

// Prose of the pages has lines of at most 100 columns; tables, links, images and code are free.
func TestLinesOfPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, name := range append(pages, "../../README.md", "../../ARCHITECTURE.md",
		"../../autograd/executor.md", "../../internal/dependencies.md", "wrong-use.md") {
		code := false
		for k, line := range strings.Split(readFile(t, name), "\n") {
			trimmed := strings.TrimSpace(line)
			if strings.HasPrefix(trimmed, "```") {
				code = !code
			}
			free := code || strings.HasPrefix(trimmed, "|") || strings.Contains(line, "](") ||
				strings.Count(line, "`") >= 2 || strings.HasPrefix(line, "    ")
			if n := utf8.RuneCountInString(line); n > 100 && !free {
				t.Errorf("%s:%d has %d columns, want at most 100", name, k+1, n)
			}
		}
	}
}

// guide are the pages of the guide: all of docs but the reference.
func guide(t *testing.T) []string {
	t.Helper()
	pages := must.Get(filepath.Glob("../../docs/*.md"))(t)
	return slices.DeleteFunc(pages, func(name string) bool {
		return filepath.Base(name) == "reference.md"
	})
}

// The guide has eight pages, each of which begins with a command, and at most 12,000 words.
// Neither it nor the README sends a reader to laboratory notes.
func TestGuide(t *testing.T) {
	pages, words := guide(t), 0
	if len(pages) != 8 {
		t.Errorf("got %d pages, want eight: %v", len(pages), pages)
	}
	for _, name := range pages {
		text := readFile(t, name)
		words += len(strings.Fields(text))
		if head := strings.SplitN(text, "\n", 10); !slices.ContainsFunc(head,
			func(line string) bool {
				return strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "go ") ||
					strings.HasPrefix(line, "    ")
			}) {
			t.Errorf("%s does not begin with a command", name)
		}
	}
	if words > 12000 {
		t.Errorf("the guide has %d words, want at most 12000", words)
	}
	for _, name := range append(pages, "../../README.md") {
		if strings.Contains(readFile(t, name), "bench/notes") {
			t.Errorf("%s names laboratory notes", name)
		}
	}
	if n := strings.Count(readFile(t, "../../README.md"), "\n"); n > 100 {
		t.Errorf("README.md has %d lines, want at most 100", n)
	}
}

// oddWords are turns of phrase that readers stop at, and what to write instead.
var oddWords = []struct{ odd, plain string }{
	{`of (one's|its|their) own\b`, "custom, separate"},
	{`(^|[^-.])\bbeside\b`, "next to, with, in addition to"},
	{`\balone\b`, "only"},
	{`\bis no [a-z]`, "is not a"},
	{`\bsuch as have\b`, "those with"},
	{`\bthat of\b`, "the noun"},
	{`\bnil: `, "nil means"},
	{`; 0: `, "defaults to"},
	{`\bworth [0-9]`, "effective sample size"},
	{`\bthe data (hardly )?tell\b`, "identify"},
	{`\bsay so\b`, "a noun"},
}

// The guide, the README, the help of the program and the comments of public packages keep to plain
// words.
func TestWords(t *testing.T) {
	pages := append(guide(t), "../../README.md", "../../docs/reference.md")
	for _, pattern := range []string{"../../doc.go", "../../*/doc.go", "../../*/*/doc.go"} {
		packages, err := filepath.Glob(pattern)
		if err != nil || len(packages) == 0 {
			t.Fatal(packages, err)
		}
		for _, name := range packages {
			if !strings.HasPrefix(name, "../../internal/") && !strings.HasPrefix(name, "../../be") {
				pages = append(pages, name)
			}
		}
	}
	for _, name := range pages {
		text := strings.ReplaceAll(readFile(t, name), "there is no ", "there isn't a ")
		for _, w := range oddWords {
			for _, at := range regexp.MustCompile(w.odd).FindAllStringIndex(text, -1) {
				t.Errorf("%s:%d: %q; write %s", name, 1+strings.Count(text[:at[0]], "\n"),
					text[at[0]:at[1]], w.plain)
			}
		}
	}
}
