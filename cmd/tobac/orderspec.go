package main

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"strings"

	"tobac/dag/delimited"
	"tobac/internal/file"
	"tobac/ordering"
)

// parseOrder reads the value of --order: the name of a method, then names of
// columns separated by commas, then the path of a file with such names. A
// method wins over a file with its name, which can be written as ./eqvar.
func parseOrder(spec string, columns []string) (ordering.Orderer, error) {
	var method ordering.Method
	if method.UnmarshalText([]byte(spec)) == nil {
		return method, nil
	}
	if strings.Contains(spec, ",") {
		names, err := splitNames(spec)
		if err != nil {
			return nil, usagef("--order %q: %w", spec, err)
		}
		order, err := ordering.ByNames(names, columns)
		if err != nil {
			return nil, &usageError{&locatedError{"--order", err}}
		}
		return ordering.Fixed(order), nil
	}
	if _, err := os.Stat(spec); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("--order %q is neither a method nor a file; allowed: %s, the path of a file with the names of the columns, or the names themselves separated by commas",
			spec, methodNames())
	}
	names, err := readNames(spec)
	if err != nil {
		return nil, err
	}
	order, err := ordering.ByNames(names, columns)
	if err != nil {
		return nil, &locatedError{spec, err}
	}
	return ordering.Fixed(order), nil
}

func methodNames() string {
	var names []string
	for _, m := range ordering.Methods() {
		names = append(names, m.String())
	}
	return strings.Join(names, ", ")
}

// splitNames splits one line of names, quoted where they hold commas.
func splitNames(line string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(line))
	r.TrimLeadingSpace = true
	names, err := r.Read()
	if err != nil {
		return nil, errors.New("quotes do not match")
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names, nil
}

// readNames reads names separated by commas or line ends.
func readNames(path string) ([]string, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	text, err := delimited.Read(f, path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, record := range text.Records {
		for _, field := range record.Fields {
			if field.Text != "" {
				names = append(names, field.Text)
			}
		}
	}
	return names, nil
}

// joinNames is the line of names that splitNames and readNames read.
func joinNames(names []string) string {
	var line []byte
	for i, name := range names {
		if i > 0 {
			line = append(line, ',')
		}
		line = delimited.AppendText(line, name)
	}
	return string(line)
}

// permuted returns the names in an order of their indices.
func permuted(names []string, order []int) []string {
	out := make([]string, len(order))
	for c, j := range order {
		out[c] = names[j]
	}
	return out
}
