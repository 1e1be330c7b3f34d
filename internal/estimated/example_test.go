package estimated_test

import (
	"fmt"

	"tobac/internal/estimated"
	"tobac/sem"
)

// Chains have the settings of the network.
func Example() {
	model, _ := sem.As[sem.Network](sem.FeedForward{Hidden: []int{5}, NoiseVariance: 0.1})
	cfg := estimated.ChainSettings(model, 1, 1)
	fmt.Println(cfg.Hidden, cfg.Activation, cfg.NoiseVariance)
	// Output:
	// 5 relu 0.1
}
