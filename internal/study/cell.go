package study

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"tobac/dag"
	"tobac/internal/jobs"
	"tobac/metrics"
)

// JobKind is that of the jobs that cells are.
const JobKind = "experiment"

// A Cell is one experiment: a method on a data set with a seed. Two cells that differ in nothing
// but names are the same job.
type Cell struct {
	Data   Data
	Method Method
	Seed   uint64
}

// Name is that of the data set, a slash, and that of the method.
func (c Cell) Name() string { return c.Data.Name + "/" + c.Method.Name }

// input is what determines the outcome, as the job has it.
type input struct {
	Data   Data   `json:"data"`
	Method Method `json:"method"`
	Seed   uint64 `json:"seed"`
}

// Job is the cell as a piece of work that any machine can do.
func (c Cell) Job() jobs.Job {
	text, err := json.Marshal(input(c))
	if err != nil {
		panic("study: " + err.Error()) // texts and finite numbers
	}
	return jobs.Job{Kind: JobKind, Input: text, Data: c.Data.tables, Name: c.Name()}
}

// Functions do the jobs of cells.
func Functions() jobs.Functions { return jobs.Functions{JobKind: new(references).do} }

func (r *references) do(ctx context.Context, j jobs.Job) ([]byte, error) {
	var in input
	if err := json.Unmarshal(j.Input, &in); err != nil {
		return nil, fmt.Errorf("study: no experiment: %w", err)
	}
	in.Data.tables = j.Data
	o, err := Cell(in).run(ctx, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

// An Outcome is how one method did on one data set: a function of the cell, bit by bit.
type Outcome struct {
	Views
	// Truth is the SHA-256 of the true edges, Edges their number.
	Truth     string     `json:"truth"`
	Edges     int        `json:"edges"`
	TrueEdges []dag.Edge `json:"true_edges"`
	Variables int        `json:"variables"`
	Names     []string   `json:"names"` // of the variables
	// HeldOutRows is the number of rows that Neg.LL sums over.
	HeldOutRows int `json:"held_out_rows"`
	// Order is the causal order that was taken as known, Violated the number of true edges against
	// it; nil and NaN without one.
	Order    []int          `json:"order,omitempty"`
	Violated metrics.Number `json:"violated_edges"`
	// Curve is how good particles were on their way; nil for methods without particles.
	Curve []Point `json:"curve,omitempty"`
	// SVIDAG are the scores of the SVI-DAG comparison, on its tables; nil on others.
	SVIDAG *SVIDAGScores `json:"svidag,omitempty"`
	// Exact says how far the posterior is from the method's reference; nil without one.
	Exact  *Exactness `json:"exact,omitempty"`
	Engine string     `json:"engine,omitempty"` // as the posterior names it
	Model  string     `json:"model,omitempty"`
}

// run does the experiment.
func (c Cell) run(ctx context.Context, r *references) (*Outcome, error) {
	p, err := c.Data.Problem()
	if err != nil {
		return nil, err
	}
	f, order, err := c.Method.Fit(ctx, p, c.Seed)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Truth: truthDigest(p.Truth), Edges: p.Truth.Size(), TrueEdges: p.Truth.Edges(),
		Variables: p.Truth.Len(), Names: p.Train.Names, Order: order, Violated: nan, Curve: f.Curve,
		Engine: f.Posterior.Engine, Model: f.Posterior.Model}
	if p.Heldout != nil {
		o.HeldOutRows, _ = p.Heldout.X.Dims()
	}
	if order != nil {
		o.Violated = metrics.Number(metrics.ViolatedEdges(order, p.Truth))
	}
	if c.Method.Reference != "" {
		if o.Exact, err = r.compare(ctx, c, p, f, order); err != nil {
			return nil, err
		}
	}
	if o.Views, err = f.Judge(p.Truth); err != nil {
		return nil, err
	}
	if c.Data.Source == SVIDAGTables {
		o.SVIDAG, err = judgeSVIDAG(f.Posterior, p.Truth, c.Data.Classes)
	}
	return o, err
}

// truthDigest is the SHA-256 of the edges of a graph, "i j" in a line each, sorted.
func truthDigest(g *dag.Graph) string {
	var text strings.Builder
	for _, e := range g.Edges() {
		fmt.Fprintf(&text, "%d %d\n", e.From, e.To)
	}
	return digest([]byte(text.String()))
}

// Exactness says how far a posterior is from the reference of its method.
type Exactness struct {
	MeanAbsError      metrics.Number `json:"mean_abs_error"`
	LogProbDifference metrics.Number `json:"log_prob_difference"`
	LogProbError      metrics.Number `json:"log_prob_error"`
}
