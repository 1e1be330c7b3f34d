package sem

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/models"
)

// Parse is the model of this package with the text form text.
func Parse(text string) (Model, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, errors.New("sem: no model in an empty text")
	}
	value := map[string]string{}
	for _, w := range words[1:] {
		name, v, _ := strings.Cut(w, "=")
		value[name] = v
	}
	var failed error
	number := func(name string) (v float64) {
		if t, ok := value[name]; ok {
			delete(value, name)
			var err error
			if v, err = strconv.ParseFloat(t, 64); err != nil {
				failed = fmt.Errorf("sem: model %q: %s is not a number", text, name)
			}
		}
		return v
	}
	flag := func(name string) bool {
		_, ok := value[name]
		delete(value, name)
		return ok
	}
	var m Model
	switch words[0] {
	case "linear":
		l := Linear{Unequal: flag("unequal"), NoiseVariance: number("noise-variance"), EdgeVariance: number("edge-variance"), NoIntercept: flag("no-intercept")}
		if flag("prior-start") {
			l.Start = PriorStart
		}
		m = l
	case "bge":
		m = BGe{AlphaMu: number("alpha-mu"), AlphaLambda: number("alpha-lambda"), Raw: flag("raw")}
	case "gp":
		m = GaussianProcess{MaxParents: int(number("max-parents")), Rank: int(number("rank"))}
	case familyBDeu:
		b := BDeu{Alpha: number("alpha"), MaxParents: int(number("max-parents"))}
		if t, ok := value["pseudo-counts"]; ok {
			delete(value, "pseudo-counts")
			at := slices.IndexFunc(pseudoCounts, func(p PseudoCounts) bool { return p.String() == t })
			if at < 0 {
				failed = fmt.Errorf("sem: model %q: unknown pseudo-counts %q; allowed: bdeu, bds, bdj", text, t)
			} else {
				b.PseudoCounts = pseudoCounts[at]
			}
		}
		m = b
	case familyMixed:
		m = Mixed{}
	case familyGeneralised:
		m = Generalised{FormRows: number("form-rows"), MaxParents: int(number("max-parents"))}
	case "linear-nongaussian":
		m = NonGaussian{MaxParents: int(number("max-parents"))}
	case familySmooth:
		m = Smooth{MaxParents: int(number("max-parents"))}
	case "additive":
		m = Additive{MaxParents: int(number("max-parents"))}
	case "ffn":
		f := FeedForward{NoBias: flag("no-bias"), NoiseVariance: number("noise-variance"), Raw: flag("raw")}
		if t, ok := value["hidden"]; ok {
			delete(value, "hidden")
			for _, w := range strings.Split(t, ",") {
				n, err := strconv.Atoi(w)
				if err != nil {
					failed = fmt.Errorf("sem: model %q: hidden units %q are not whole numbers", text, t)
				}
				f.Hidden = append(f.Hidden, n)
			}
		}
		if t, ok := value["activation"]; ok {
			delete(value, "activation")
			found := false
			for _, a := range []models.Activation{models.Relu, models.Tanh, models.Sigmoid, models.LeakyRelu} {
				if a.String() == t {
					f.Activation, found = a, true
				}
			}
			if !found {
				failed = fmt.Errorf("sem: model %q: unknown activation %q", text, t)
			}
		}
		if t, ok := value["output-layer"]; ok {
			delete(value, "output-layer")
			if f.Output = models.IntegratedOutput; t != f.Output.String() {
				failed = fmt.Errorf("sem: model %q: unknown output layer %q", text, t)
			}
		}
		m = f
	default:
		return nil, fmt.Errorf("sem: unknown model %q; allowed: linear, linear-nongaussian, bge, additive, smooth, gp, ffn, bdeu, mixed, generalised", words[0])
	}
	if failed == nil && len(value) > 0 {
		failed = fmt.Errorf("sem: model %q has unknown settings", text)
	}
	return m, failed
}

var pseudoCounts = []PseudoCounts{BDeuCounts, BDsCounts, BDJCounts}

// Compared are the models that are compared for data where none is asked for: those of numbers,
// [BDeu] where every column has levels, and [Generalised] and [Mixed] where some are categories.
func Compared(data *dataset.Table) []Scored {
	switch {
	case allLevelled(data):
		return []Scored{BDeu{}}
	case data.HasKind(isCategory):
		return []Scored{Mixed{}, Generalised{}}
	}
	d := len(data.Names)
	modes := new(sharedModes)
	if d > MixedVariables { // where Gaussian processes have few parents or take too long
		return []Scored{Linear{}, BGe{}, Smooth{}, NonGaussian{modes: modes}, Additive{modes: modes}, GaussianProcess{}}
	}
	return []Scored{Linear{}, BGe{}, NonGaussian{modes: modes}, Additive{modes: modes}, GaussianProcess{}}
}
