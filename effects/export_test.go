package effects

var (
	Quantiles = quantiles
	Summarise = summarise
)

func (c Column) Outside(v float64) bool { return c.outside(v) }
