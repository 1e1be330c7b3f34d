package models_test

import (
	"strings"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// A profile covers every particle and leaves scores as they are; an acyclicity penalty
// has a profile of its own.
func TestTOBACProfile(t *testing.T) {
	const particles, samples, rounds = 3, 16, 2
	for _, tt := range []struct {
		embedding models.Embedding
		want      []string // the programs
	}{
		{models.OrderedPairs, []string{"tobac"}},
		{models.AllPairs, []string{"tobac", "penalty"}},
	} {
		target, x := randomTarget(t, 91, 4,
			models.TOBACConfig{Particles: particles, Samples: samples, Embedding: tt.embedding})
		want := score(t, target, x, 7)
		profiles := must.Get(target.Profile(x, 5, rounds))(t)
		var names []string
		for _, p := range profiles {
			names = append(names, p.Name)
			if p.Indices != particles || p.Rounds != rounds || p.Total() <= 0 ||
				!strings.Contains(p.String(), "group on all lanes") {
				t.Errorf("embedding %v: got profile\n%v", tt.embedding, p)
			}
		}
		if strings.Join(names, " ") != strings.Join(tt.want, " ") {
			t.Errorf("embedding %v: got profiles of %v, want %v", tt.embedding, names, tt.want)
		}
		for b, got := range score(t, target, x, 7) {
			check(t, "score after a profile", got.RawMatrix().Data, want[b].RawMatrix().Data, 0)
		}
	}
}

func TestTargetProfile(t *testing.T) {
	target := newTarget(t, 5, saddleBlocks, saddle, models.Options{Engine: autograd.Reference})
	p := must.Get(target.Profile([]*mat.Dense{mat.NewDense(5, 6, nil), mat.NewDense(5, 1, nil)},
		2))(t)
	if p.Name != "target" || p.Rounds != 2 || !strings.Contains(p.String(), "unary") {
		t.Errorf("got profile\n%v", p)
	}
}

// Profiles refuse what scores refuse.
func TestProfileErrors(t *testing.T) {
	target, x := randomTarget(t, 65, 4, models.TOBACConfig{Particles: 2, Samples: 3})
	own := newTarget(t, 2, saddleBlocks, saddle, models.Options{})
	blocks := []*mat.Dense{mat.NewDense(2, 6, nil), mat.NewDense(2, 1, nil)}
	for _, tt := range []struct {
		name string
		run  func() error
		want string
	}{
		{"TOBAC, one block", func() error { _, err := target.Profile(x[:1], 3, 1); return err },
			"models: TOBAC: got 1 blocks, want 2"},
		{"TOBAC, shape", func() error {
			_, err := target.Profile([]*mat.Dense{x[1], x[0]}, 3, 1)
			return err
		}, "models: block 0: got 2×16, want 2×18"},
		{"TOBAC, no rounds", func() error { _, err := target.Profile(x, 3, 0); return err },
			`autograd: graph "tobac": profile of 0 rounds, want at least 1`},
		{"target, one block", func() error { _, err := own.Profile(blocks[:1], 1); return err },
			"models: target: got 1 blocks, want 2"},
		{"target, shape", func() error {
			_, err := own.Profile([]*mat.Dense{blocks[1], blocks[0]}, 1)
			return err
		}, "models: block 0: got 2×1, want 2×6"},
	} {
		t.Run(tt.name, func(t *testing.T) { checkError(t, "Profile", tt.run(), tt.want) })
	}
}
