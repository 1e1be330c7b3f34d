package jobs

import (
	"fmt"

	"tobac/internal/vector"
)

// Results is the version of what the module computes. It is raised with every
// change that gives the same job other bits, so that outputs of before are neither
// taken nor mixed with new ones; a test of package tobac freezes what it stands for.
const Results = 14

// format is the version of jobs, of their IDs, and of the files of a [Folder].
const format = 1

// Program is what programs must share to give the same job the same bits: the format
// of jobs, the version of results, and the arithmetic of the machine
// ([vector.Set.Arithmetic]).
func Program() string {
	kernels, _ := vector.Default() // an unknown name is an error of whoever computes
	return fmt.Sprintf("format %d, results %d, arithmetic %s", format, Results, kernels.Arithmetic())
}
