package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	notices := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program, of Go, and the platform",
		Args:  arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if notices {
				_, err := fmt.Fprint(cmd.OutOrStdout(), licences)
				return err
			}
			v := currentVersions()
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "tobac", v.Tobac, v.Go, v.Platform)
			return err
		},
	}
	toggle(cmd.Flags(), &notices, "licences", "print the licences of all modules that the program contains")
	return cmd
}

// release is the version of a release binary, which .ci/release sets; "": that of
// the module.
var release string
