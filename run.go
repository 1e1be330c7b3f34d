package tobac

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tobac/dataset"
	"tobac/models"
	"tobac/ordering"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// Fit infers a posterior over causal graphs from a table of measurements: it
// finds a causal order, builds the model, and takes all SVGD steps. When ctx is
// cancelled it stops at the next step boundary and returns an error that wraps
// the context's. Use a [Run] to keep such a run's state.
func Fit(ctx context.Context, data *dataset.Table, cfg Config) (*Posterior, error) {
	r, err := NewRun(data, cfg)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Advance(ctx, r.Steps()); err != nil {
		return nil, err
	}
	return r.Posterior()
}

// A Run is a fit in progress, which can be advanced in parts, saved and
// resumed. It may be used by one goroutine at a time.
type Run struct {
	cfg         Config
	settings    []Setting // as they were given: see Snapshot
	data        *dataset.Table
	orderedRows *mat.Dense             // rows that the order was found from; nil: it is known
	order       *ordering.Result       // of the data
	spread      *ordering.Distribution // of the orders of resamples; nil: one order
	chains      []*chain               // one for each order, sampled one after the other
	at          int                    // the chain being sampled
	seconds     Seconds
}

// Seconds is where the time of a run went.
type Seconds struct {
	Order   float64 `json:"order"`   // finding the causal orders, and weighing them
	Compile float64 `json:"compile"` // building and compiling the models
	Sample  float64 `json:"sample"`  // SVGD steps
	Total   float64 `json:"total"`
}

// NewRun finds the order, or the orders, compiles the model under the first and
// draws its initial particles. Errors name the column or the setting at fault.
func NewRun(data *dataset.Table, cfg Config) (*Run, error) {
	if err := data.Validate(); err != nil {
		return nil, err
	}
	n, d := data.X.Dims()
	cfg, err := cfg.WithDefaults(d)
	if err != nil {
		return nil, fmt.Errorf("tobac: %w", err)
	}
	if n < 2 {
		return nil, fmt.Errorf("tobac: got %d row, want at least 2", n)
	}
	if err := checkMemory(n, d, cfg); err != nil {
		return nil, err
	}
	if err := checkInterventions(cfg.Interventions, data); err != nil {
		return nil, err
	}
	r := &Run{cfg: cfg, settings: settingsOf(cfg, data), data: data, order: new(ordering.Result)}
	start := time.Now()
	if cfg.Method == TOBAC {
		if err := r.findOrder(); err != nil {
			return nil, err
		}
	}
	r.seconds.Order = time.Since(start).Seconds()
	r.chains = r.newChains()
	for _, c := range r.chains {
		if err := r.checkFixedEdges(c.order); err != nil {
			return nil, err
		}
	}
	if err := r.compile(); err != nil {
		return nil, err
	}
	if len(r.chains) == 1 {
		r.cfg.NoiseVariance = r.chains[0].noiseVariance
	}
	return r, nil
}

// findOrder finds the causal order from the rows in which no value was set by
// intervention, since an intervention cuts what an order is read from.
func (r *Run) findOrder() (err error) {
	orderer := r.cfg.Order
	if orderer == nil {
		orderer = ordering.MethodEqVar
	}
	x := r.data.X
	_, known := orderer.(ordering.Fixed)
	if !known && r.cfg.Interventions != nil {
		if x = untouched(x, r.cfg.Interventions); x == nil {
			return errors.New("tobac: every row has an intervention, which leaves none to find an order from; give the order")
		}
	}
	if !known {
		r.orderedRows = x
	}
	if r.cfg.Orders > 0 {
		return r.bootstrap(orderer)
	}
	if r.order, err = orderer.Order(x); err != nil {
		return ordering.WithNames(err, r.data.Names)
	}
	return nil
}

// untouched are the rows of x without an intervention; nil: none.
func untouched(x *mat.Dense, intervened mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	var kept []float64
	for i := range n {
		whole := true
		for j := range d {
			whole = whole && intervened.At(i, j) == 0
		}
		if whole {
			kept = append(kept, x.RawRowView(i)...)
		}
	}
	if kept == nil {
		return nil
	}
	return mat.NewDense(len(kept)/d, d, kept)
}

// checkInterventions names the place of an entry that is neither 0 nor 1.
func checkInterventions(m mat.Matrix, data *dataset.Table) error {
	if m == nil {
		return nil
	}
	n, d := data.X.Dims()
	if rows, cols := m.Dims(); rows != n || cols != d {
		return fmt.Errorf("tobac: interventions are %d×%d, want %d×%d like the data", rows, cols, n, d)
	}
	for i := range n {
		for j := range d {
			if v := m.At(i, j); v != 0 && v != 1 {
				return fmt.Errorf("tobac: interventions of row %d, column %q are %v, want 0 or 1", i, data.Names[j], v)
			}
		}
	}
	return nil
}

// inOrder returns the columns of a matrix in causal order, m itself without one.
func inOrder(m mat.Matrix, order []int) mat.Matrix {
	if m == nil || len(order) == 0 {
		return m
	}
	n, d := m.Dims()
	out := mat.NewDense(n, d, nil)
	for a, j := range order {
		out.SetCol(a, mat.Col(nil, j, m))
	}
	return out
}

// graphPrior is the prior in the coordinates of an order.
func (r *Run) graphPrior(order []int) (models.GraphPrior, error) {
	prior, d := r.cfg.Prior, len(r.data.Names)
	if prior == nil {
		return models.NewErdosRenyi(d, r.cfg.EdgesPerNode)
	}
	if p, ok := prior.(interface {
		Relabel(order []int) models.GraphPrior
	}); ok && r.cfg.Method == TOBAC {
		return p.Relabel(order), nil
	}
	return prior, nil
}

// checkFixedEdges finds a prior of another size, and edges that it makes certain
// against an order; with the names of the columns.
func (r *Run) checkFixedEdges(order []int) error {
	f, ok := r.cfg.Prior.(models.FixedEdges)
	if !ok {
		return nil
	}
	p, names := f.EdgeProbabilities(), r.data.Names
	if rows, cols := p.Dims(); rows != len(names) || cols != len(names) {
		return fmt.Errorf("tobac: the graph prior is %d×%d, want %d×%d: one row and one column for each column of the data", rows, cols, len(names), len(names))
	}
	for a, j := range order {
		for _, i := range order[a+1:] {
			if p.At(i, j) == 1 {
				return fmt.Errorf("tobac: the graph prior makes the edge %s → %s certain, but the causal order puts %s first; give an order that agrees", names[i], names[j], names[j])
			}
		}
	}
	return nil
}

// meanWarning names the columns whose mean is more than five standard errors
// from zero: the model has no intercept.
func meanWarning(data *dataset.Table) string {
	mean, sd := data.Moments()
	n, _ := data.X.Dims()
	var names []string
	for j, m := range mean {
		if math.Abs(m) > 5*sd[j]/math.Sqrt(float64(n)) {
			names = append(names, strconv.Quote(data.Names[j]))
		}
	}
	if len(names) == 0 {
		return ""
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return fmt.Sprintf("the means of %s are far from zero, and the model has no intercept: centre or standardise the columns", strings.Join(names, ", "))
}

// Advance takes the steps up to step number to, which is limited to [Run.Steps].
// Stopped early, it leaves the run at the step boundary before the step that was
// not taken.
func (r *Run) Advance(ctx context.Context, to int) error {
	to = min(to, r.Steps())
	for {
		if err := r.weigh(ctx); err != nil {
			return r.stopped(err)
		}
		if err := r.sample(ctx, min(to-r.at*r.cfg.Steps, r.cfg.Steps)); err != nil {
			return err
		}
		if r.Step() >= to {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return r.stopped(err)
		}
		if err := r.next(); err != nil {
			return err
		}
	}
}

// sample takes the steps of the current chain up to number to.
func (r *Run) sample(ctx context.Context, to int) error {
	start := time.Now()
	defer func() { r.seconds.Sample += time.Since(start).Seconds() }()
	c := r.chains[r.at]
	err := c.sampler.Run(ctx, c.x, c.step, to)
	var early *svgd.StepError
	if errors.As(err, &early) {
		c.step = early.Step
		return r.stopped(early.Err)
	}
	c.step = max(c.step, to)
	return err
}

// stopped says where a run was stopped, and why.
func (r *Run) stopped(reason error) error {
	return fmt.Errorf("tobac: stopped after %d of %d steps: %w", r.Step(), r.Steps(), reason)
}

// Step is the number of steps taken.
func (r *Run) Step() int { return r.at*r.cfg.Steps + r.chains[r.at].step }

// Steps is the number of steps of the whole run: Config.Steps for each distinct
// order.
func (r *Run) Steps() int { return r.cfg.Steps * len(r.chains) }

// Config is the configuration with all defaults filled in, the estimated noise
// variance among them unless several orders have one each.
func (r *Run) Config() Config { return r.cfg }

// Order is the causal order that the run uses; with DiBS its list is empty.
// Where the run uses several, it is the order of the data themselves.
func (r *Run) Order() *ordering.Result { return r.order }

// Orders is the distribution over orders of resamples, nil unless Config.Orders
// asks for it. It must not be modified.
func (r *Run) Orders() *ordering.Distribution { return r.spread }

// Warnings lists reasons to distrust the result, as sentences for a reader: those
// of the order, choices between columns that are guesses, and columns that the
// model does not suit.
func (r *Run) Warnings() []string {
	w := r.orderWarnings()
	if _, linear := r.cfg.model().(Linear); linear {
		if m := meanWarning(r.data); m != "" {
			w = append(w, m)
		}
	}
	return w
}

// Close releases the workers.
func (r *Run) Close() { r.chains[r.at].release() }

// maxMemory is the arena size in bytes above which a fit is refused.
const maxMemory = 16 << 30

// checkMemory refuses a problem whose working memory would not fit, saying
// what it needs. The estimate counts the vectors of S samples per pair of
// variables that one worker keeps, the compiled products of the triangular
// matrices, and the latents, those of earlier orders included. Measured peaks with two particles, two samples and
// one worker: 0.34 GB for 200 variables, 1.2 GB for 300, 2.2 GB for 400.
func checkMemory(n, d int, cfg Config) error {
	pairs := float64(d) * float64(d-1) / 2
	if cfg.Method == DiBS {
		pairs *= 2
	}
	perWorker := 12 * pairs * float64(cfg.Samples) * 8
	products := 36 * float64(d) * float64(d) * float64(d)
	if m, ok := cfg.model().(interface{ products(n, d int) float64 }); ok {
		const bytesPerProduct = 160 // measured: 50 variables of 400 rows need 0.4 GB
		products += bytesPerProduct * m.products(n, d) * pairs / float64(d*d)
	}
	latents := 8 * float64(cfg.Particles) * (2*float64(d-1)*float64(cfg.Rank) + float64(d)*float64(d)) * 8
	orders, factorial := 0.0, 1.0 // at most so many are distinct
	for k := 1; k <= d && orders < float64(cfg.Orders); k++ {
		factorial *= float64(k)
		orders = math.Min(float64(cfg.Orders), factorial)
	}
	finished := orders * float64(cfg.Particles) * (2*float64(d-1)*float64(cfg.Rank) + 2*float64(d)*float64(d)) * 8
	need := perWorker*float64(cfg.Workers) + products + latents + finished + 2*float64(n)*float64(d)*8
	if need > maxMemory {
		fewer := "variables, samples, particles or workers"
		if cfg.Orders > 0 {
			fewer = "variables, samples, particles, orders or workers"
		}
		return fmt.Errorf("tobac: %d variables with %d particles and %d samples on %d workers need about %.0f GB of memory, more than %d GB; use fewer %s, or a smaller rank",
			d, cfg.Particles, cfg.Samples, cfg.Workers, need/(1<<30), maxMemory>>30, fewer)
	}
	return nil
}
