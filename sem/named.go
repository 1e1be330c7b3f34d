package sem

import "strings"

// A Named model is one that users choose by a name.
type Named struct {
	Name  string // on the command line
	Words string // what the model is, in a few words
	About string // help for users: the first line alone stands in lists
	Model Model  // with its defaults
}

// Models are the named models, in the sequence of their documentation.
func Models() []Named {
	return []Named{
		{"linear", "linear with equal noise variances",
			`Linear equations with one noise variance for all columns.
The columns share a unit: equal noise variances in the units of the data identify directions.`,
			&Linear{}},
		{"linear-unequal", "linear with unequal noise variances",
			`Linear equations with a noise variance for each column (also bge).
Multiplying or shifting a column changes no probability. Directions that the data do not
identify get the same probability.`, &BGe{}},
		{"linear-nongaussian", "linear with noise of any shape",
			`Linear equations with noise of any shape.
Noise that is not normal identifies directions.`, &NonGaussian{}},
		{"additive", "sums of smooth functions with noise of any shape",
			`Sums of smooth functions of the causes and of their products, of numbers or logarithms,
with noise of any shape.`, &Additive{}},
		{"smooth", "sums of smooth functions",
			`Sums of smooth functions of the causes and of their products, with normal noise.`,
			&Smooth{}},
		{"gp", "nonlinear with Gaussian processes",
			`Nonlinear equations: mixtures of Gaussian processes, with normal noise.`,
			&GaussianProcess{}},
		{"bdeu", "tables of probabilities",
			`Categories: a table of probabilities for each combination of the parents' levels.
It takes columns of few values only. Directions that the data do not identify get the same
probability.`, &BDeu{}},
		{"mixed", "tables of probabilities with normal numbers",
			`Numbers and categories: tables of probabilities, and numbers normal given them.
Directions that the data do not identify get the same probability.`, &Mixed{}},
		{"latent-normal", "latent normal variables",
			`Every column with an order is a rising function of a latent normal variable.
Levels are intervals of it (ordered probit), and categories have tables of probabilities.
Directions that the data do not identify get the same probability.`, &LatentNormal{}},
		{"generalised", "equations of every kind of column",
			`Columns of every kind, each with the equation of its kind, straight or curved.
Logit, multinomial and ordered logit; Poisson and negative binomial, also with an excess of
zeros; normal, lognormal and gamma. Directions that the data do not identify get the same
probability.`, &Generalised{}},
		{"ffn", "nonlinear with neural networks",
			`Neural networks: every variable is a network of its parents.
The engines tempering and svgd take it. With ffn.output-layer=integrated svgd moves all
layers but the last, whose weights are integrated out and drawn afterwards.`, &FeedForward{}},
	}
}

// Describe says in words what a model is, from its text form: that of a model of this
// package, or any other, which comes back as it is.
func Describe(text string) string {
	words, settings := described(text)
	if settings == "" {
		return words
	}
	return words + " (" + settings + ")"
}

// DescribeFamily is [Describe] without the settings.
func DescribeFamily(text string) string {
	words, _ := described(text)
	return words
}

func described(text string) (words, settings string) {
	name, settings, _ := strings.Cut(text, " ")
	words = wordsOf(name)
	if rest, unequal := strings.CutPrefix(settings, "unequal"); unequal {
		words, settings = wordsOf("bge"), strings.TrimSpace(rest)
	}
	if words == "" {
		return text, ""
	}
	return words, settings
}

// family is the first word of the text form of a model.
func family(text string) string {
	name, _, _ := strings.Cut(text, " ")
	return name
}

// wordsOf are the words for a model by the first word of its text form; "" for one that has no
// name.
func wordsOf(name string) string {
	for _, m := range Models() {
		if family(m.Model.String()) == name {
			return m.Words
		}
	}
	return ""
}
