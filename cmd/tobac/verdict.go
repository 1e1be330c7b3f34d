package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tobac/internal/cli"
	"tobac/internal/words"
)

// mostSentences is how many sentences of the verdict the report prints.
const mostSentences = 5

// printVerdict prints the first sentences of the verdict and its assumptions, or with --details
// all.
func (r *result) printVerdict(w io.Writer) {
	fmt.Fprintln(w, "\nVerdict")
	all := r.verdict.Sentences
	if assumptions := slices.IndexFunc(all, func(s string) bool { return strings.HasPrefix(s, "All of this assumes") }); !r.details && assumptions >= 0 && len(all) > mostSentences {
		all = append(slices.Clone(all[:min(assumptions, mostSentences-1)]), all[assumptions])
	}
	for _, s := range all {
		cli.PrintField(w, "      -", s)
	}
	if left := len(r.verdict.Sentences) - len(all); left > 0 {
		cli.PrintField(w, "", fmt.Sprintf("(--details prints %s)", words.Counted(left, "more sentence")))
	}
}
