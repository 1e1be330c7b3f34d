package cli

import (
	"slices"
	"strings"

	"tobac/internal/delimited"
	"tobac/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Endings of the files that the commands read.
var (
	TableEndings  = []string{"csv", "tsv", "txt", "npy", "gz", "xlsx", "parquet", "npz"}
	ConfigEndings = []string{"toml"}
	GraphEndings  = []string{"csv", "tsv", "txt", "npy", "npz", "dot", "gv", "graphml", "xml",
		"bif", "json"}
)

// Completions makes the shell complete the values of every flag by its placeholder
// and the files of every argument.
func Completions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			switch flag.Name {
			case "help":
			case "set":
				cmd.RegisterFlagCompletionFunc(flag.Name, completeSetting)
			default:
				// an error says that there is one already
				cmd.RegisterFlagCompletionFunc(flag.Name, completeFlag(flag))
			}
		})
		if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
			cmd.ValidArgsFunction = completeArgument
		}
	}
}

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeFlag completes a flag's values.
func completeFlag(flag *pflag.Flag) completion {
	kind := flag.Value.Type()
	choices := ChoicesOf(flag)
	may, must := pathKind(kind)
	return func(_ *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
		switch {
		case kind == "DIR":
			return nil, cobra.ShellCompDirectiveFilterDirs
		case flag.Name == "config":
			return ConfigEndings, cobra.ShellCompDirectiveFilterFileExt
		case strings.HasPrefix(kind, "GRAPH"):
			return GraphEndings, cobra.ShellCompDirectiveFilterFileExt
		case must:
			return nil, cobra.ShellCompDirectiveDefault
		}
		begun := slices.DeleteFunc(slices.Clone(choices), func(c string) bool {
			return !strings.HasPrefix(c, begin)
		})
		if may {
			return begun, cobra.ShellCompDirectiveDefault // files too
		}
		return begun, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeSetting completes the name of a setting, then its choices.
func completeSetting(cmd *cobra.Command, _ []string, begin string) (all []string,
	_ cobra.ShellCompDirective) {
	settings := settingsFor(cmd)
	name, value, named := strings.Cut(begin, "=")
	settings.VisitAll(func(flag *pflag.Flag) {
		switch {
		case !named && strings.HasPrefix(flag.Name, begin):
			all = append(all, flag.Name+"=")
		case named && flag.Name == name:
			for _, c := range ChoicesOf(flag) {
				if strings.HasPrefix(c, value) {
					all = append(all, name+"="+c)
				}
			}
		}
	})
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeArgument completes the arguments of a command by what its line of usage
// says that they are.
func completeArgument(cmd *cobra.Command, args []string, _ string) ([]string,
	cobra.ShellCompDirective) {
	_, usage, _ := strings.Cut(cmd.Use, " ")
	switch {
	case len(args) > 0 || usage == "":
		return nil, cobra.ShellCompDirectiveNoFileComp
	case strings.Contains(usage, "DIR|FILE"):
		return nil, cobra.ShellCompDirectiveDefault
	case strings.Contains(usage, "DIR"):
		return nil, cobra.ShellCompDirectiveFilterDirs
	case strings.Contains(usage, "DATA"):
		return TableEndings, cobra.ShellCompDirectiveFilterFileExt
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// CheckShell makes an unknown shell an error of the command completion, which
// else prints its help.
func CheckShell(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		var shells []string
		for _, shell := range cmd.Commands() {
			shells = append(shells, shell.Name())
		}
		cmd.Short = "Print a completion script for a shell"
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		cmd.Args = func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return Usagef("unknown shell %s%s; allowed: %s", delimited.Excerpt(args[0]),
				words.Suggestion(args[0], shells), strings.Join(shells, ", "))
		}
	}
}
