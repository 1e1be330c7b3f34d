package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"tobac/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Widths of help texts.
const (
	helpColumn = 26 // where explanations begin
	helpWidth  = 98
)

// markGroup is the annotation of a flag that says under which heading help lists it.
const markGroup = "tobac group"

// Group puts flags under a heading.
func Group(f *pflag.FlagSet, heading string, names ...string) {
	for _, name := range names {
		f.SetAnnotation(name, markGroup, []string{heading})
	}
}

// PrintHelp explains a command: what it does, and its options under their headings.
func PrintHelp(w io.Writer, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\nUsage: %s\n", long, cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(w, "\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				printEntry(w, c.Name(), c.Short)
			}
		}
	}
	var headings []string
	under := map[string][]*pflag.Flag{}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		heading := "Options"
		if g := flag.Annotations[markGroup]; len(g) > 0 {
			heading = g[0]
		}
		if flag.Name == "help" && len(headings) > 0 {
			heading = headings[len(headings)-1]
		}
		if !slices.Contains(headings, heading) {
			headings = append(headings, heading)
		}
		under[heading] = append(under[heading], flag)
	})
	for _, heading := range headings {
		fmt.Fprintf(w, "\n%s:\n", heading)
		for _, flag := range under[heading] {
			printEntry(w, "--"+flagForm(flag), flagText(flag))
		}
	}
}

// flagForm is a flag with a placeholder for its value.
func flagForm(flag *pflag.Flag) string {
	if flag.NoOptDefVal != "" {
		return flag.Name
	}
	return flag.Name + " " + placeholderOf(flag)
}

// flagText is the explanation of a flag, with its choices if the placeholder has none, and its
// default.
func flagText(flag *pflag.Flag) string {
	text := flag.Usage
	if words := strings.Split(flag.Value.Type(), "|"); len(words) > 1 &&
		placeholderOf(flag) == "NAME" &&
		!containsAll(text, words) {
		text += ": " + strings.Join(words, ", ")
	}
	switch d := flag.DefValue; {
	case d == "" || d == "[]" || d == "0" || flag.NoOptDefVal != "" && d == "false":
		return text
	default:
		return text + " (default " + d + ")"
	}
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// printEntry prints a word and its explanation, in lines of at most helpWidth columns.
func printEntry(w io.Writer, word, text string) {
	line := "  " + word
	if n := utf8.RuneCountInString(line); n+2 > helpColumn {
		fmt.Fprintln(w, line)
		line = strings.Repeat(" ", helpColumn)
	} else {
		line += strings.Repeat(" ", helpColumn-n)
	}
	for k, part := range strings.Fields(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(part) > helpWidth {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", helpColumn) + part
			continue
		}
		if k > 0 && strings.TrimSpace(line) != "" && !strings.HasSuffix(line, "  ") {
			line += " "
		}
		line += part
	}
	fmt.Fprintln(w, line)
}

// printTopic explains a topic and its settings.
func printTopic(w io.Writer, t Topic) {
	fmt.Fprintf(w, "%s: %s\n", t.Name, t.what)
	first := true
	t.Settings.VisitAll(func(flag *pflag.Flag) {
		if first {
			fmt.Fprintln(w, "\nSettings, as in --set "+t.Name+"."+flag.Name+"="+placeholderOf(flag)+
				":")
			first = false
		}
		printEntry(w, t.Name+"."+flag.Name+" "+placeholderOf(flag), flagText(flag))
	})
}

// printTopics lists commands and topics.
func printTopics(w io.Writer, root *cobra.Command, all []Topic) {
	fmt.Fprintln(w, "tobac help COMMAND explains a command, tobac help TOPIC a topic and its "+
		"settings.\n\nCommands:")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			printEntry(w, c.Name(), c.Short)
		}
	}
	for _, heading := range []string{GroupEngines, GroupModels, GroupOthers} {
		fmt.Fprintf(w, "\n%s:\n", heading)
		for _, t := range all {
			if t.group == heading {
				first, _, _ := strings.Cut(t.what, "\n")
				printEntry(w, t.Name, strings.TrimRight(first, ".:"))
			}
		}
	}
}

// topicNamed finds a topic by its name or its plural.
func topicNamed(all []Topic, name string) (Topic, bool) {
	for _, t := range all {
		if t.Name == name || t.Name+"s" == name || t.Name == name+"s" || name == "bge" &&
			t.Name == "linear-unequal" {
			return t, true
		}
	}
	return Topic{}, false
}

// NewHelp is the command that explains commands and topics. The overview of a group says how one of
// its topics is chosen.
func NewHelp(root *cobra.Command, topics func() []Topic,
	overviews map[string]string) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Explain a command, an engine, a model, or another topic with settings",
		RunE: func(cmd *cobra.Command, args []string) error {
			w, all := cmd.OutOrStdout(), topics()
			if len(args) == 0 {
				printTopics(w, root, all)
				return nil
			}
			if len(args) > 1 {
				return Usagef("tobac help takes one command or topic, got %s",
					strings.Join(args, " "))
			}
			t, isTopic := topicNamed(all, args[0])
			if c, rest, err := root.Find(args); err == nil && len(rest) == 0 && c != root {
				if err := c.Help(); err != nil || !isTopic {
					return err
				}
				fmt.Fprintln(w)
			}
			if isTopic {
				printTopic(w, t)
				return nil
			}
			if kind := map[string]string{"engine": GroupEngines, "engines": GroupEngines,
				"model": GroupModels, "models": GroupModels}[args[0]]; kind != "" {
				for _, t := range all {
					if t.group == kind {
						fmt.Fprintf(w, "%s: %s\n\n", t.Name, t.what)
					}
				}
				fmt.Fprintln(w, overviews[kind])
				return nil
			}
			return unknownTopic(root, all, args[0])
		},
	}
}

func unknownTopic(root *cobra.Command, all []Topic, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	for _, t := range all {
		names = append(names, t.Name)
	}
	return Usagef("no command or topic is called %q%s; tobac help lists them", name,
		words.Suggestion(name, names))
}
