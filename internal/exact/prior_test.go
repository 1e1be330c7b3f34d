package exact_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"tobac/internal/exact"
	"tobac/score"
)

// The normalisers are the sums of the prior over all graphs, with and without their
// linear extensions.
func TestLogPriorEnumerated(t *testing.T) {
	for d := 1; d <= largest(); d++ {
		for name, prior := range priors(t, d) {
			t.Run(fmt.Sprintf("d=%d/%s", d, name), func(t *testing.T) {
				s := randomTable(d, 0, 0, 1)
				got, err := exact.LogPriorOrders(context.Background(), prior, exact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				nearNumber(t, "ln of the sum over orders", got,
					enumerate(s, prior, true).logEvidence, 1e-12)
				got, err = exact.LogPriorGraphs(context.Background(), prior, exact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				nearNumber(t, "ln of the sum over graphs", got,
					enumerate(s, prior, false).logEvidence, 1e-12)
			})
		}
	}
}

// The uniform prior sums to the number of acyclic graphs, OEIS A003024.
func TestLogPriorCountsGraphs(t *testing.T) {
	tests := []struct {
		d    int
		want float64
	}{{6, 3781503}, {7, 1138779265}, {8, 783702329343}, {9, 1213442454842881},
		{10, 4175098976430598143}}
	for _, test := range tests {
		got, err := exact.LogPriorGraphs(context.Background(), score.Uniform(test.d),
			exact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		nearNumber(t, fmt.Sprintf("ln of the number of graphs with %d vertices", test.d), got,
			math.Log(test.want), 1e-13*got)
	}
}

// Priors of the number of parents alone have sums of their own, which are those of
// the general way: up to 12 variables, of which fewer than 1e-11 of the sum is lost
// to cancellation.
func TestLogPriorTwoWays(t *testing.T) {
	for _, d := range []int{6, 9, 12} {
		sparse, err := score.ErdosRenyi(d, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		bounded := score.Fair(d)
		bounded.MaxParents(3)
		for name, prior := range map[string]*score.Prior{"uniform": score.Uniform(d),
			"sparse": sparse, "bounded": bounded} {
			_, o := posterior(t, randomTable(d, 0, 0, 1), prior, exact.Options{})
			got, err := exact.LogPriorOrders(context.Background(), prior, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			nearNumber(t, name+": sum over orders", got, o.LogEvidence(), 1e-12)
			got, err = exact.LogPriorGraphs(context.Background(), prior, exact.Options{})
			if err != nil {
				t.Fatal(err)
			}
			nearNumber(t, name+": sum over graphs", got, graphs(t, o).LogEvidence(), 1e-11)
		}
	}
}
