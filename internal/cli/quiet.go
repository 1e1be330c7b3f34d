package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// QuietFlag defines --quiet.
func QuietFlag(f *pflag.FlagSet) {
	Toggle(f, new(bool), "quiet", QuietUsage)
	Mark(f, MarkOutside, "quiet")
}

// IsQuiet reports whether a command shows no progress.
func IsQuiet(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("quiet")
	return flag != nil && flag.Value.String() == "true"
}
