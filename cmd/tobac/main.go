// Command tobac infers a posterior over causal graphs from a table of
// measurements.
//
//	tobac check DATA         describe a table and check that fit can use it
//	tobac fit [DATA.csv]     infer the posterior, print it and write it to files
//	tobac eval DIR           judge a posterior in files against a graph or other data
//	tobac compare DIR DIR    say how much two results differ
//	tobac effect RUN         what setting a column does to others
//	tobac predict RUN        what to expect of all columns when some are set
//	tobac report RUN         write the page and figures of a fit again
//	tobac order DATA.csv     print a causal order of the columns
//	tobac simulate           draw a random graph and data from it
//	tobac reproduce NAME     run the experiments of the paper
//	tobac convert IN OUT     write a graph in the format of another program
//	tobac version            print the version
//	tobac completion SHELL   print a completion script for bash, zsh, fish or powershell
//	tobac man DIR            write manual pages
//
// Every command explains its options with --help. Results go to standard
// output; progress, warnings and errors go to standard error. A mistake is
// reported in one line. The exit status is 0 after success, 1 after a failed run
// (data that cannot be read or used, a numerical failure, output that cannot be
// written), 2 after wrong usage (unknown commands and options, values out of range,
// options that contradict each other), 128 and the number of a signal that stopped
// the command (130 for Ctrl-C, 143 for SIGTERM, 129 for a closed terminal), and 141
// where nobody read standard output to the end. A second signal ends the program at
// once.
package main

import (
	"context"
	"os"

	"tobac/internal/cli"
	_ "tobac/parquet"
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	cli.Listen(cancel)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
