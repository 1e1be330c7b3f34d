package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Digest is the SHA-256, in hexadecimal, of the names and of all bits of the numbers of x, n×d.
func Digest(names []string, x mat.Matrix) string {
	h := sha256.New() // its Write never fails
	for _, name := range names {
		fmt.Fprintf(h, "%q,", name)
	}
	n, d := x.Dims()
	fmt.Fprintf(h, "%d×%d:", n, d)
	row := make([]byte, 0, 8*d)
	for i := range n {
		row = row[:0]
		for j := range d {
			row = binary.LittleEndian.AppendUint64(row, math.Float64bits(x.At(i, j)))
		}
		h.Write(row)
	}
	return hex.EncodeToString(h.Sum(nil))
}
