package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"tobac/internal/cli"
	"tobac/internal/file"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan is the command that writes the manual pages of all commands of root.
func newMan(root *cobra.Command) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages",
		Long: `Man writes a manual page for every command into DIR, which is created if need be:
tobac.1, tobac-fit.1, and so on. man -l DIR/tobac-fit.1 shows one; a folder
man1 in a folder of MANPATH, such as ~/.local/share/man/man1, makes man tobac-fit find
it.`,
		Example: `  tobac man ~/.local/share/man/man1`,
		Args:    cli.Arguments(1, 1, "one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeManuals(root, args[0], force, cmd.OutOrStdout())
		},
	}
	cli.Toggle(cmd.Flags(), &force, "force", cli.ForceUsage)
	return cmd
}

// manual is a page and the command that it is of.
type manual struct {
	name string
	cmd  *cobra.Command
}

func manuals(cmd *cobra.Command) (all []manual) {
	all = append(all, manual{strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1", cmd})
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, manuals(c)...)
		}
	}
	return all
}

// withBlocks marks the indented lines of a text as they are marked in Markdown, of
// which manual pages are made, so that they are not wrapped.
func withBlocks(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if indented := strings.HasPrefix(line, "  "); indented != inside {
			if inside = indented; inside {
				b.WriteString("\n")
			}
		}
		if inside {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

func writeManuals(root *cobra.Command, dir string, force bool, stdout io.Writer) error {
	all := manuals(root)
	names := make([]string, len(all))
	for k, m := range all {
		names[k] = m.name
	}
	out, err := file.OpenSet(dir, names, file.Guard{Force: force})
	if err != nil {
		return err
	}
	defer out.Discard()
	for _, m := range all {
		m.cmd.DisableAutoGenTag = true // which has the date
		m.cmd.Long = withBlocks(m.cmd.Long)
		date := time.Unix(0, 0).UTC() // the same pages at any time
		header := &doc.GenManHeader{Title: strings.ToUpper(strings.TrimSuffix(m.name, ".1")),
			Section: "1", Source: "tobac " + cli.CurrentVersions().Tobac, Manual: "Causal graphs",
			Date: &date}
		if err := out.Write(m.name, func(w io.Writer) error {
			return doc.GenMan(m.cmd, header, w)
		}); err != nil {
			return err
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s and %d others\n", filepath.Join(dir, names[0]), len(names)-1)
	return err
}
