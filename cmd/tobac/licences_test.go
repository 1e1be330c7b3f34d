package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// unlinked are the modules that go.mod requires for tests, and for autograd/gorgonia, which the
// program does not import.
var unlinked = []string{
	"codeberg.org/sbinet/npyio", "github.com/google/go-cmp", "golang.org/x/net",
	"pgregory.net/rapid",
	"github.com/chewxy/hm", "gorgonia.org/gorgonia", "gorgonia.org/tensor",
}

// The licences that the program prints name every module that go.mod requires, except for those it
// does not link, and have the texts.
func TestLicences(t *testing.T) {
	got := succeed(t, "version", "--licences").stdout
	for _, text := range []string{"Permission is hereby granted, free of charge",
		"Redistribution and use in source and binary forms", "Apache License",
		"SIL OPEN FONT LICENSE", "Go's standard library BSD-3-Clause"} {
		if !strings.Contains(got, text) {
			t.Errorf("no %q", text)
		}
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	direct, _, _ := strings.Cut(string(mod), ")")
	_, direct, _ = strings.Cut(direct, "(")
	for line := range strings.Lines(direct) {
		words := strings.Fields(line)
		if len(words) == 2 && !slices.Contains(unlinked, words[0]) &&
			!strings.Contains(got, "\n"+words[0]+" "+words[1]+" ") {
			t.Errorf("no licence of %s %s; go run ./licences ../../cmd/tobac/licences.txt, in "+
				"internal/gen", words[0], words[1])
		}
	}
}
