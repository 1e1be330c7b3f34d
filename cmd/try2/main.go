package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"tobac"
	"tobac/dataset"
)

func main() {
	t, _, err := dataset.Sachs()
	if err != nil {
		panic(err)
	}
	s, _ := t.Standardize()
	c := tobac.Paper()
	c.Sampler.Steps, c.Workers, c.Seed = 200, 2, 1
	res, err := tobac.Fit(context.Background(), s, c)
	if err != nil {
		panic(err)
	}
	raw, _ := os.ReadFile("/tmp/old-paper/particles.json")
	var old struct {
		Particles []struct {
			Edges      [][2]int
			Parameters []float64
		}
	}
	json.Unmarshal(raw, &old)
	bad, n := 0, 0
	for m, p := range old.Particles {
		d := res.Draws[m]
		if d.Graph.Size() != len(p.Edges) {
			bad++
		}
		for k, e := range p.Edges {
			n++
			if d.Equations.Weights.At(e[0], e[1]) != p.Parameters[k] {
				bad++
			}
		}
	}
	fmt.Println("paper: weights compared", n, "different", bad)
	start := time.Now()
	res, err = tobac.Fit(context.Background(), t, tobac.Config{Workers: 2, Beside: true, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(time.Since(start), res.Seconds, "distance", res.Distance(), len(res.Particles.Draws))
	for _, e := range res.InDataUnits(res.Standardization).Edges()[:12] {
		fmt.Println(res.Names[e.Source], res.Names[e.Target], e)
	}
}
