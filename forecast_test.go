package tobac_test

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dataset"
)

// A forecast comes before the stage, once, and is a finite number of seconds and
// bytes that grows with variables, rows and iterations.
func TestForecast(t *testing.T) {
	first := func(cfg tobac.Config, n, d int) tobac.Forecast {
		t.Helper()
		table := &dataset.Table{X: mat.NewDense(n, d, nil)}
		for j := range d {
			table.Names = append(table.Names, fmt.Sprint("x", j))
			for i := range n {
				table.X.Set(i, j, float64((i*(j%90+3)*7919+j*31)%101))
			}
		}
		var all []tobac.Forecast
		ctx, cancel := context.WithCancel(t.Context())
		cfg.Progress = func(p tobac.Progress) {
			if p.Forecast != nil {
				all = append(all, *p.Forecast)
				cancel() // what comes after it is of no interest
			}
		}
		if r, err := tobac.NewRun(ctx, table, cfg); err == nil {
			r.Close()
		}
		if len(all) != 1 || !(all[0].Seconds > 0 && all[0].Seconds < 1e9) || all[0].Bytes < 1<<20 {
			t.Fatalf("forecasts %+v, want one", all)
		}
		return all[0]
	}
	small, large := tobac.Config{}, tobac.Config{Chains: tobac.Chains{Iterations: 1000000}}
	for _, c := range []struct {
		name       string
		less, more tobac.Forecast
	}{
		{"variables, exact", first(small, 50, 6), first(small, 50, 18)},
		{"variables, mcmc", first(small, 50, 25), first(small, 50, 100)},
		{"iterations", first(small, 50, 25), first(large, 50, 25)},
	} {
		if c.less.Seconds >= c.more.Seconds || c.less.Bytes > c.more.Bytes {
			t.Errorf("%s: %+v is not less than %+v", c.name, c.less, c.more)
		}
	}
	if a, b := first(small, 50, 6), first(small, 5000, 6); a.Bytes >= b.Bytes {
		t.Errorf("bytes of 50 rows %d, of 5000 rows %d", a.Bytes, b.Bytes)
	}
}
