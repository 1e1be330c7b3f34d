package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tobac/effects"
	"tobac/internal/delimited"
)

// effectsHeader is the first line of effects.csv.
const effectsHeader = "from,to,mean,sd,q05,q50,q95,path,mean_in_sd"

// readEffects reads total effects as writeEffects wrote them; path names the file in errors.
func readEffects(in io.Reader, path string, names []string) ([]effects.Effect, error) {
	text, err := delimited.Read(in, path, delimited.Syntax{})
	if err != nil {
		return nil, err
	}
	fault := func(record delimited.Record, problem, allowed string) error {
		return &delimited.Error{Source: path, Line: record.Line, Problem: problem, Allowed: allowed}
	}
	var header []string
	for _, field := range text.Records[0].Fields {
		header = append(header, field.Text)
	}
	if strings.Join(header, ",") != effectsHeader {
		return nil, fault(text.Records[0], "header is "+delimited.Excerpt(strings.Join(header, ",")), effectsHeader)
	}
	numbers := text.Numbers()
	var all []effects.Effect
	for _, record := range text.Records[1:] {
		if len(record.Fields) != len(header) {
			return nil, fault(record, fmt.Sprintf("got %d values, want %d", len(record.Fields), len(header)), "")
		}
		var ends [2]int
		for k := range ends {
			name := record.Fields[k].Text
			if ends[k] = slices.Index(names, name); ends[k] < 0 {
				return nil, fault(record, "unknown variable "+delimited.Excerpt(name), delimited.Excerpts(names))
			}
		}
		v := make([]float64, len(header))
		for k := 2; k < len(v); k++ {
			if v[k] = math.NaN(); record.Fields[k].Text == "" {
				continue
			}
			if v[k], err = numbers.Parse(record.Fields[k].Text, record.Line, header[k]); err != nil {
				return nil, err
			}
		}
		all = append(all, effects.Effect{From: ends[0], To: ends[1], Path: v[7], InSD: v[8], Positive: math.NaN(), Negative: math.NaN(),
			Distribution: effects.Distribution{Mean: v[2], SD: v[3], Q05: v[4], Q50: v[5], Q95: v[6]}})
	}
	return all, nil
}
