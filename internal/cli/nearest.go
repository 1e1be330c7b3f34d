package cli

import (
	"strings"

	"tobac/ordering"

	"github.com/spf13/pflag"
)

// ChoicesOf are the named values of a flag; nil means it takes others.
func ChoicesOf(flag *pflag.Flag) []string { return kindChoices(flag.Value.Type()) }

// kindChoices are the named values in the placeholder of a flag.
func kindChoices(kind string) []string {
	if kind == "bool" {
		return []string{"true", "false"}
	}
	words := strings.Split(kind, "|")
	if len(words) < 2 {
		return nil
	}
	var names []string
	for _, w := range words {
		switch {
		case w == "METHOD":
			for _, m := range ordering.Methods() {
				names = append(names, m.String())
			}
		case w == strings.ToLower(w) && !strings.Contains(w, ","):
			names = append(names, w)
		}
	}
	return names
}
