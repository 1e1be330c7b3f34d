// Command lane writes the assembly of the machine of element programs, package
// autograd/internal/lane/vm, for AVX2 and for AVX-512:
//
//	go generate ./autograd/internal/lane/vm
//
// Both sets come from one description. What they share is written once, over vectors of
// four or eight lanes; where a set has instructions that the other one lacks, the
// description says so. Every lane goes through the same roundings in both, and sums over
// lanes are taken in one order, so that results agree to the bit.
//
// Which operations there are, and which of them assembly has, is read from the table of
// that package. Offsets of fields and numbers of operations are names that the Go
// compiler resolves (go_asm.h).
//
// An operation is a function without arguments that ends with a jump to the next one,
// through a table: nothing is called, and no vector register is cleared in between. These
// registers of the processor keep their meaning throughout, all others are free:
//
//	R8  arena              R11 the state of the machine
//	R9  registers          R12 bytes between registers
//	R10 pool of operands   R13 the operation
//
// Registers have a multiple of eight lanes, 64 bytes, so that no loop has a tail.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", "../../autograd/internal/lane/vm", "folder of the package")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "lane:", err)
		os.Exit(1)
	}
}

// run writes the files of both sets.
func run(dir string) error {
	rows, err := readTable(dir)
	if err != nil {
		return err
	}
	for _, s := range []*set{newSet("avx2", 32), newSet("avx512", 64)} {
		text, err := s.assemble(rows)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.name+"_amd64.s"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
