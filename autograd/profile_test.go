package autograd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// Profiling computes what an evaluation does, bit by bit: in lane programs, in those
// run value by value, in strips, and where uniform numbers are drawn or given.
func TestProfileEvaluates(t *testing.T) {
	drawn, drawnOut := noisy(48, false)
	packed, packedOut := mixture()
	b := ad.NewBuilder("strips")
	x := b.Input("x", ad.Shape{3}, b.Axis("particle", 150))
	strips := []*ad.Node{x.Softmax(0).Square().Sum(), x.Tanh()}
	for _, c := range []struct {
		name            string
		inputs, outputs []*ad.Node
		noise           func(uint64) ad.Feed
		without         ad.Pass
		want            []string
	}{
		{"drawn", drawn, drawnOut, seeds, 0,
			[]string{"inputs", "factors", "draw", "select lanes", "results"}},
		{"given", drawn, drawnOut, fills, 0, []string{"without draw-in-place", "sigmoid-shift"}},
		{"packed", packed, packedOut, nil, 0, []string{"stage 1", "logsumexp-lanes",
			"group on all lanes", "group on lanes weighted by register"}},
		{"value by value", packed, packedOut, nil, ad.ElementSchedule,
			[]string{"square#", "logsumexp_over#"}},
		{"strips", []*ad.Node{x}, strips, nil, 0, []string{"unary"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := make([]ad.Feed, len(c.inputs))
			for i, n := range c.inputs {
				if c.noise != nil && i > 0 {
					src[i] = c.noise(uint64(100 * i))
					continue
				}
				src[i].Data = make([]float64, sizeOf(n))
				for k := range src[i].Data {
					src[i].Data[k] = float64(k%7)/3 - 0.9
				}
			}
			p := must.Get(ad.Compile(c.inputs, c.outputs, c.without))(t)
			e := must.Get(p.NewEvaluator(ad.Options{}))(t)
			defer e.Close()
			want, got := room(c.outputs), room(c.outputs)
			must.Do(t, e.Eval(want, src))
			const rounds = 3
			profile := must.Get(p.Profile(got, src, rounds))(t)
			for i := range want {
				if !sameBits(got[i], want[i]) {
					t.Errorf("result %d: got %v, want %v", i, got[i], want[i])
				}
			}
			checkProfile(t, profile, rounds)
			table := profile.String()
			for _, s := range c.want {
				if !strings.Contains(table, s) {
					t.Errorf("the table lacks %q:\n%s", s, table)
				}
			}
			for line := range strings.Lines(table) {
				if n := len([]rune(line)); n > 150 {
					t.Errorf("a line of %d columns: %s", n, line)
				}
			}
		})
	}
}

// checkProfile checks what holds whatever the clock says.
func checkProfile(t *testing.T, p *ad.Profile, rounds int) {
	t.Helper()
	if p.Rounds != rounds || p.Whole <= 0 || p.Total() <= 0 || p.Clock <= 0 {
		t.Errorf("got %d rounds of %v s in all, of which %v s in parts, clock %v s", p.Rounds,
			p.Whole, p.Total(), p.Clock)
	}
	if first, last := p.Parts[0].Name, p.Parts[len(p.Parts)-1].Name; first != "inputs" ||
		last != "results" {
		t.Errorf("from %s to %s, want from inputs to results", first, last)
	}
	for _, part := range p.Parts {
		if part.Count < p.Indices || part.Count%p.Indices != 0 || part.Seconds < 0 ||
			part.Lanes < 0 || part.Flops < 0 || part.Bytes < 0 {
			t.Errorf("%d indices: got %+v", p.Indices, part)
		}
	}
}

// The work of lane operations is that of the listing, at as many lanes as ran.
func TestProfileWork(t *testing.T) {
	const d, particles, samples = 3, 4, 16
	inputs, outputs := mixture()
	p := must.Get(ad.Compile(inputs, outputs))(t)
	// Equal weights: all samples count.
	src := feeds([][]float64{make([]float64, particles*d), make([]float64, particles*samples*d)})
	profile := must.Get(p.Profile(room(outputs), src, 1))(t)
	kinds, sums := map[string]ad.ProfilePart{}, map[string]ad.ProfilePart{}
	for _, part := range profile.Parts {
		if part.Lanes == 0 {
			continue
		}
		name, _, _ := strings.Cut(part.Name, " weighted")
		kinds[fmt.Sprintf("%d %s", part.Level, name)] = part
		if group := fmt.Sprintf("%d ", part.Level); part.Group != "" && part.Name != "" {
			sum := sums[group]
			sum.Count, sum.Lanes, sum.Flops, sum.Bytes = sum.Count+part.Count, sum.Lanes+part.Lanes,
				sum.Flops+part.Flops, sum.Bytes+part.Bytes
			sums[group] = sum
		}
	}
	for name, want := range map[string]ad.ProfilePart{
		"0 logsumexp-lanes": {Count: particles, Lanes: particles * samples,
			Flops: 3 * particles * samples},
		"1 select lanes": {Count: particles, Lanes: particles * samples,
			Flops: particles * samples},
		"1 dot-lanes": {Count: particles * d, Lanes: particles * d * samples,
			Flops: 2 * particles * d * samples},
	} {
		got := kinds[name]
		if got.Count != want.Count || got.Lanes != want.Lanes || got.Flops != want.Flops {
			t.Errorf("%s: got %+v, want count, lanes and flops of %+v", name, got, want)
		}
	}
	for group, want := range sums { // one in each level
		if got := kinds[group]; got.Count != want.Count || got.Lanes != want.Lanes ||
			got.Flops != want.Flops || got.Bytes != want.Bytes {
			t.Errorf("group of level %s: got %+v, want the sum of its kinds %+v", group, got, want)
		}
	}
	if len(sums) != 2 {
		t.Errorf("got groups in %d levels, want 2", len(sums))
	}
}

// The kinds of operations of a group are in the order of their times.
func TestProfileOrder(t *testing.T) {
	inputs, outputs := noisy(40, true)
	p := must.Get(ad.Compile(inputs, outputs))(t)
	profile := must.Get(p.Profile(room(outputs),
		[]ad.Feed{{Data: make([]float64, 18)}, seeds(1), seeds(2)}, 2))(t)
	for i, part := range profile.Parts[1:] {
		before := profile.Parts[i]
		if part.Group != "" && part.Name != "" && before.Name != "" &&
			part.Seconds > before.Seconds {
			t.Errorf("%+v comes before %+v", before, part)
		}
	}
	if !slices.ContainsFunc(profile.Parts, func(p ad.ProfilePart) bool { return p.Group != "" }) {
		t.Errorf("no operations on lanes:\n%v", profile)
	}
}

func TestProfileErrors(t *testing.T) {
	inputs, outputs := mixture()
	p := must.Get(ad.Compile(inputs, outputs))(t)
	src := feeds([][]float64{make([]float64, 12), make([]float64, 192)})
	if _, err := p.Profile(room(outputs), src, 0); err == nil ||
		!strings.Contains(err.Error(), "profile of 0 rounds, want at least 1") {
		t.Errorf("no rounds: got %v", err)
	}
	if _, err := p.Profile(room(outputs), src[:1], 1); err == nil ||
		!strings.Contains(err.Error(), "got 1 feeds") {
		t.Errorf("a feed too few: got %v", err)
	}
	if _, err := p.Profile(room(outputs)[:1], src, 1); err == nil ||
		!strings.Contains(err.Error(), "and 1 results") {
		t.Errorf("a result too few: got %v", err)
	}
}
