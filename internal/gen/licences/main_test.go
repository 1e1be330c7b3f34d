package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The list that the command prints is that of what it links.
func TestCommitted(t *testing.T) {
	const committed = "../../../cmd/tobac/licences.txt"
	want, err := licences("../../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	text := string(got)
	for line := range strings.Lines(string(want)) {
		if !strings.Contains(text, line) {
			t.Errorf("%s lacks the line %q", committed, line)
			break
		}
	}
	t.Error("the licences are not those of the modules that are linked: go run ./licences " +
		"../../cmd/tobac/licences.txt, in internal/gen")
}

// Texts of known kinds are recognised, others are not.
func TestKinds(t *testing.T) {
	if got, percent := kinds([]byte("You may do with this what you like, on Sundays.")); len(
		got) != 0 || percent >= least {
		t.Errorf("%q, %.0f %%", got, percent)
	}
	text, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if got, percent := kinds(text); len(got) != 1 || got[0] != "MIT" || percent < least {
		t.Errorf("%q, %.0f %%", got, percent)
	}
}
