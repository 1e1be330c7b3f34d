package evidence_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"tobac/internal/evidence"
	"tobac/internal/nodescore"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// Whether the second variable has the first for a parent, by the evidences of the two sets of
// parents.
func ExampleSets_Estimate() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		a := rng.NormFloat64()
		x.SetRow(i, []float64{a, 0.4*a + 0.5*rng.NormFloat64()})
	}
	lik, err := models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: 0.25})
	if err != nil {
		log.Fatal(err)
	}
	sets, err := evidence.New(lik, evidence.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer sets.Close()
	list := nodescore.Families(1, nil, []int{0})
	all, err := sets.Estimate(context.Background(), list, 512)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("ln of the Bayes factor: %.1f\n", all[1].LogEvidence-all[0].LogEvidence)
	// Output:
	// ln of the Bayes factor: 5.6
}
