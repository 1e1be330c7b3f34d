package autograd

import (
	"fmt"
	"strings"
)

// A Profile says where the time of an evaluation goes, measured by
// [Program.Profile]. Times are in seconds and work is counted for one whole
// evaluation, over all outer indices, on one worker.
type Profile struct {
	Name    string        // of the graph
	Kernels string        // the vector kernels in use
	Without Pass          // passes that were left out of the program
	Indices int           // runs of the program in one evaluation
	Lanes   int           // lanes of the program
	Rounds  int           // repetitions, of which the fastest counts
	Clock   float64       // mean cost of the clock, subtracted from every measurement
	Entry   float64       // mean cost of starting a group, subtracted from single lane operations
	Whole   float64       // time of an evaluation that is not taken apart
	Parts   []ProfilePart // in the order in which they run; kinds of lane operations by their time
}

// A ProfilePart is a part of a program: one instruction on numbers that are the
// same in all lanes, a group of lane operations, or those of one kind in the group.
type ProfilePart struct {
	Level   int    // the stage, counted through all parts; −1 outside of element programs
	Group   string // the lanes on which operations run; empty for all others
	Name    string // the instruction with its shape, or the kind of operation; empty for a group
	Count   int    // how often it ran
	Lanes   int    // the lanes of these operations, added up, zero outside of groups
	Seconds float64
	Flops   float64 // floating-point operations, elementary functions counted as one
	Bytes   float64 // read and written
}

// Profile evaluates the program on one worker, as an [Evaluator] does into dst, and
// measures its parts, of each the fastest of some rounds.
func (p *Program) Profile(dst [][]float64, src []Feed, rounds int) (*Profile, error) {
	m, err := p.p.Profile(dst, lowerFeeds(src), rounds)
	if err != nil {
		return nil, ownError(err)
	}
	own := &Profile{m.Name, m.Kernels, Pass(m.Without), m.Indices, m.Lanes, m.Rounds, m.Clock,
		m.Entry, m.Whole, nil}
	for _, part := range m.Parts {
		own.Parts = append(own.Parts, ProfilePart(part))
	}
	return own, nil
}

// Total is the time of all instructions and groups. It differs from Whole by the
// noise of the measurement and by what instructions gain from overlapping.
func (p *Profile) Total() float64 {
	t := 0.0
	for _, part := range p.Parts {
		if part.Group == "" || part.Name == "" {
			t += part.Seconds
		}
	}
	return t
}

// String is a table of the parts: how often each ran in an evaluation, on how many
// lanes in the mean, its time, its share, and its work. The share of a kind of lane
// operations is its share of the group's, by the times of single operations.
func (p *Profile) String() string {
	var s strings.Builder
	total := p.Total()
	fmt.Fprintf(&s, "program %q: %d indices, %d lanes, kernels %s, one worker, fastest of %d "+
		"rounds\n", p.Name, p.Indices, p.Lanes, p.Kernels, p.Rounds)
	if p.Without != 0 {
		fmt.Fprintf(&s, "without %v\n", p.Without)
	}
	fmt.Fprintf(&s, "evaluation %.1f µs, its parts %.1f µs; subtracted: clock %.0f ns, start of "+
		"a group %.0f ns\n", 1e6*p.Whole, 1e6*total, 1e9*p.Clock, 1e9*p.Entry)
	fmt.Fprintf(&s, "%-44s %9s %6s %11s %7s %12s %12s %8s %10s\n", "", "count", "lanes", "µs",
		"share", "flops", "bytes", "GFLOP/s", "ns each")
	level := -1
	for i := 0; i < len(p.Parts); {
		part := p.Parts[i]
		if part.Level >= 0 && part.Level != level {
			fmt.Fprintf(&s, "stage %d\n", part.Level)
		}
		level = part.Level
		i++
		if part.Group == "" {
			part.row(&s, part.Name, part.Seconds/total)
			continue
		}
		part.row(&s, "group on "+part.Group, part.Seconds/total)
		singles, from := 0.0, i
		for ; i < len(p.Parts) && p.Parts[i].Group != "" && p.Parts[i].Name != ""; i++ {
			singles += p.Parts[i].Seconds
		}
		for _, kind := range p.Parts[from:i] {
			kind.row(&s, "  "+kind.Name, kind.Seconds/singles*part.Seconds/total)
		}
	}
	return s.String()
}

// row writes a line of the table.
func (p *ProfilePart) row(s *strings.Builder, name string, share float64) {
	if r := []rune(name); len(r) > 42 {
		name = string(r[:41]) + "…"
	}
	lanes, rate := "", ""
	if p.Lanes > 0 {
		lanes = fmt.Sprint(p.Lanes / p.Count)
	}
	if p.Flops > 0 && p.Seconds > 0 {
		rate = fmt.Sprintf("%.2f", 1e-9*p.Flops/p.Seconds)
	}
	fmt.Fprintf(s, "  %-42s %9d %6s %11.1f %6.1f%% %12.0f %12.0f %8s %10.1f\n",
		name, p.Count, lanes, 1e6*p.Seconds, 100*share, p.Flops, p.Bytes, rate,
		1e9*p.Seconds/float64(p.Count))
}
