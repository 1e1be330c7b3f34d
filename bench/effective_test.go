package bench_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"tobac/chain"
	"tobac/diagnostics"
	"tobac/internal/posteriordb"
	"tobac/nuts"
)

var (
	numpyro = flag.String("numpyro", "", "Python with numpyro, to compare with")
	among   = flag.String("among", "", "regular expression of the names of posteriors to compare")
)

// An economy is what draws cost.
type economy struct {
	Effective float64 // least bulk effective sample size of all numbers
	Seconds   float64 // of the processor, for warm-up and draws
	First     float64 // the same from the file on: data, compilation, warm-up and draws
	Gradients float64
}

// thousand is the time from the file to 1000 effective draws, by as many runs as that takes.
func (e economy) thousand() float64 {
	return e.First + e.Seconds*math.Max(0, 1000/e.Effective-1)
}

// effective runs four chains of 1000 draws after 1000 of warm-up. Of a posterior with another mode
// they begin at draws of Pathfinder, whose time counts.
func effective(t *testing.T, p posteriordb.Posterior, seed uint64) (e economy) {
	t.Helper()
	runtime.GC()
	begin := processor()
	m, err := p.Compile(4)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	compiled := processor()
	at, err := starts(t.Context(), p, m)
	if err != nil {
		t.Fatal(err)
	}
	s := chain.Sampler{Target: m, Kernel: nuts.Kernel{}, Seed: seed, Start: at}
	x, err := s.Run(t.Context(), 1000, func(_ int, c *chain.Chain) { e.Gradients += float64(c.Leaps) })
	if err != nil {
		t.Fatal(err)
	}
	end := processor()
	e.Seconds, e.First = end-compiled, end-begin
	values, err := m.Draws(x)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := diagnostics.Summarise(m.Names(), values)
	if err != nil {
		t.Fatal(err)
	}
	e.Effective = math.Inf(1)
	for _, q := range summary {
		if q.Bulk < e.Effective { // NaN where a number never changes
			e.Effective = q.Bulk
		}
	}
	return e
}

// Effective draws per processor second beside numpyro's, which runs between two runs here, and the
// time from the file to a thousand effective draws, with the table of bench/notes/samplers.md:
//
//	go test ./bench -run TestEffective -long -v -timeout 120m -numpyro /path/to/python \
//	    -among 'earn|kid|kilp|mesq|nes2000|sblr|arK|arma|garch|hmm_ex|schools|mix|gp_pois|hare|comp' -update
func TestEffective(t *testing.T) {
	measured(t)
	if *numpyro == "" {
		t.Skip("no Python with numpyro: -numpyro")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	names, err := regexp.Compile(*among)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintln(&text, "| posterior | here | numpyro | ratio | gradients per draw | numpyro | to 1000 effective draws | numpyro | ratio |")
	fmt.Fprintln(&text, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	logs, firsts, count, least := 0.0, 0.0, 0.0, math.Inf(1)
	for _, p := range posteriordb.All() {
		if !names.MatchString(p.Name) {
			continue
		}
		a := effective(t, p, 1)
		out, err := exec.CommandContext(t.Context(), *numpyro, "rivals/posteriordb.py", p.Name).Output()
		if err != nil {
			t.Fatal(p.Name, err)
		}
		var there economy
		if err := json.Unmarshal(out, &there); err != nil {
			t.Fatal(p.Name, err)
		}
		b := effective(t, p, 2)
		here := (a.Effective + b.Effective) / (a.Seconds + b.Seconds)
		rival, thousand := there.Effective/there.Seconds, (a.thousand()+b.thousand())/2
		ratio, first := here/rival, there.thousand()/thousand
		logs, firsts, count = logs+math.Log(ratio), firsts+math.Log(first), count+1
		least = math.Min(least, ratio)
		row := fmt.Sprintf("| %s | %.0f | %.0f | %.1f | %.0f | %.0f | %.2f s | %.1f s | %.0f |", p.Name,
			here, rival, ratio, (a.Gradients+b.Gradients)/8000, there.Gradients/4000, thousand,
			there.thousand(), first)
		t.Log(row)
		fmt.Fprintln(&text, row)
	}
	t.Logf("of %.0f: geometric mean %.2f, least %.2f; to a thousand effective draws %.0f",
		count, math.Exp(logs/count), least, math.Exp(firsts/count))
	if *update {
		replaceTable(t, "samplers.md", "ratios", text.String())
	}
}
