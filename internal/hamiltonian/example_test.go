package hamiltonian_test

import (
	"fmt"

	"tobac/chain"
	"tobac/internal/hamiltonian"
)

// What kernels refuse.
func Example() {
	fmt.Println(hamiltonian.Check("hmc", 1.5, chain.Diagonal))
	fmt.Println(hamiltonian.Check("nuts", 0.8, chain.Dense))
	// Output:
	// hmc: acceptance 1.5, want one between 0 and 1
	// <nil>
}
