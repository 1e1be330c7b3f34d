package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"tobac"
	"tobac/autograd"
	"tobac/dag"
	"tobac/delimited"
	"tobac/internal/file"
	"tobac/metrics"
	"tobac/models"
)

// A result is a finished fit.
type result struct {
	*tobac.Result
	summary summary
}

// fitFiles are the files that tobac fit may write.
var fitFiles = []string{"edges.csv", "graph.csv", "graph.dot", particlesFile, besideFile, "summary.json"}

// files are those of this result.
func (r *result) files() []string {
	if r.Particles != nil {
		return fitFiles
	}
	return slices.DeleteFunc(slices.Clone(fitFiles), func(name string) bool { return name == besideFile })
}

// save writes all files into the folder, or none.
func (r *result) save(out *file.Set) error {
	p := r.Posterior
	graph, weights := p.Consensus()
	var labels func(dag.Edge) []dag.Attribute
	if weights != nil {
		labels = dag.WeightLabels(weights)
	}
	writers := map[string]func(io.Writer) error{
		"edges.csv":    r.writeEdges,
		"graph.csv":    func(w io.Writer) error { return dag.WriteEdges(w, graph, p.Names, weights) },
		"graph.dot":    func(w io.Writer) error { return dag.WriteDOT(w, graph, p.Names, labels) },
		particlesFile:  p.Write,
		besideFile:     func(w io.Writer) error { return r.Particles.Write(w) },
		"summary.json": func(w io.Writer) error { return writeJSON(w, r.summary) },
	}
	for _, name := range r.files() {
		if err := out.Write(name, writers[name]); err != nil {
			return err
		}
	}
	return out.Commit()
}

// writeEdges writes every edge with a probability above 0, most probable first.
// What is not known of its weight stays empty.
func (r *result) writeEdges(w io.Writer) error {
	text := []byte("source,target,probability,weight_mean,weight_sd\n")
	known := func(v float64) {
		text = append(text, ',')
		if !math.IsNaN(v) {
			text = delimited.AppendNumber(text, v)
		}
	}
	for _, e := range r.Posterior.EdgesFrom(0) {
		text = delimited.AppendText(text, r.Names[e.Source])
		text = delimited.AppendText(append(text, ','), r.Names[e.Target])
		known(e.Probability)
		known(e.WeightMean)
		known(e.WeightSD)
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

// print writes the report for a reader. Writes to a buffer do not fail, so only
// the tables' errors are passed on.
func (r *result) print(w io.Writer, dir string) error {
	r.printRun(w)
	if err := r.printEdges(w, dir); err != nil {
		return err
	}
	if err := r.printConsensus(w); err != nil {
		return err
	}
	if err := r.printMetrics(w); err != nil {
		return err
	}
	if dir != "" {
		fmt.Fprintf(w, "\nwritten to %s: %s\n", filepath.Clean(dir), strings.Join(r.files(), ", "))
	}
	return nil
}

// printRun says what was done.
func (r *result) printRun(w io.Writer) {
	s := &r.summary
	in, c := &s.Config.inputConfig, &r.Config
	fmt.Fprintf(w, "data    %s: %d rows of %d variables", in.Data, in.TrainingRows, in.Variables)
	if in.Transform != "none" {
		fmt.Fprintf(w, ", %s", in.Transform)
	}
	if in.Standardize {
		fmt.Fprint(w, ", standardised")
	}
	if in.HeldoutRows > 0 {
		fmt.Fprintf(w, ", %d rows held out", in.HeldoutRows)
	}
	fmt.Fprintln(w)
	if in.Interventions != "" {
		fmt.Fprintf(w, "set     by intervention: %s\n", in.Interventions)
	}
	fmt.Fprintf(w, "model   %s", describe(s.Model))
	if s.Reason != "" {
		fmt.Fprintf(w, ": %s", s.Reason)
	}
	fmt.Fprintln(w)
	if len(s.Evidence) > 1 {
		for _, e := range s.Evidence {
			if math.IsNaN(float64(e.Log)) {
				fmt.Fprintf(w, "        %s left out: %s\n", e.Model, e.Note)
				continue
			}
			fmt.Fprintf(w, "        %s %.1f nats", e.Model, e.Log)
			if e.Note != "" {
				fmt.Fprintf(w, " (%s)", e.Note)
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintf(w, "engine  %s\n", r.describeEngine())
	switch {
	case s.Orders != nil:
		s.Orders.print(w, c)
	case len(s.Order) > 0:
		fmt.Fprintf(w, "order   %s\n", joinNames(s.Order))
	}
	switch {
	case c.Prior.Probabilities != nil:
		fmt.Fprintf(w, "prior   edge probabilities in %s\n", in.Prior)
	case c.Prior.Kind == tobac.Sparse:
		how := ""
		if c.Prior.EdgesPerNode == 0 && c.Engine != tobac.SVGD {
			how = ", inferred"
		}
		fmt.Fprintf(w, "prior   %.3g edges per node, that is %.4g expected edges%s\n", s.EdgesPerNode, float64(s.EdgesPerNode)*float64(in.Variables), how)
	default:
		fmt.Fprintf(w, "prior   %v\n", c.Prior.Kind)
	}
	if s.Beside != nil {
		fmt.Fprintf(w, "svgd    %s beside it, %s: its edge probabilities differ by %.3f on average\n", describe(s.Beside.Model), particlesText(c), s.Beside.Distance)
	}
	fmt.Fprintf(w, "run     seed %d: %.1f s\n", c.Seed, s.Seconds.Total)
}

// describe says in words what a model is.
func describe(model string) string {
	name, rest, _ := strings.Cut(model, " ")
	words := map[string]string{
		"linear": "linear with equal noise variances", "bge": "linear with unequal noise variances (bge)",
		"gp": "nonlinear (gp)", "ffn": "networks (ffn)",
	}[name]
	switch {
	case words == "":
		return model
	case rest == "":
		return words
	}
	return words + ", " + rest
}

// describeEngine says what computed the listed probabilities.
func (r *result) describeEngine() string {
	c, s := &r.Config, &r.summary
	switch {
	case c.Engine == tobac.SVGD && c.Sampler.Method == tobac.DiBS:
		return fmt.Sprintf("svgd, method dibs, %s, without an order: %d of %d particles have a cycle and are left out", particlesText(c), s.Cyclic, len(r.Draws))
	case c.Engine == tobac.SVGD:
		return fmt.Sprintf("svgd, %s", particlesText(c))
	case c.Engine == tobac.MCMC:
		return fmt.Sprintf("mcmc, %d chains of %d iterations", c.Chains.Chains, c.Chains.Iterations)
	}
	return "exact, " + r.Sum
}

// particlesText describes the sampling of particles.
func particlesText(c *tobac.Config) string {
	s := &c.Sampler
	text := fmt.Sprintf("%d particles, %d steps, %d samples, %s estimator", s.Particles, s.Steps, s.Samples, s.Estimator)
	if s.Gradient != models.Reparameterised {
		text += fmt.Sprintf(", %s gradient", s.Gradient)
	}
	if s.Precision != autograd.Float64 {
		text += fmt.Sprintf(", %s", s.Precision)
	}
	return text
}

// printEdges lists the most probable edges.
func (r *result) printEdges(w io.Writer, dir string) error {
	const most = 20
	edges := r.Posterior.Edges()
	switch {
	case len(r.Draws) > 0 && r.summary.Cyclic == len(r.Draws):
		fmt.Fprint(w, "\nEvery particle has a cycle: there is no acyclic graph to report.\n")
		return nil
	case len(edges) == 0:
		fmt.Fprint(w, "\nNo edge has a probability of 0.005 or more.\n")
		return nil
	}
	fmt.Fprint(w, "\nStrongest edges\n")
	t := newTable(w)
	weighted := r.Posterior.WeightMean != nil
	if weighted {
		fmt.Fprintln(t, "  source\ttarget\tprobability\tadjacent\tweight")
	} else {
		fmt.Fprintln(t, "  source\ttarget\tprobability\tadjacent")
	}
	for _, e := range edges[:min(most, len(edges))] {
		fmt.Fprintf(t, "  %s\t%s\t%.2f\t%.2f", r.label(e.Source), r.label(e.Target), e.Probability, e.Adjacent)
		if weighted {
			fmt.Fprintf(t, "\t%.3g", e.WeightMean)
			if !math.IsNaN(e.WeightSD) {
				fmt.Fprintf(t, " ± %.2g", e.WeightSD)
			}
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(edges) - most; more > 0 {
		where := "edges.csv with --out DIR"
		if dir != "" {
			where = filepath.Join(dir, "edges.csv")
		}
		fmt.Fprintf(w, "  and %d weaker ones (%s)\n", more, where)
	}
	return nil
}

// printConsensus lists the edges of the consensus graph.
func (r *result) printConsensus(w io.Writer) error {
	graph, weights := r.Posterior.Consensus()
	fmt.Fprintf(w, "\nConsensus graph, edges of probability above 1/2: %d\n", graph.Size())
	t := newTable(w)
	precedes := r.Posterior.Precedes()
	for _, e := range graph.Edges() {
		fmt.Fprintf(t, "  %s → %s", r.label(e.From), r.label(e.To))
		if weights != nil {
			fmt.Fprintf(t, "\t%.3g", weights.At(e.From, e.To))
		}
		if r.summary.Orders != nil {
			fmt.Fprintf(t, "\tbefore it in %.2f of the orders", precedes.At(e.From, e.To))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	joined := r.Undirected()
	if len(joined) == 0 {
		return nil
	}
	fmt.Fprintf(w, "Adjacent with a probability above 1/2, in a direction that the data do not tell: %d\n", len(joined))
	for _, e := range joined {
		fmt.Fprintf(t, "  %s — %s\t%.2f\n", r.label(e.Source), r.label(e.Target), e.Adjacent)
	}
	return t.Flush()
}

// printMetrics puts the metrics of the edge probabilities above those of the
// particles and of the empty graph, where there is anything to compare with.
func (r *result) printMetrics(w io.Writer) error {
	c, m := r.summary.Config, r.summary.Metrics
	if c.Truth == "" && c.HeldoutRows == 0 {
		return nil
	}
	fmt.Fprint(w, "\nMetrics")
	if c.Truth != "" {
		fmt.Fprintf(w, " against %s", c.Truth)
	}
	if c.HeldoutRows > 0 {
		fmt.Fprintf(w, ", Neg.LL of %d held-out rows", c.HeldoutRows)
	}
	fmt.Fprintln(w)
	draws := "draws"
	if r.Config.Engine == tobac.SVGD {
		draws = "particles"
	}
	t := newTable(w)
	fmt.Fprintln(t, "  \tE-SHD\tAUROC\twith diagonal\tavg. precision\texpected edges\tNeg.LL\tdata only")
	l := m.Listed
	fmt.Fprintf(t, "  listed\t%s\t%s\t%s\t%s\t%s\t-\t-\n", fixed(l.ESHD, 2), fixed(l.AUROC, 3), fixed(l.AUROCWithDiagonal, 3), fixed(l.AveragePrecision, 3), fixed(l.ExpectedEdges, 2))
	for _, row := range []struct {
		name string
		s    *scores
	}{{draws, m.Empirical}, {draws + ", weighted", m.Mixture}, {"svgd listed", nil}, {"empty graph", &m.Empty}} {
		if row.s != nil {
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.name, fixed(row.s.ESHD, 2), fixed(row.s.AUROC, 3), fixed(row.s.AUROCWithDiagonal, 3),
				fixed(row.s.AveragePrecision, 3), fixed(row.s.ExpectedEdges, 2), fixed(row.s.NegLL, 1), fixed(row.s.NegLLDataOnly, 1))
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if c.Truth != "" {
		fmt.Fprintf(w, "  listed probabilities: Brier %s, log score %s, calibration error %s; skeleton AUROC %s; consensus: SHD %s, equivalence class %s\n",
			fixed(l.Brier, 4), fixed(l.LogScore, 3), fixed(l.CalibrationError, 3), fixed(l.SkeletonAUROC, 3), fixed(l.ConsensusSHD, 0), fixed(l.CPDAGSHD, 0))
	}
	if r.summary.Cyclic > 0 {
		fmt.Fprintf(w, "  particles with a cycle: %d of %d\n", r.summary.Cyclic, len(r.Draws))
	}
	return nil
}

// label is the name of a column of the posterior as a cell of a table.
func (r *result) label(j int) string { return label(r.Names[j]) }

// label is a column's name, quoted if it would break a table.
func label(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool { return !strconv.IsPrint(c) }) {
		return strconv.Quote(name)
	}
	return name
}

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// fixed writes a metric with some decimals, or a dash where it is not defined.
func fixed(n metrics.Number, decimals int) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'f', decimals, 64)
}
