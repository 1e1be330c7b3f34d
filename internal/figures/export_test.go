package figures

// Interval is that of a bin.
func Interval(edges, pairs int) (low, high float64) {
	b := bin{edges: edges, pairs: pairs}
	return b.interval()
}

// SeriesColours are the colours of series.
var SeriesColours = seriesColours
