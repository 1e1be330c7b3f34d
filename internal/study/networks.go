package study

import (
	"fmt"
	"strconv"

	"tobac"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"
)

// networkRuns is the number of data sets of each size of the study Networks.
const networkRuns = 5

// networksData are nonlinear-d10-e20-run0 to run4, or those of 20 variables, in a folder, or
// simulated ones of the same kind.
func networksData(d int, o Options) ([]Data, error) {
	runs := o.Runs
	if runs == 0 {
		if runs = networkRuns; o.Quick {
			runs = 1
		}
	}
	if o.Data == "" {
		return SimulatedData(Nonlinear, d, sparse, 100, runs, o.Seed), nil
	}
	return readRuns(o.Data, fmt.Sprintf("nonlinear-d%d-e%d", d, sparse*d), min(runs, networkRuns))
}

// networks are the sections of the study Networks: posteriors of networks given the true order,
// given EqVar's, and over all orders, each beside its reference.
func networks(o Options) (sections []Section, err error) {
	for _, d := range []int{10, 20} {
		data, err := networksData(d, o)
		if err != nil {
			return nil, err
		}
		for _, order := range []struct {
			name, title string
			source      OrderSource
		}{{"true", "true order", TrueOrder}, {"eqvar", "EqVar's order", By(ordering.MethodEqVar)},
			{"all", "all orders", NoOrder}} {
			rows := networkRows(order.source)
			if order.source == NoOrder {
				rows = networkRowsOverOrders()
			}
			for k := range rows {
				rows[k].Reference = networkModel().String()
				rows[k].Name += "-" + order.name
			}
			sections = append(sections, Section{
				Name: "networks-d" + strconv.Itoa(d) + "-" + order.name,
				Title: fmt.Sprintf("networks, d = %d, %d expected edges, n = 100, %s", d, sparse*d,
					order.title),
				Panel: fmt.Sprintf("d = %d, %s", d, order.title),
				Data:  data, Rows: rows,
			})
		}
	}
	return sections, nil
}

// networkModel is the one that made the data, whose functions and biases are about the origin.
func networkModel() sem.FeedForward {
	return sem.FeedForward{NoiseVariance: noiseVariance, Raw: true}
}

// networkRows are the posteriors given an order, each under the prior and the noise variance that
// made the data.
func networkRows(order OrderSource) []Row {
	paper := recipe(sparse)
	paper.Model = networkModel()
	nodewise, integrated := paper, paper
	nodewise.Engine = &stein.SVGD{Estimator: models.NodeWise, Marginals: stein.FrequencyMarginals}
	layer := networkModel()
	layer.Output = models.IntegratedOutput
	integrated.Model = layer
	reweighted := withoutOrder(tobac.Calibrated(networkModel()))
	reweighted.Prior.EdgesPerNode = sparse
	calibrated := reweighted
	conditional := *calibrated.Engine.(*stein.SVGD)
	conditional.Marginals = stein.ConditionalMarginals
	calibrated.Engine = &conditional
	row := func(name, title string, cfg tobac.Config) Row {
		return Row{Method: fitMethod(name, title, order, cfg)}
	}
	return append([]Row{
		row("paper", "paper", paper),
		row("nodewise", "node-wise", nodewise),
		row("integrated", "output layer integrated out", integrated),
		row("calibrated", "calibrated", calibrated),
		row("reweighted", "calibrated, re-weighted", reweighted),
	}, exactRows(order)...)
}

// networkRowsOverOrders are the posteriors over all orders.
func networkRowsOverOrders() []Row {
	calibrated := withoutOrder(tobac.Calibrated(networkModel()))
	calibrated.Prior.EdgesPerNode = sparse
	return append([]Row{
		{Method: fitMethod("reweighted", "calibrated, re-weighted, orders of linear models",
			NoOrder, calibrated)},
		{Method: fitMethod("default", "default of --model ffn, told nothing", NoOrder,
			tobac.Config{Model: sem.FeedForward{}})},
	}, exactRows(NoOrder)...)
}

// exactRows are the exact posterior under Gaussian processes, and tempering, the method of the
// reference.
func exactRows(order OrderSource) []Row {
	prior := recipe(sparse).Prior
	return []Row{
		{Method: fitMethod("gp", "Gaussian processes, exact", order,
			tobac.Config{Model: sem.GaussianProcess{}, Prior: prior, Engine: &sums.Exact{}})},
		{Method: fitMethod("tempering", "tempering", order,
			tobac.Config{Model: networkModel(), Prior: prior, Engine: &neural.Tempering{}})},
	}
}
