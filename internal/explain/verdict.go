package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tobac"
	"tobac/internal/inference"
	"tobac/internal/words"
	"tobac/posterior"
	"tobac/sem"
)

// Probabilities of adjacency between which a relation is uncertain.
const (
	stableFrom  = 0.95
	absentBelow = 0.05
)

// assumptions begins the last sentence before the warnings.
const assumptions = "All of this assumes"

// A Verdict is what a result says and what it rests on, in plain words and in the
// numbers behind them.
type Verdict struct {
	Sentences []string // for a reader, the most important first

	Stable    int // pairs adjacent with a probability of 0.95 or more
	Uncertain int // pairs adjacent with a probability from 0.05 up to 0.95
	Directed  int // stable pairs with a direction of probability [posterior.Directed] or more
	Open      int // the other stable pairs

	// Conditional says in a few words which single order all probabilities are
	// conditional on; empty where there is none.
	Conditional string
	// Refuted says in a few words which assumption of all probabilities the data refute; empty
	// where there is none.
	Refuted string
	// ByVariance is the expected fraction of edges that run from a column of smaller to
	// one of larger variance; NaN without an edge.
	ByVariance float64
	// Margin is the difference in log evidence to the next model, in nats; NaN if no other
	// model was compared.
	Margin float64
}

// Of says which relations are stable and which are not, what their directions rest
// on, which model the data support, and what there is to distrust. Probabilities
// that are conditional on one order are said to be so.
func Of(r *tobac.Result) Verdict {
	v := Verdict{ByVariance: byVariance(r), Margin: math.NaN(), Conditional: orderGiven(r)}
	for _, p := range r.Posterior.PairsFrom(absentBelow) {
		switch {
		case p.Adjacent < stableFrom:
			v.Uncertain++
		case p.Direction >= posterior.Directed:
			v.Stable++
			v.Directed++
		default:
			v.Stable++
			v.Open++
		}
	}
	if r.Sequence.Dependent() {
		v.Refuted = "if the rows were independent, which these data refute"
		if r.Sequence.Counted {
			v.Refuted = fmt.Sprintf("with the evidence of %.0f independent rows",
				r.Sequence.Effective)
		}
		v.say(sentence(r.Sequence.Refutation()))
	}
	v.say(orderSentence(r))
	v.say(v.relations(len(r.Names)))
	v.say(v.directions(r))
	v.say(v.unitsSentence(r))
	v.say(knowledgeSentence(r))
	v.say(v.modelSentence(r))
	v.say(leftOut(r))
	v.say(r.Computation)
	rows := "independent rows, "
	if v.Refuted != "" {
		rows = ""
	}
	v.say(assumptions + " no unmeasured common causes (causal sufficiency), no feedback " +
		"loops (acyclicity), " + rows + "and a correctly specified model.")
	for _, w := range r.Warnings {
		v.say(sentence(w))
	}
	return v
}

// say appends a sentence, if it is one and not yet there.
func (v *Verdict) say(text string) {
	if text == "" {
		return
	}
	for _, s := range v.Sentences {
		if s == text {
			return
		}
	}
	v.Sentences = append(v.Sentences, text)
}

// Parted are the sentences of a verdict without its warnings, and the warnings that these sentences
// do not say.
func Parted(verdict, warnings []string) (said, others []string) {
	end := len(verdict)
	for k, s := range verdict {
		if strings.HasPrefix(s, assumptions) {
			end = k + 1
		}
	}
	for _, w := range warnings {
		if !slices.Contains(verdict[:end], sentence(w)) {
			others = append(others, w)
		}
	}
	return verdict[:end], others
}

// capital is a text that begins with a capital letter.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// sentence is a text that begins with a capital and ends with a stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return capital(text) + "."
}

// orderGiven says which one order the probabilities are conditional on.
func orderGiven(r *tobac.Result) string {
	switch c := &r.Config; {
	case c.Order.Known != nil:
		return "given the order asked for"
	case r.Posterior.Order() != nil && c.Order.Method != nil:
		return fmt.Sprintf("given the order that %v found", c.Order.Method)
	case r.Posterior.Order() != nil:
		return "given one order drawn from the posterior"
	}
	return ""
}

// orderSentence says which orders the result rests on, unless it averages over all.
func orderSentence(r *tobac.Result) string {
	c := &r.Config
	one := r.Posterior.Order()
	var names []string
	for _, j := range one {
		names = append(names, r.Names[j])
	}
	order := strings.Join(names, ", ")
	switch {
	case c.Order.Known != nil:
		return fmt.Sprintf("All probabilities are conditional on the order given, %s: every "+
			"direction comes from it, none from the data.",
			strings.Join(words.Of(r.Names, c.Order.Known), ", "))
	case one != nil && c.Order.Method != nil:
		return fmt.Sprintf("All probabilities are conditional on the order %s, which %v "+
			"estimated from these data: they do not include the uncertainty of that order.", order,
			c.Order.Method)
	case one != nil:
		return fmt.Sprintf("All probabilities are conditional on the order %s, a single draw "+
			"from the posterior over orders.", order)
	case len(r.Components) > 1 && c.Order.Method != nil:
		return fmt.Sprintf("The probabilities average over %s that %v found in resamples of the "+
			"rows; any other order has weight 0.", words.Counted(len(r.Components), "order"),
			c.Order.Method)
	case len(r.Components) > 1 && r.Components[0].Order != nil:
		return fmt.Sprintf("The probabilities average over only %s drawn from the posterior.",
			words.Counted(len(r.Components), "order"))
	}
	return ""
}

// relations says how many relations are stable, and on what that is conditional.
func (v *Verdict) relations(d int) string {
	all := d * (d - 1) / 2
	given := ""
	for _, text := range []string{v.Conditional, v.Refuted} {
		if text != "" {
			given += ", " + text
		}
	}
	related := fmt.Sprintf("directly related (adjacent with probability %.2f or more)",
		stableFrom) + given
	if all == 1 {
		switch {
		case v.Stable == 1:
			return "The two columns are " + related + "."
		case v.Uncertain == 1:
			return "It is uncertain whether the two columns are " + related + "."
		}
		return "The two columns show no direct relation" + given + "."
	}
	text := fmt.Sprintf("None of %d pairs is %s", all, related)
	if v.Stable > 0 {
		text = fmt.Sprintf("%d of %d pairs %s %s", v.Stable, all, verb(v.Stable, "is", "are"),
			related)
	}
	var others []string
	if v.Uncertain > 0 {
		others = append(others,
			fmt.Sprintf("%d %s uncertain", v.Uncertain, verb(v.Uncertain, "is", "are")))
	}
	if none := all - v.Stable - v.Uncertain; none > 0 {
		others = append(others,
			fmt.Sprintf("%d %s no direct relation", none, verb(none, "shows", "show")))
	}
	if len(others) > 0 {
		text += "; " + strings.Join(others, ", and ")
	}
	return text + "."
}

// verb is the form of a verb for a number of things.
func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// every is "both" or "all 3".
func every(n int) string {
	if n == 2 {
		return "both"
	}
	return fmt.Sprintf("all %d", n)
}

// directions says how many stable relations have a direction, and why.
func (v *Verdict) directions(r *tobac.Result) string {
	if v.Stable == 0 {
		return ""
	}
	text, rests := "", "directions follow from "
	switch {
	case v.Open == 0 && v.Stable == 1:
		text = "It has a direction"
	case v.Open == 0:
		text = capital(every(v.Stable)) + " have a direction"
	case v.Directed > 0:
		text = fmt.Sprintf("%d of these %d %s a direction", v.Directed, v.Stable,
			verb(v.Directed, "has", "have"))
	case v.Stable == 1:
		text, rests = "Its direction is open", "it could follow from "
	default:
		text, rests = "The directions of "+every(v.Stable)+" are open", "they could follow from "
	}
	if v.Directed > 0 {
		text += fmt.Sprintf(" (probability %.2f or more)", posterior.Directed)
	} else {
		text += fmt.Sprintf(" (probability below %.2f)", posterior.Directed)
	}
	if v.Conditional == "" {
		text += "; " + rests + basis(r)
	}
	text += "."
	if v.Directed > 0 && v.Open > 0 {
		text += fmt.Sprintf(" The direction of %d is open%s.", v.Open, openPairs(r, v.Open))
	}
	if v.Open > 0 && sem.TraitsOf(modelOf(r)).Equivalent && v.Conditional == "" {
		text += " Markov equivalent graphs fit equally well: more rows will not settle an open " +
			"direction under this model, but an experiment or background knowledge can."
	}
	return text
}

// openPairs names the stable pairs with an open direction, if they are few.
func openPairs(r *tobac.Result, open int) string {
	const most = 4
	if open > most {
		return ""
	}
	var names []string
	for _, p := range r.Posterior.PairsFrom(stableFrom) {
		if p.Direction < posterior.Directed {
			names = append(names, r.Names[p.A]+" — "+r.Names[p.B])
		}
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// basis is what directions follow from, a noun, and what else there is to say of that.
func basis(r *tobac.Result) string {
	if r.Basis != "" {
		return r.Basis
	}
	if r.Config.Order.Method != nil {
		return fmt.Sprintf("the orders that %v found", r.Config.Order.Method)
	}
	if from := sem.TraitsOf(modelOf(r)).DirectionsFrom; from != "" {
		return from
	}
	return "the assumptions of the model"
}

// modelOf is the model of the reported posterior; nil for a custom model that a stored result
// only names.
func modelOf(r *tobac.Result) sem.Model {
	if r.Config.Model != nil {
		return r.Config.Model
	}
	m, err := sem.Parse(r.Posterior.Model)
	if err != nil {
		return nil
	}
	return m
}

// unitsSentence warns of directions that follow the variances of the columns under
// a model that depends on their units.
func (v *Verdict) unitsSentence(r *tobac.Result) string {
	if !sem.TraitsOf(modelOf(r)).SharesNoise || v.Stable < 3 || !(v.ByVariance >= 0.9) ||
		r.Config.Order.Known != nil {
		return ""
	}
	return fmt.Sprintf("%.0f %% of the expected edges run from a column of smaller to one of "+
		"larger variance: the directions follow the units, and other units of a column (g for "+
		"kg) could reverse them.", 100*v.ByVariance)
}

// byVariance is the expected fraction of edges towards the column of larger variance.
func byVariance(r *tobac.Result) float64 {
	up, all := 0.0, 0.0
	for i := range r.Columns {
		for j := range r.Columns {
			if i == j || r.Columns[i].SD == r.Columns[j].SD {
				continue
			}
			p := r.Probabilities.At(i, j)
			all += p
			if r.Columns[i].SD < r.Columns[j].SD {
				up += p
			}
		}
	}
	if all == 0 {
		return math.NaN()
	}
	return up / all
}

// knowledgeSentence says what was taken as given.
func knowledgeSentence(r *tobac.Result) string {
	p, parts := &r.Config.Prior, []string{}
	if n := len(p.Required); n > 0 {
		parts = append(parts, words.Counted(n, "required edge"))
	}
	if n := len(p.Forbidden); n > 0 {
		parts = append(parts, words.Counted(n, "forbidden edge"))
	}
	if p.Tiers != nil {
		parts = append(parts, "the tiers")
	}
	if p.Probabilities != nil {
		parts = append(parts, "the prior probabilities of edges")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("The result is conditional on the background knowledge: %s.",
		strings.Join(parts, ", "))
}

// modelSentence says which model the data support, and by how much.
func (v *Verdict) modelSentence(r *tobac.Result) string {
	best, next := inference.BestTwo(r.Evidence)
	if math.IsInf(next.Log, -1) {
		if r.Config.Model == nil {
			return ""
		}
		return fmt.Sprintf("The model, %s, was not compared with others.",
			sem.Describe(r.Config.Model.String()))
	}
	v.Margin = best.Log - next.Log
	if strings.HasPrefix(r.Reason, inference.Although) {
		return fmt.Sprintf("The model is %s, %s.", sem.Describe(r.Posterior.Model), r.Reason)
	}
	measure := "of evidence"
	if r.Diagnostics != nil || r.Training != nil { // of chains, which compute no evidence
		if measure = "of log density, in short chains,"; next.Note == inference.ByGraph {
			measure = "of log density, in short chains and searches,"
		}
	}
	if v.Margin < math.Log(20) {
		return fmt.Sprintf("Two models fit about equally well, %s and %s: %.1f nats apart; fit "+
			"with --model %s and with --model %s, and compare.", sem.Describe(best.Model),
			sem.Describe(next.Model), v.Margin, best.Model, next.Model)
	}
	return fmt.Sprintf("The model is %s: the data support it by %.1f nats %s over %s.",
		sem.Describe(best.Model), v.Margin, measure, sem.Describe(next.Model))
}

// leftOut names the models that could not be compared.
func leftOut(r *tobac.Result) string {
	var names []string
	note := ""
	for _, e := range r.Evidence {
		if math.IsNaN(e.Log) && !e.Pointless() {
			names, note = append(names, sem.Describe(e.Model)), e.Note
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Not compared: %s (%s).", names[0], note)
	}
	return fmt.Sprintf("Not compared: %s (--details says why).", strings.Join(names, ", "))
}
