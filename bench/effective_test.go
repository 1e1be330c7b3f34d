package bench_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"tobac/chain"
	"tobac/diagnostics"
	"tobac/gaussian"
	"tobac/internal/posteriordb"
	"tobac/nuts"
)

var numpyro = flag.String("numpyro", "", "output of rivals/posteriordb.py to compare with")

// effective is the least bulk effective sample size of all numbers per processor second, of four
// chains of 1000 draws after 1000 of warm-up, with the program compiled before.
func effective(t *testing.T, p posteriordb.Posterior, whitened bool) float64 {
	t.Helper()
	m, err := p.Compile(4)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	runtime.GC()
	begin := processor()
	s, w := chain.Sampler{Target: m, Kernel: nuts.Kernel{}, Seed: 1}, (*gaussian.Whitened)(nil)
	if whitened {
		by, err := gaussian.Laplace{Target: m}.Fit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w = &gaussian.Whitened{Target: m, By: by}
		s.Target = w
	}
	x, err := s.Run(t.Context(), 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	seconds := processor() - begin
	if w != nil {
		for k := range x {
			x[k] = w.Points(x[k])
		}
	}
	values, err := m.Draws(x)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := diagnostics.Summarise(m.Names(), values)
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for _, q := range summary {
		if q.Bulk < least { // NaN where a number never changes
			least = q.Bulk
		}
	}
	return least / seconds
}

// Effective draws per processor second beside numpyro's, with the table of bench/notes/samplers.md,
// for the posteriors of a file that rivals/posteriordb.py wrote on the same machine:
//
//	python bench/rivals/posteriordb.py > numpyro.json
//	go test ./bench -run TestEffective -long -v -numpyro $PWD/numpyro.json -update
func TestEffective(t *testing.T) {
	measured(t)
	if *numpyro == "" {
		t.Skip("no file of numpyro's: -numpyro")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	file, err := os.Open(*numpyro)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text strings.Builder
	fmt.Fprintln(&text, "| posterior | here | in Laplace's coordinates | numpyro | ratio |")
	fmt.Fprintln(&text, "| --- | ---: | ---: | ---: | ---: |")
	logs, count, least := 0.0, 0.0, math.Inf(1)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row struct {
			Posterior string
			Effective float64
			Seconds   float64
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		p := posteriordb.Named(row.Posterior)
		here, there, white := effective(t, p, false), row.Effective/row.Seconds, ""
		if p.Correlated {
			white = fmt.Sprintf("%.0f", effective(t, p, true))
		}
		logs, count, least = logs+math.Log(here/there), count+1, math.Min(least, here/there)
		fmt.Fprintf(&text, "| %s | %.0f | %s | %.0f | %.1f |\n", p.Name, here, white, there, here/there)
	}
	t.Logf("geometric mean %.2f, least %.2f, of %.0f\n%s",
		math.Exp(logs/count), least, count, text.String())
	if *update {
		replaceTable(t, "samplers.md", "ratios", text.String())
	}
}
