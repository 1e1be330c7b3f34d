package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// referencePage is docs/reference.md: the help of every command, and of every topic.
func referencePage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Reference\n\nThe help of every command and topic, as the program prints it. Written by\n" +
		"`TOBAC_REFERENCE=write go test ./cmd/tobac -run TestReference`.\n")
	section := func(heading string, args ...string) {
		got := runWith(t, t.Context(), "", args...)
		if got.stderr != "" || got.stdout == "" {
			t.Errorf("tobac %s: %q", strings.Join(args, " "), got.stderr)
		}
		b.WriteString("\n## " + heading + "\n\n```text\n" + strings.TrimRight(got.stdout, "\n") + "\n```\n")
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
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if readFile(t, name) != want {
		t.Error("docs/reference.md is stale: run TOBAC_REFERENCE=write go test ./cmd/tobac -run TestReference")
	}
}

// Prose of the pages has lines of at most 100 columns; tables, links, images and code are free.
func TestLinesOfPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, name := range append(pages, "../../README.md", "../../ARCHITECTURE.md", "../../autograd/executor.md", "../../internal/dependencies.md", "wrong-use.md") {
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
