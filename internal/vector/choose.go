package vector

import (
	"fmt"
	"os"
	"strings"
)

// Available lists the sets that this build has and this processor can run, best
// last. The others must not be used.
func Available() []Set { return append([]Set{Portable}, assembled()...) }

// Choose returns the set of a name, or the best one if the name is empty. An
// unknown name is an error, beside the best set.
func Choose(name string) (Set, error) {
	sets := Available()
	best := sets[len(sets)-1]
	if name == "" {
		return best, nil
	}
	var names []string
	for _, s := range sets {
		if s.String() == name {
			return s, nil
		}
		names = append(names, s.String())
	}
	return best, fmt.Errorf("TOBAC_KERNELS is %q, want one of %s on this processor", name,
		strings.Join(names, ", "))
}

// Default is [Choose] of the value that the environment variable TOBAC_KERNELS
// had when the program started.
func Default() (Set, error) { return chosen, errChosen }

var chosen, errChosen = Choose(os.Getenv("TOBAC_KERNELS"))
