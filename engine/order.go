package engine

import (
	"errors"
	"fmt"

	"tobac/internal/words"
	"tobac/ordering"
	"tobac/setting"
)

// mostOrders is the largest number of orders that are drawn.
const mostOrders = 10_000

// An Order says which causal orders SVGD samples under; a known one also binds
// the other engines.
type Order struct {
	// Known is the causal order of the columns, sources first; nil means unknown.
	Known []int
	// Method finds the order from the rows without an intervention. Nil means that orders are drawn
	// from their posterior under a linear Gaussian model, by the engine that the number of
	// variables allows. Method must be safe for concurrent use, as all of package ordering are.
	Method ordering.Orderer
	// Count is the number of orders drawn from the posterior, 0 means 5; or, with a Method, the
	// number of resamples of the rows whose distinct orders are mixed, 0 means the one
	// order of all rows. SVGD takes all its steps under each order.
	Count int
	// Weights of the orders of resamples. By default their frequencies.
	Weights OrderWeights
}

// OrderWeights says how the causal orders of resamples are weighted.
type OrderWeights int

const (
	// FrequencyWeights gives every order its fraction of the resamples.
	FrequencyWeights OrderWeights = iota
	// EvidenceWeights gives order π a weight in proportion to p(D|π), the exact sum over all graphs
	// that follow the order, under the node scores of the model ([sem.Scored]): the posterior over
	// the distinct orders that the resamples gave, all equally probable before. It takes at most 24
	// variables.
	EvidenceWeights
)

// String is the name of the choice.
func (w OrderWeights) String() string { return words.Name(w, "frequency", "evidence") }

// Settings are those with a text form. The order itself has none.
func (o *Order) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.WholeNumber(&o.Count, mostOrders, "orders", "orders drawn from the posterior, or "+
			"resamples of the rows whose orders --order METHOD finds",
			"5 draws, or all rows together"),
		setting.OneOf(&o.Weights, "order-weights", "weights of the orders of resamples",
			"frequency", FrequencyWeights, EvidenceWeights),
	}
}

// Validate finds settings that are out of range or contradict each other, for d variables.
func (o *Order) Validate(d int) error {
	if err := setting.Check(o.Settings()); err != nil {
		return err
	}
	switch {
	case o.Known != nil && o.Method != nil:
		return errors.New(
			"the causal order is known, and a method is to find it; want one of the two")
	case o.Known != nil && o.Count > 0:
		return errors.New("the causal order is known, which leaves no distribution over orders")
	case o.Weights != FrequencyWeights && (o.Method == nil || o.Count == 0):
		return fmt.Errorf("orders are weighted by %v, but none are found in resamples: set a "+
			"method and the number of resamples", o.Weights)
	}
	if o.Known != nil {
		if err := ordering.Validate(o.Known, d); err != nil {
			return err
		}
	}
	return nil
}

// String is the text form.
func (o *Order) String() string {
	switch {
	case o.Known != nil:
		return fmt.Sprintf("known %v", o.Known)
	case o.Method == nil:
		return setting.Text("posterior", "orders", o.Count)
	}
	weights := ""
	if o.Count > 0 {
		weights = o.Weights.String()
	}
	return setting.Text(fmt.Sprint(o.Method), "orders", o.Count, "weights", weights)
}
