package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"strings"

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

// machine describes the processor in a few words.
func machine() string {
	name := processor()
	if name == "" {
		name = runtime.GOARCH
	}
	return fmt.Sprintf("%d cores, %s, %s", runtime.NumCPU(), name, runtime.GOOS)
}

// processor is the name that Linux gives the processor; "" means unknown.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close() // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, found := strings.Cut(lines.Text(), ":"); found &&
			strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// licences are those of all that is linked, with their texts; internal/gen/licences writes them.
//
//go:embed licences.txt
var licences string
