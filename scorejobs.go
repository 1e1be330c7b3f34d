package tobac

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/dataset"
	"tobac/internal/jobs"
	"tobac/score"
)

// A scoresJob is the input of a job of node scores of Gaussian processes. It says which with what the hypotheses
// of the model rest on, not with their number: to find it a worker would compute most of what it is asked for.
type scoresJob struct {
	Rank       int           `json:"rank,omitempty"`
	MaxParents int           `json:"max_parents,omitempty"`
	OneUnit    bool          `json:"one_unit,omitempty"`
	Variances  []float64     `json:"variances"` // of the noise, in the units of the data; 0: each variable its own
	Queries    []score.Query `json:"queries"`
}

// scoreSeconds is about the processor time of a job of node scores, on the core where [score.GPScorer.Seconds] was measured. Scores that
// are not enough for two jobs are computed where they are used.
var scoreSeconds = 0.5

// A shareable model has node scores that take long enough to be jobs.
type shareable interface {
	Scored
	shared(ctx context.Context, data *dataset.Table, prior *score.Prior, workers int, do Do) ([]Hypothesis, error)
}

// hypotheses are those of a model. Their node scores become jobs where jobs are asked for and the model is shareable.
func (c *Config) hypotheses(ctx context.Context, m Scored, data *dataset.Table, prior *score.Prior) ([]Hypothesis, error) {
	if s, ok := m.(shareable); ok && c.Jobs != nil {
		return s.shared(ctx, data, prior, c.Workers, c.Jobs)
	}
	return m.Hypotheses(ctx, data, prior, c.Workers)
}

// A scoreSharing makes scorers that compute their scores as jobs.
type scoreSharing struct {
	data  *dataset.Table
	do    Do   // nil: they do not
	asked bool // one of them did
}

// at returns the scorers of a Gaussian process at noise variances of which all scores are asked for; 0 stands for integrated ones.
func (b *scoreSharing) at(g *score.GP, opt score.GPOptions, variances ...float64) func(v float64) score.Scorer {
	if b.do == nil {
		return func(v float64) score.Scorer { return scorerAt(g, v) }
	}
	in := scoresJob{Rank: opt.Rank, MaxParents: opt.MaxParents, OneUnit: opt.Scale == score.OneUnit, Variances: variances}
	all := scorersAt(g, variances)
	return func(v float64) score.Scorer {
		return &sharedScores{GPScorer: all[slices.Index(variances, v)], all: all, in: in, scoreSharing: b}
	}
}

func scorerAt(g *score.GP, variance float64) *score.GPScorer {
	if variance == 0 {
		return g.Integrated()
	}
	return g.At(variance)
}

func scorersAt(g *score.GP, variances []float64) []*score.GPScorer {
	all := make([]*score.GPScorer, len(variances))
	for k, v := range variances {
		all[k] = scorerAt(g, v)
	}
	return all
}

// sharedScores are scores of a Gaussian process that are computed as jobs, those at several noise variances together.
type sharedScores struct {
	*score.GPScorer
	all []*score.GPScorer
	in  scoresJob // without queries
	*scoreSharing
}

var _ score.Preparer = (*sharedScores)(nil)

// wereJobs reports whether node scores of the model took so long that they were computed as jobs.
func wereJobs(s score.Scorer) bool {
	shared, ok := s.(*sharedScores)
	return ok && shared.asked
}

// Prepare implements [score.Preparer].
func (s *sharedScores) Prepare(ctx context.Context, families []score.Family) error {
	parts := s.parts(s.Unknown(families))
	if len(parts) < 2 {
		return nil
	}
	table, err := encodeTable(s.data)
	if err != nil {
		return err
	}
	list := make([]jobs.Job, len(parts))
	for k, queries := range parts {
		in := s.in
		in.Queries = queries
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		list[k] = jobs.Job{Kind: scoresKind, Input: text, Data: [][]byte{table}, Name: fmt.Sprintf("node scores, part %d of %d", k+1, len(parts))}
	}
	s.asked = true
	outputs, err := s.do(ctx, list)
	if err != nil {
		return err
	}
	for k, output := range outputs {
		if err := s.keep(parts[k], output); err != nil {
			return fmt.Errorf("the output of job %d (%s): %w", k+1, list[k].ID(), err)
		}
	}
	return nil
}

// parts cuts queries into those of jobs.
func (s *sharedScores) parts(queries []score.Query) (parts [][]score.Query) {
	var part []score.Query
	sum := 0.0
	for _, q := range queries {
		for _, piece := range s.pieces(q) {
			seconds := s.Seconds(piece)
			if len(part) > 0 && sum+seconds > scoreSeconds {
				parts, part, sum = append(parts, part), nil, 0
			}
			part, sum = append(part, piece), sum+seconds
		}
	}
	if len(part) > 0 {
		parts = append(parts, part)
	}
	return parts
}

// pieces cuts the children of a query, unless they share what takes the time.
func (s *sharedScores) pieces(q score.Query) (all []score.Query) {
	one := s.Seconds(score.Query{Parents: q.Parents, Children: q.Children[:1]})
	if total := s.Seconds(q); total <= scoreSeconds || total < one*float64(len(q.Children))/2 {
		return []score.Query{q}
	}
	for children := range slices.Chunk(q.Children, max(1, int(scoreSeconds/one))) {
		all = append(all, score.Query{Parents: q.Parents, Children: children})
	}
	return all
}

// keep reads the output of a job: for each query, the scores of its children at the first variance, at the second, and so on.
func (s *sharedScores) keep(queries []score.Query, output []byte) error {
	want := 0
	for _, q := range queries {
		want += 8 * len(q.Children) * len(s.all)
	}
	if len(output) != want {
		return fmt.Errorf("tobac: %d bytes of node scores, want %d", len(output), want)
	}
	for _, q := range queries {
		for _, scorer := range s.all {
			scores := make([]float64, len(q.Children))
			for k := range scores {
				scores[k] = math.Float64frombits(binary.LittleEndian.Uint64(output))
				output = output[8:]
			}
			if err := scorer.Keep(q, scores); err != nil {
				return err
			}
		}
	}
	return nil
}

// doScores computes node scores. The output are numbers, as [sharedScores.keep] reads them.
func doScores(ctx context.Context, j jobs.Job) ([]byte, error) {
	var in scoresJob
	table, err := inputs(j, &in)
	if err != nil {
		return nil, err
	}
	opt := score.GPOptions{Rank: in.Rank, MaxParents: in.MaxParents}
	if in.OneUnit {
		opt.Scale = score.OneUnit
	}
	if err := in.check(len(table.Names)); err != nil {
		return nil, err
	}
	g, err := score.NewGP(table.X, table.Mask(), opt)
	if err != nil {
		return nil, err
	}
	var out []byte
	all := scorersAt(g, in.Variances)
	for _, q := range in.Queries {
		for _, s := range all {
			for _, c := range q.Children {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				out = binary.LittleEndian.AppendUint64(out, math.Float64bits(s.LogScore(c, q.Parents)))
			}
		}
	}
	return out, nil
}

// check refuses what [score.GP] would panic on.
func (in *scoresJob) check(d int) error {
	if len(in.Variances) == 0 || len(in.Queries) == 0 {
		return errors.New("tobac: a job of node scores has no noise variance or no set of parents")
	}
	for _, v := range in.Variances {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("tobac: a job of node scores has the noise variance %v, want a finite number from 0 on", v)
		}
	}
	for _, q := range in.Queries {
		for k, i := range q.Parents {
			if i < 0 || i >= d || k > 0 && i <= q.Parents[k-1] {
				return fmt.Errorf("tobac: a job has the parents %v, want some of %d variables in ascending sequence", q.Parents, d)
			}
		}
		for _, c := range q.Children {
			if c < 0 || c >= d || slices.Contains(q.Parents, c) {
				return fmt.Errorf("tobac: a job has the child %d of the parents %v, want another one of %d variables", c, q.Parents, d)
			}
		}
	}
	return nil
}
