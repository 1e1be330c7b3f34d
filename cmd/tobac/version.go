package main

import (
	"fmt"

	"tobac/internal/cli"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	notices := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program, of Go, and the platform",
		Args:  cli.Arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if notices {
				_, err := fmt.Fprint(cmd.OutOrStdout(), licences)
				return err
			}
			v := cli.CurrentVersions()
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "tobac", v.Tobac, v.Go, v.Platform)
			return err
		},
	}
	cli.Toggle(cmd.Flags(), &notices, "licences",
		"print the licences of all modules that the program contains")
	return cmd
}
