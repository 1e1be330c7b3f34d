package vector

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// A Set is one implementation of the kernels, which are its methods.
type Set uint8

const (
	// Portable runs everywhere.
	Portable Set = iota
	// AVX2 needs a processor with AVX2 and FMA: see [Available].
	AVX2
	// AVX512 needs AVX-512 F and DQ as well. Its results are those of AVX2, to the
	// bit; a method that it has no assembly for runs that of AVX2.
	AVX512
)

// String returns the name by which TOBAC_KERNELS selects the set.
func (s Set) String() string {
	switch s {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return fmt.Sprintf("Set(%d)", uint8(s))
}

// Arithmetic says what decides the bits of a result beside its definition: the
// precision of numbers, the processor's architecture, and the set, where [AVX512]
// stands as avx2, whose bits it has.
func (s Set) Arithmetic() string {
	if s == AVX512 {
		s = AVX2
	}
	return "float64 " + runtime.GOARCH + " " + s.String()
}

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
	return best, fmt.Errorf("TOBAC_KERNELS is %q, want one of %s on this processor", name, strings.Join(names, ", "))
}

var chosen, errChosen = Choose(os.Getenv("TOBAC_KERNELS"))

// Default is [Choose] of the value that the environment variable TOBAC_KERNELS
// had when the program started.
func Default() (Set, error) { return chosen, errChosen }
