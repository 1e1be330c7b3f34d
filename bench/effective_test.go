package bench_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/chain"
	"tobac/density"
	"tobac/diagnostics"
	"tobac/internal/must"
	"tobac/internal/posteriordb"
	"tobac/nuts"
)

var (
	numpyro  = flag.String("numpyro", "", "Python with numpyro, to compare with")
	stan     = flag.String("stan", "", "Python with pystan, psutil and numpyro, to compare with")
	database = flag.String("posteriordb", "", "folder posterior_database of posteriordb, for -stan")
	among    = flag.String("among", "", "regular expression of the names of posteriors to compare")
	rows     = flag.String("rows", "", "folder that keeps the results, which are not made again")
)

// remembered is what make returns, or what it returned for this key in an earlier run with the
// same folder -rows.
func remembered[T any](t *testing.T, key string, make func() T) (out T) {
	t.Helper()
	if *rows == "" {
		return make()
	}
	file := filepath.Join(*rows, strings.ReplaceAll(key, "/", "_")+".gob")
	if text, err := os.ReadFile(file); err == nil {
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&out); err != nil {
			t.Fatal(file, err)
		}
		return out
	}
	out = make()
	var text bytes.Buffer
	must.Do(t, gob.NewEncoder(&text).Encode(out))
	must.Do(t, errors.Join(os.MkdirAll(*rows, 0o755), os.WriteFile(file, text.Bytes(), 0o644)))
	return out
}

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
	m := must.Get(p.Compile(4))(t)
	defer m.Close()
	compiled := processor()
	at := must.Get(starts(t.Context(), p, m))(t)
	s := chain.Sampler{Target: m, Kernel: nuts.Kernel{}, Seed: seed, Start: at}
	x := must.Get(s.Run(t.Context(), 1000, func(_ int, c *chain.Chain) {
		e.Gradients += float64(c.Leaps)
	}))(t)
	end := processor()
	e.Seconds, e.First = end-compiled, end-begin
	e.Effective = leastEffective(t, m, x)
	return e
}

// leastEffective is the least number of effective draws of all numbers of a model.
func leastEffective(t *testing.T, m *density.Model, x []*mat.Dense) float64 {
	t.Helper()
	values := must.Get(m.Draws(x))(t)
	summary := must.Get(diagnostics.Summarise(m.Names(), values))(t)
	least := math.Inf(1)
	for _, q := range summary {
		if q.Bulk < least { // NaN where a number never changes
			least = q.Bulk
		}
	}
	return least
}

// A rival is another program on the same posteriors.
type rival struct {
	name    string
	command []string
	// sums of logarithms of ratios of effective draws per second, and of times to 1000 of them
	logs, firsts float64
	least        float64
	table        strings.Builder
}

func (r *rival) run(t *testing.T, p posteriordb.Posterior) economy {
	return remembered(t, r.name+"/"+p.Name, func() (e economy) {
		arguments := append(slices.Clone(r.command[1:]), p.Name)
		out, err := exec.CommandContext(t.Context(), r.command[0], arguments...).Output()
		if err != nil {
			t.Fatal(r.name, p.Name, err)
		}
		if err := json.Unmarshal(out[bytes.IndexByte(out, '{'):], &e); err != nil {
			t.Fatal(r.name, p.Name, err)
		}
		return e
	})
}

// Effective draws per processor second beside those of numpyro and Stan, which run between two runs
// here, and the time from the file to a thousand effective draws, with the tables of
// bench/notes/samplers.md:
//
//	go test ./bench -run TestEffective -long -v -timeout 120m -numpyro /path/to/python \
//	    -stan /path/to/python -posteriordb /path/to/posteriordb/posterior_database \
//	    -among 'earn|kid|mesq|nes2000|sblr|arK|garch|hmm_ex|schools|mix|gp_pois|hare' -update
func TestEffective(t *testing.T) {
	measured(t)
	var rivals []*rival
	if *numpyro != "" {
		rivals = append(rivals,
			&rival{name: "numpyro", command: []string{*numpyro, "rivals/posteriordb.py"}})
	}
	if *stan != "" {
		rivals = append(rivals,
			&rival{name: "Stan", command: []string{*stan, "rivals/posteriordb_stan.py", *database}})
	}
	if rivals == nil {
		t.Skip("no Python with a rival: -numpyro, -stan")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	names := must.Get(regexp.Compile(*among))(t)
	for _, r := range rivals {
		r.least = math.Inf(1)
		fmt.Fprintf(&r.table, "| posterior | here | %s | ratio | gradients per draw | %[1]s |"+
			" to 1000 effective draws | %[1]s | ratio |\n| --- |%s\n", r.name,
			strings.Repeat(" ---: |", 8))
	}
	count := 0.0
	for _, p := range posteriordb.All() {
		if !names.MatchString(p.Name) {
			continue
		}
		run := func(seed uint64) economy {
			return remembered(t, fmt.Sprintf("here%d/%s", seed, p.Name), func() economy {
				return effective(t, p, seed)
			})
		}
		a, others := run(1), make([]economy, len(rivals))
		for i, r := range rivals {
			others[i] = r.run(t, p)
		}
		b := run(2)
		here, thousand := (a.Effective+b.Effective)/(a.Seconds+b.Seconds),
			(a.thousand()+b.thousand())/2
		for i, r := range rivals {
			there, first := others[i].Effective/others[i].Seconds, others[i].thousand()
			r.logs += math.Log(here / there)
			r.firsts += math.Log(first / thousand)
			r.least = math.Min(r.least, here/there)
			row := fmt.Sprintf("| %s | %.0f | %.0f | %.1f | %.0f | %.0f | %.2f s | %.1f s | %.0f |",
				p.Name,
				here, there, here/there, (a.Gradients+b.Gradients)/8000, others[i].Gradients/4000,
				thousand, first, first/thousand)
			t.Log(r.name, row)
			fmt.Fprintln(&r.table, row)
		}
		count++
	}
	for _, r := range rivals {
		t.Logf("%s, %.0f posteriors: geometric mean %.2f, least %.2f; to 1000 effective draws %.0f",
			r.name, count, math.Exp(r.logs/count), r.least, math.Exp(r.firsts/count))
		if *update {
			replaceTable(t, "samplers.md", strings.ToLower(r.name), r.table.String())
		}
	}
}
