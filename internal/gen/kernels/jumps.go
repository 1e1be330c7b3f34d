package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// A row is what the table of the package says of an operation.
type row struct {
	code     string
	assembly bool
}

// readTable reads the variable table of the package in dir.
func readTable(dir string) ([]row, error) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "table.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	var rows []row
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "table" || len(v.Values) != 1 {
			return true
		}
		literal, ok := v.Values[0].(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, e := range literal.Elts {
			entry, isEntry := e.(*ast.KeyValueExpr)
			if !isEntry {
				continue
			}
			r := row{code: fmt.Sprint(entry.Key)}
			for _, column := range entry.Value.(*ast.CompositeLit).Elts {
				if name, isName := column.(*ast.Ident); isName && name.Name == "asm" {
					r.assembly = true
				}
			}
			rows = append(rows, r)
		}
		return false
	})
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no table of operations", dir)
	}
	return rows, nil
}

// jumpTable is the table of where operations start. Those that the set does not have
// return to Go.
func (s *set) jumpTable(rows []row) (string, error) {
	var b strings.Builder
	table := s.name + "Table<>"
	fmt.Fprintf(&b, "\n// Where each operation starts.\n")
	left := len(s.functions)
	for _, r := range rows {
		to := "stop"
		if r.assembly && r.code != "End" {
			to = s.functions[r.code]
			left--
			if to == "" {
				return "", fmt.Errorf("operation %s is not described", r.code)
			}
		}
		fmt.Fprintf(&b, "DATA %s+(8*const_%s)(SB)/8, $·%s(SB)\n", table, r.code, to)
	}
	if left != 0 {
		return "", fmt.Errorf("%d operations are described, %d of which the table does not leave "+
			"to assembly", len(s.functions), left)
	}
	fmt.Fprintf(&b, "GLOBL %s(SB), RODATA, $(8*const_Codes)\n", table)
	return b.String(), nil
}
