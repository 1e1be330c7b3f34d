package bench_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/mechanism"
	"tobac/internal/must"
	"tobac/sem"
)

var cell = flag.Duration("cell", 30*time.Second, "of a table of sizes, on the clock, at most")

// TestSizes prints the seconds of processor and of the clock of fits over rows and columns: told
// nothing, of straight and of curved tables, and with each class of models, of curved ones. All
// with -long; without, two small sizes. A size is stopped after -cell; none that has as many rows
// and columns as one that was stopped is tried.
//
//	go test ./bench -run TestSizes -long -v -timeout 120m -cell 30s
//	go test ./bench -run TestSizes/smooth -long -v -timeout 20m
func TestSizes(t *testing.T) {
	rows, columns := []int{100}, []int{3, 5}
	if *long {
		rows, columns = []int{100, 1000, 10_000, 100_000, 1_000_000}, []int{5, 10, 20, 50, 100}
	}
	classes := []struct {
		name   string
		curved bool
		model  sem.Model
	}{{"told nothing, straight", false, nil}, {"told nothing, curved", true, nil}}
	for _, m := range sem.Models() {
		switch m.Name {
		case "bdeu", "mixed", "generalised": // for columns that are no numbers
			continue
		}
		classes = append(classes, struct {
			name   string
			curved bool
			model  sem.Model
		}{m.Name, true, m.Model})
	}
	for _, c := range classes {
		t.Run(c.name, func(t *testing.T) {
			if !*long && c.model != nil && c.name != "smooth" {
				t.Skip("one class alone without -long")
			}
			table := sizesOf(t, rows, columns, c.curved, tobac.Config{Model: c.model, Seed: 1,
				Workers: 2})
			t.Logf("%s: seconds of processor (of the clock)\n%s", c.name, table)
		})
	}
}

// sizesOf is the table of one class.
func sizesOf(t *testing.T, rows, columns []int, curved bool, cfg tobac.Config) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("| rows |")
	for _, d := range columns {
		fmt.Fprintf(&out, " %d columns |", d)
	}
	fmt.Fprintf(&out, "\n| --- |%s", strings.Repeat(" --- |", len(columns)))
	most := len(columns) // of the columns of a row above, before one that was stopped
	for _, n := range rows {
		fmt.Fprintf(&out, "\n| %d |", n)
		for k, d := range columns {
			text := "not tried"
			if k < most {
				done := false
				if text, done = sizeOf(t, n, d, curved, cfg); !done {
					most = k
				}
			}
			fmt.Fprintf(&out, " %s |", text)
		}
	}
	return out.String()
}

// mostNumbers is the size of the largest table that is tried, whose simulation takes as much again.
const mostNumbers = 20_000_000

// sizeOf are the seconds of one fit, or why there are none.
func sizeOf(t *testing.T, n, d int, curved bool, cfg tobac.Config) (text string, done bool) {
	t.Helper()
	if n*d > mostNumbers {
		return "too large", false
	}
	data := sizedTable(t, n, d, curved)
	ctx, cancel := context.WithTimeout(context.Background(), *cell)
	defer cancel()
	before, start := processorSeconds(t), time.Now()
	_, err := tobac.Fit(ctx, data, cfg)
	spent, took := processorSeconds(t)-before, time.Since(start).Seconds()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("more than %.3g (%.3g)", spent, took), false
	case err != nil && *long: // of memory
		t.Logf("%d rows, %d columns: %v", n, d, err)
		return "refused", false
	case err != nil:
		t.Fatal(err)
	}
	return fmt.Sprintf("%.2g (%.2g)", spent, took), true
}

// sizedTable has one and a half edges for each column.
func sizedTable(t *testing.T, n, d int, curved bool) *dataset.Table {
	t.Helper()
	edges := 1.5
	if d < 5 {
		edges = 0.5
	}
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, EdgesPerNode: edges, Seed: 1}))(t)
	simulated := func(g *dag.Graph, c dataset.LinearConfig) (*dataset.Simulation, error) {
		if curved {
			return mechanism.Simulate(g, mechanism.Sines, c)
		}
		return dataset.SimulateLinear(g, c)
	}
	s := must.Get(simulated(g, dataset.LinearConfig{Rows: n, HeldoutRows: 1, Seed: 1}))(t)
	return s.Train
}
