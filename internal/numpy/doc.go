// Package numpy reads and writes arrays of numbers and of texts in NumPy's file format NPY,
// versions 1 to 3, without pickle.
//
// Numbers may be floats of 4 and 8 bytes, integers of 1 to 8 bytes and truth values, which become 0
// and 1; texts those of NumPy's types U and S. Both byte orders and both memory orders are read; an
// [Array] is always row-major, in Go's types. The sizes in a header are compared with the bytes
// that follow before anything is allocated. Nothing panics, whatever the bytes (fuzzed). Package
// npyio misreads some files that occur; tests compare the two.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
package numpy
