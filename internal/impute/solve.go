package impute

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// solve is dst with a·dst = b for a triangular a. An ill-conditioned a is no error: the ridge
// bounds what follows from it.
func solve(dst *mat.Dense, a, b mat.Matrix) error {
	var condition mat.Condition
	if err := dst.Solve(a, b); err != nil && !errors.As(err, &condition) {
		return err
	}
	return nil
}
