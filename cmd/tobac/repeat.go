package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// argumentsKey is the key of a command line in a context.
type argumentsKey struct{}

// withArguments keeps a command line, without the program's name, for reports.
func withArguments(ctx context.Context, args []string) context.Context {
	return context.WithValue(ctx, argumentsKey{}, slices.Clone(args))
}

// unrepeated are the options that change no number of a result.
var unrepeated = []string{"out", "json", "workers", "checkpoint", "checkpoint-every", "report"}

// repeatCommand is the command that repeats a run, for a shell; "" if it is unknown.
func repeatCommand(ctx context.Context, flags *pflag.FlagSet) string {
	args, _ := ctx.Value(argumentsKey{}).([]string)
	if args == nil {
		return ""
	}
	words := []string{"tobac"}
	for k := 0; k < len(args); k++ {
		name, isFlag := strings.CutPrefix(args[k], "--")
		name, _, joined := strings.Cut(name, "=")
		flag := flags.Lookup(name)
		if !isFlag || flag == nil {
			words = append(words, repeatWord(args[k]))
			continue
		}
		last := k
		if !joined && flag.NoOptDefVal == "" {
			last = min(k+1, len(args)-1) // its value
		}
		if !slices.Contains(unrepeated, name) {
			for _, word := range args[k : last+1] {
				words = append(words, repeatWord(word))
			}
		}
		k = last
	}
	return strings.Join(words, " ")
}

// repeatWord quotes a word for a POSIX shell if it needs that.
func repeatWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,/:@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
