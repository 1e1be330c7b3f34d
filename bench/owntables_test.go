//go:build unix

package bench_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"tobac"
	"tobac/internal/must"
	"tobac/metrics"
)

// Likelihoods that a user might write, of so many columns that not all sets of parents have an
// evidence, told nothing but the model: what is said with .95 or more is true. bench/notes/kinds.md
// has the table:
//
//	go test ./bench -run TestOwnTables -long -v -timeout 60m
func TestOwnTables(t *testing.T) {
	for k, m := range ownModels {
		t.Run(m.name, func(t *testing.T) {
			sizes := []int{12, 20}
			if !*long {
				sizes = []int{9}
				if m.name != "zero-inflated" {
					t.Skip("one likelihood is enough without -long")
				}
			}
			for _, d := range sizes {
				truth, data := ownData(k, d, 400, float64(d), uint64(d))
				order := rand.New(rand.NewPCG(7, uint64(d))).Perm(d)
				data, truth = data.Relabel(order), truth.Relabel(order)
				before := processorSeconds(t)
				res := must.Get(tobac.Fit(context.Background(), data,
					tobac.Config{Model: m.ownModel, Seed: 1, Workers: 2}))(t)
				said, right := 0, 0
				for i := range d {
					for j := range d {
						if i != j && res.Probabilities.At(i, j) >= 0.95 {
							said++
							if truth.Has(i, j) {
								right++
							}
						}
					}
				}
				t.Logf("| %s | %d | %d | %d, %d | %.1f | %.3f | %.0f |", m.name, d,
					len(truth.Edges()), said, right, metrics.ESHDOfEdges(res.Probabilities, truth),
					metrics.AUROC(res.Probabilities, truth, metrics.OffDiagonal),
					processorSeconds(t)-before)
				t.Log(res.Warnings)
				if said-right > said/20 {
					t.Errorf("%d columns: %d directions said, %d right", d, said, right)
				}
			}
		})
	}
}
