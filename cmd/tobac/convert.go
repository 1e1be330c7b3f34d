package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/graphfile"
	"tobac/internal/words"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// convertOptions are the flags of tobac convert.
type convertOptions struct {
	to        graphfile.Format
	values    graphfile.Values
	above     float64
	transpose bool
	force     bool

	given func(flag string) bool // on the command line
}

const convertLong = `Convert reads a graph and writes it in another format. The format of IN is recognised
by its content; - is standard input. The ending of OUT decides its format, or --to;
- is standard output, which needs --to. Only --force replaces an existing file.

Formats:
%s
Directed and undirected edges, probabilities, weights and their standard deviations are
kept where the format can hold them; a warning names what is lost. BIF holds
acyclic graphs, and their tables of probabilities. Edges a <-> b and a o-> b stand for hidden
variables and are refused.

Matrices: entry (i, j) is the edge i -> j; --transpose reads j -> i, as lingam writes
them. A matrix of 0 and 1 with both entries of a pair is an undirected edge; otherwise
entries are probabilities if all are from 0 to 1, and weights if not. --values chooses the
entries of a matrix that is written.`

func newConvert() *cobra.Command {
	var o convertOptions
	var list strings.Builder
	for _, f := range graphfile.Formats() {
		fmt.Fprintf(&list, "  %-10s %-9s %s\n", f, f.Ending(), f.Description())
	}
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a graph in the format of another program",
		Long:  fmt.Sprintf(convertLong, list.String()),
		Example: `  tobac convert graph.csv graph.graphml
  tobac convert run/edges.csv likely.dot --above 0.5
  tobac convert truth.bif - --to csv`,
		Args: cli.Arguments(2, 2, "a file to read and a file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			return cli.Working(cmd.ErrOrStderr(), cli.IsQuiet(cmd), "converting "+args[0],
				func(p *cli.Progress) error {
					return convert(cmd.Context(), &o, args[0], args[1], cmd.InOrStdin(),
						cli.Beneath(p, cmd.OutOrStdout()), cli.Beneath(p, cmd.ErrOrStderr()))
				})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(cli.Choice(&o.to, graphfile.Formats()...), "to", "format of OUT")
	cli.DefaultText(f, "to", "by the ending of OUT")
	f.Var(cli.Choice(&o.values, graphfile.AdjacencyValues, graphfile.ProbabilityValues,
		graphfile.WeightValues), "values", "entries of a matrix or .npy that is written")
	f.Var(share(&o.above), "above", "keep the edges with a probability above P")
	cli.DefaultText(f, "above", "all edges")
	cli.Toggle(f, &o.transpose, "transpose", "reverse every directed edge")
	cli.Toggle(f, &o.force, "force", cli.ForceUsage)
	return cmd
}

// share is a number from 0 on and below 1.
func share(value *float64) pflag.Value {
	return cli.Bound(value, "P", "numbers from 0 and below 1", func(text string) (float64, bool) {
		v, ok := delimited.Number(text)
		return v, ok && v >= 0 && v < 1
	})
}

// target is the format to write.
func (o *convertOptions) target(out string) (graphfile.Format, error) {
	to := o.to
	if !o.given("to") {
		var ok bool
		if to, ok = graphfile.FormatOf(out); !ok {
			return 0, cli.Usagef("%s: unknown ending; allowed: %s, or --to FORMAT", out,
				endings())
		}
	}
	if o.given("values") && to != graphfile.Matrix && to != graphfile.NPY {
		return 0, cli.Usagef(
			"--values contradicts --to %v: only matrix and npy hold a single matrix", to)
	}
	return to, nil
}

// endings lists those of all formats once.
func endings() string {
	var all []string
	seen := map[string]bool{}
	for _, f := range graphfile.Formats() {
		if !seen[f.Ending()] {
			all = append(all, f.Ending())
			seen[f.Ending()] = true
		}
	}
	return strings.Join(all, ", ")
}

// convert runs the command.
func convert(ctx context.Context, o *convertOptions, in, out string, stdin io.Reader,
	stdout, stderr io.Writer) error {
	to, err := o.target(out)
	if err != nil {
		return err
	}
	if out == "-" && o.force {
		return cli.Usagef("--force contradicts the output -: standard output replaces no file")
	}
	if _, err := os.Stat(out); out != "-" && !o.force && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: exists already; allowed: another name, or --force to replace it",
			out)
	}
	guard := file.Guard{Inputs: []file.Input{{Path: in, What: "the graph that is read"}}}
	if err := guard.CheckInput(out); err != nil && out != "-" {
		return err
	}
	g, err := cli.Within(ctx, func() (*graphfile.Graph, error) { return o.read(&in, stdin) })
	if err != nil {
		return err
	}
	var b bytes.Buffer
	lost := to.Lost(g)
	if to == graphfile.Matrix || to == graphfile.NPY {
		err = graphfile.WriteMatrix(&b, g, to, o.values)
		lost = o.kept(lost)
	} else {
		err = to.Write(&b, g)
	}
	if err != nil {
		return cli.Located(in, err)
	}
	if lost != nil {
		cli.Warn(stderr,
			[]string{fmt.Sprintf("%v holds no %s: left out", to, strings.Join(lost, ", no "))})
	}
	if out == "-" {
		if _, err := cli.Exactly(stdout).Write(b.Bytes()); err != nil {
			return file.WithPath("standard output", err)
		}
		return nil
	}
	write := func() (any, error) {
		return nil, file.Write(out, func(w io.Writer) error {
			_, err := w.Write(b.Bytes())
			return err
		})
	}
	// a pipe may have no reader
	if info, none := os.Stat(out); none == nil && !info.Mode().IsRegular() {
		_, err = cli.Within(ctx, write)
	} else {
		_, err = write()
	}
	if err != nil {
		return err
	}
	_, undirected := g.Directed()
	text := fmt.Sprintf("%s: %s, %s", out, strings.Replace(words.Counted(len(g.Names), "vertex"),
		"vertexs", "vertices", 1), words.Counted(len(g.Edges), "edge"))
	if len(undirected) > 0 {
		text += fmt.Sprintf(", %d of them without direction", len(undirected))
	}
	_, err = fmt.Fprintln(stdout, text)
	return err
}

// kept removes from what is lost what the entries of the matrix keep.
func (o *convertOptions) kept(lost []string) []string {
	entries := map[graphfile.Values]string{graphfile.ProbabilityValues: "probabilities",
		graphfile.WeightValues: "weights"}[o.values]
	var out []string
	for _, what := range lost {
		if what != entries &&
			(what != graphfile.OppositeEdges || o.values == graphfile.AdjacencyValues) {
			out = append(out, what)
		}
	}
	return out
}

// read reads the graph and does what the options say with it; in becomes its name in
// messages.
func (o *convertOptions) read(in *string, stdin io.Reader) (g *graphfile.Graph, err error) {
	if *in == "-" {
		*in = cli.StandardInput
		g, _, err = graphfile.Read(stdin, cli.StandardInput)
	} else if err = file.CheckEdited(*in); err == nil {
		g, _, err = graphfile.ReadFile(*in)
	}
	if err != nil {
		return nil, err
	}
	if o.transpose {
		g = g.Reversed()
	}
	if o.given("above") {
		if g, err = g.Above(o.above); err != nil {
			return nil, cli.Located(*in, err)
		}
	}
	return g, nil
}
