package posteriordb

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tobac/density"
	"tobac/diagnostics"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

//go:embed data/*.json data/*.json.gz references.json
var files embed.FS

// A Posterior is a model with data, and the name of both in posteriordb.
type Posterior struct {
	Name  string
	Model func(t *density.Trace)
	// LongTailed are parameters whose moments converge too slowly for a comparison: their
	// quantiles are compared.
	LongTailed []string
	// Modes says that there is another mode, less probable by far, in which chains with unlucky
	// starts stay.
	Modes bool
}

// All are the posteriors, ordered by their models.
func All() []Posterior {
	return slices.Concat(regressions, series, curves)
}

// Named is the posterior of a name; it panics without one.
func Named(name string) Posterior {
	for _, p := range All() {
		if p.Name == name {
			return p
		}
	}
	panic("posteriordb: no posterior " + name)
}

// Data are the numbers of the data set, those of arrays row by row.
func (p Posterior) Data() (map[string][]float64, error) {
	set, _, _ := strings.Cut(p.Name, "-")
	text, err := files.ReadFile("data/" + set + ".json")
	if err != nil {
		packed, err := files.ReadFile("data/" + set + ".json.gz")
		if err != nil {
			return nil, err
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, err
		}
		if text, err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("posteriordb: data of %s: %w", p.Name, err)
	}
	data := map[string][]float64{}
	for name, v := range fields {
		data[name] = numbers(v)
	}
	return data, nil
}

// numbers are those of a JSON value, row by row.
func numbers(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var out []float64
		for _, e := range v {
			out = append(out, numbers(e)...)
		}
		return out
	}
	return nil
}

// Compile makes the density of the model, for a number of points at once.
func (p Posterior) Compile(points int) (*density.Model, error) {
	data, err := p.Data()
	if err != nil {
		return nil, err
	}
	return density.New(p.Model, density.Options{Points: points, Data: data})
}

// Reference are moments and quantiles of the reference draws, of each parameter.
type Reference struct {
	Parameters    []string // elements are counted from 1
	Mean, SD      []float64
	MeanError     []float64 `json:"mcse_mean"`
	Q05, Q50, Q95 []float64 // nil means none
}

// Reference reads the reference of the posterior.
func (p Posterior) Reference() (Reference, error) {
	text, err := files.ReadFile("references.json")
	if err != nil {
		return Reference{}, err
	}
	var all map[string]Reference
	if err := json.Unmarshal(text, &all); err != nil {
		return Reference{}, fmt.Errorf("posteriordb: references: %w", err)
	}
	r, found := all[p.Name]
	if !found {
		return Reference{}, fmt.Errorf("posteriordb: no reference for %s", p.Name)
	}
	return r, nil
}

// A Difference is what draws have of one parameter, and what the reference has.
type Difference struct {
	Parameter        string
	Mean, SD         float64
	WantMean, WantSD float64
	// Errors is the difference of the means, or for long tails the largest one of shares of draws
	// below a quantile, in its standard errors.
	Errors float64
	// Ratio is SD/WantSD − 1; 0 for long tails.
	Ratio float64
}

// String is the line of a report.
func (d Difference) String() string {
	return fmt.Sprintf("%s %.5g ± %.4g, want %.5g ± %.4g (%.1f standard errors)",
		d.Parameter, d.Mean, d.SD, d.WantMean, d.WantSD, d.Errors)
}

// Compare compares all parameters of the reference with draws, draws × names for each chain.
// independent says that draws are, as those of other samplers than chains.
func (p Posterior) Compare(names []string, draws []*mat.Dense, independent bool) ([]Difference,
	error) {
	want, err := p.Reference()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, name := range names {
		at[oneBased(name)] = i
	}
	var out []Difference
	for j, parameter := range want.Parameters {
		i, found := at[parameter]
		if !found {
			return nil, fmt.Errorf("posteriordb: %s has no %s", p.Name, parameter)
		}
		var chains [][]float64
		var all []float64
		for _, d := range draws {
			c := mat.Col(nil, i, d)
			chains, all = append(chains, c), append(all, c...)
		}
		d := Difference{Parameter: parameter, WantMean: want.Mean[j], WantSD: want.SD[j]}
		d.Mean, d.SD = stat.MeanStdDev(all, nil)
		if slices.Contains(p.LongTailed, parameter) {
			for q, v := range map[float64]float64{
				0.05: want.Q05[j],
				0.5:  want.Q50[j],
				0.95: want.Q95[j],
			} {
				n := float64(len(all))
				if !independent {
					n = diagnostics.QuantileSize(chains, q)
				}
				se := math.Sqrt(q * (1 - q) * (1/n + 1e-4))
				d.Errors = math.Max(d.Errors, math.Abs(share(all, v)-q)/se)
			}
		} else {
			se := d.SD / math.Sqrt(float64(len(all)))
			if !independent {
				se = diagnostics.MeanError(chains)
			}
			d.Errors = math.Abs(d.Mean-d.WantMean) / math.Hypot(se, want.MeanError[j])
			d.Ratio = d.SD/d.WantSD - 1
		}
		out = append(out, d)
	}
	return out, nil
}

// share is the fraction of values up to v.
func share(values []float64, v float64) float64 {
	n := 0.0
	for _, x := range values {
		if x <= v {
			n++
		}
	}
	return n / float64(len(values))
}

// oneBased is the name in posteriordb of theta[0,1], theta[1,2].
func oneBased(name string) string {
	name, index, element := strings.Cut(name, "[")
	if !element {
		return name
	}
	var at []string
	for _, s := range strings.Split(strings.TrimSuffix(index, "]"), ",") {
		var k int
		fmt.Sscan(s, &k)
		at = append(at, fmt.Sprint(k+1))
	}
	return name + "[" + strings.Join(at, ",") + "]"
}
