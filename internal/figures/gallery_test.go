package figures_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/figures"
)

// A gallery is one figure of each kind and size that studies have, from drawn numbers.
type drawer interface {
	Draw() (*figures.Figure, error)
}

var methods = []string{"TOBAC", "TOBAC+", "TOBAC/NPVar", "TOBAC/NPVar as released", "TOBAC/SCORE",
	"TOBAC/true order", "DiBS", "DiBS+", "BCD Nets", "DAG-GFlowNet",
	"EqVar with stepwise BIC", "exact given the order", "exact over all orders", "chains",
	"sumu 0.1.2", "random order", "empty graph"}

var kinds = []int{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3, 2, 4, 4}

func gallery() map[string]drawer {
	rng := rand.New(rand.NewPCG(1, 2))
	out := map[string]drawer{}
	boxes := func(groups []string, methods []string, sets int, scale float64,
		log bool) figures.Boxes {
		b := figures.Boxes{Title: "Linear models, 20 variables, 100 rows",
			Note: fmt.Sprintf("Each box has %d data sets: quartiles, median, values within one "+
				"and a half lengths of the box, circles beyond.", sets),
			Axis: "expected SHD (lower is better)", Log: log, Methods: methods,
			LevelName: "graph without edges (mean)"}
		if len(methods) == len(kinds) {
			b.Kinds, b.KindNames = kinds, []string{"TOBAC", "DiBS", "rivals", "exact", "references"}
		}
		for g, name := range groups {
			level := 40.5 * scale * float64(g+1)
			group := figures.Group{Name: name, Level: &level}
			for k := range methods {
				var values []float64
				for range sets {
					values = append(values,
						math.Abs(level*(0.5+0.05*float64(k)+0.12*rng.NormFloat64())))
				}
				group.Values = append(group.Values, values)
			}
			b.Groups = append(b.Groups, group)
		}
		return b
	}
	out["boxes"] = boxes([]string{"2d edges", "4d edges"}, methods, 10, 1, false)
	many := boxes([]string{"d = 10, n = 100", "d = 20, n = 100", "d = 50, n = 100",
		"d = 10, n = 500", "d = 20, n = 500", "d = 50, n = 500"}, methods, 10, 1, false)
	many.Groups[2].Values[3] = nil
	many.Groups[1].Values[7][2] = math.NaN()
	many.Groups[1].Values[7][3] = math.Inf(1)
	out["boxes-sizes"] = many
	out["boxes-log"] = boxes([]string{"2d edges", "4d edges", "8d edges"}, methods[:8], 10, 60,
		true)
	out["boxes-quick"] = boxes([]string{"flow cytometry"}, methods, 3, 0.4, false)

	judged := func(methods []string, sets, d int) (out []figures.Judged) {
		for k, name := range methods {
			j := figures.Judged{Method: name}
			for range sets {
				truth, p := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
				for i := range d {
					for l := range d {
						if i < l && rng.Float64() < 0.2 {
							truth.Set(i, l, 1)
						}
						score := rng.NormFloat64() + (3-0.15*float64(k))*(truth.At(i, l)-0.5) - 1
						p.Set(i, l, 1/(1+math.Exp(-1.5*score)))
					}
				}
				j.Sets = append(j.Sets, figures.Pairs(p, truth, true))
			}
			out = append(out, j)
		}
		return out
	}
	out["roc"] = figures.ROC{Title: "Linear models, 2d edges: receiver operating characteristics",
		Note: "Mean over 10 data sets; bands are one standard error. The diagonal of the " +
			"matrices is counted, as in the paper.", Methods: judged(methods[:7], 10, 20)}
	out["roc-many"] =
		figures.ROC{Title: "Linear models, 2d edges: receiver operating characteristics",
			Note:    "Mean over 10 data sets; bands are one standard error.",
			Methods: judged(methods, 10, 20)}
	out["calibration"] = figures.Calibration{Title: "Linear models, 2d edges: calibration",
		Note:    "Ten data sets; intervals of 95 % as if pairs were independent.",
		Methods: judged(methods[:3], 10, 20)}
	out["calibration-many"] = figures.Calibration{Title: "Linear models, 2d edges: calibration",
		Methods: judged(methods, 10, 20)}
	out["calibration-one"] = figures.Calibration{Title: "Calibration",
		Methods: judged(methods[:1], 2, 5)}

	maps := func(d, k int) figures.Maps {
		truth := mat.NewDense(d, d, nil)
		m := figures.Maps{Title: fmt.Sprintf("Edge probabilities, %d variables", d),
			Note: "Rows are causes, columns are effects.", Truth: truth}
		for i := range d {
			m.Names = append(m.Names, fmt.Sprintf("x%d", i+1))
			for j := i + 1; j < d; j++ {
				if rng.Float64() < 4/float64(d) {
					truth.Set(i, j, 1)
				}
			}
		}
		for l := range k {
			p := mat.NewDense(d, d, nil)
			for i := range d {
				for j := range d {
					if i != j {
						p.Set(i, j, math.Pow(rng.Float64(), 12-11*truth.At(i, j)))
					}
				}
			}
			m.Maps = append(m.Maps, figures.Map{Name: methods[l], Probabilities: p})
		}
		return m
	}
	out["maps"], out["maps-11"], out["maps-50"] = maps(20, 3), maps(11, 2), maps(50, 1)

	level := 41.3
	curves := func(k int, logY bool) figures.Curves {
		c := figures.Curves{Title: "Linear models, 2d edges: expected SHD along steps",
			Note: "Mean over 5 data sets; bands are one standard error.", X: "step",
			Y: "expected SHD", LogY: logY, Level: &level, LevelName: "graph without edges"}
		for l := range k {
			s := figures.Series{Name: methods[l]}
			for t := 0; t <= 1000; t += 20 {
				s.X = append(s.X, float64(t))
			}
			for range 5 {
				run, noise := make([]float64, len(s.X)), 0.0
				for i, t := range s.X {
					noise = 0.9*noise + rng.NormFloat64()
					run[i] = 25 + 3*float64(l) + 60*math.Exp(-t/200) + noise
				}
				s.Runs = append(s.Runs, run)
			}
			c.Series = append(c.Series, s)
		}
		return c
	}
	out["curves"], out["curves-many"] = curves(4, false), curves(12, true)

	return out
}
