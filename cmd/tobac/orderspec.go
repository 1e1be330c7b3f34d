package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/words"
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
		names, err := delimited.Fields(spec, "--order")
		if err != nil {
			return nil, cli.WrongUse(err)
		}
		order, err := ordering.ByNames(names, columns)
		if err != nil {
			return nil, cli.WrongUse(cli.Located("--order", err))
		}
		return ordering.Fixed(order), nil
	}
	if _, err := os.Stat(spec); errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Usagef("--order %q is neither a method nor a file%s; allowed: %s, the "+
			"path of a file with the names of the columns, or the names themselves separated by "+
			"commas",
			spec, words.Suggestion(spec, methodNames()), strings.Join(methodNames(), ", "))
	}
	names, err := readNames(spec)
	if err != nil {
		return nil, err
	}
	order, err := ordering.ByNames(names, columns)
	if err != nil {
		return nil, cli.Located(spec, err)
	}
	return ordering.Fixed(order), nil
}

func methodNames() (names []string) {
	for _, m := range ordering.Methods() {
		names = append(names, m.String())
	}
	return names
}

// readNames reads names separated by commas or line ends.
func readNames(path string) ([]string, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	text, err := delimited.Read(f, path, delimited.Syntax{Words: true})
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
