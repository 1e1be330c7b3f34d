package main

import "io"

// An output is a file that tobac fit writes with --out.
type output struct {
	name  string
	write func(*result, io.Writer) error
	has   func(*result) bool // whether this result has it; nil means every one
}
