package main

import (
	"os"
	"strings"
	"testing"
)

// The commands of docs/knowledge.md run as they stand there, and say what the page says
// they do; what svgd would do beside exact is left out.
func TestKnowledgePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/knowledge.md")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t, nil)
	commands := 0
	var got invocation
	for line := range strings.Lines(string(page)) {
		text, code := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		command, isCommand := strings.CutPrefix(text, "$ tobac ")
		switch {
		case code && isCommand:
			args := shellWords(command)
			if args[0] == "fit" {
				args = append(args, "--engine", "exact")
			}
			got = runTobac(t, args...)
			commands++
		case code && (strings.HasPrefix(text, "tobac: ") || strings.HasPrefix(text, "- ")):
			if !strings.Contains(got.stderr, text+"\n") {
				t.Errorf("the page says %q, got %+v", text, got)
			}
		}
	}
	if commands != 5 {
		t.Errorf("%d commands", commands)
	}
}

// shellWords splits a command line at blanks outside of double quotes.
func shellWords(line string) (words []string) {
	for k, part := range strings.Split(line, `"`) {
		if k%2 == 0 {
			words = append(words, strings.Fields(part)...)
		} else {
			words = append(words, part)
		}
	}
	return words
}
