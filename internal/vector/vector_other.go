//go:build purego || !amd64

package vector

func assembled() []Set { return nil }

const missing = "vector: assembly is not part of this build"

func maxAVX2(*float64, int) float64 { panic(missing) }

func uniformAVX2(*float64, int, *Stream) { panic(missing) }

func panelAVX2(*panel) { panic(missing) }

func panelAVX512(*panel) { panic(missing) }

func innerAVX2(_ *[gramRows * tileRows]float64, _, _, _, _, _, _ *float64, _ int, _ *uint64) {
	panic(missing)
}

func rowsAVX2(_, _ *float64, _, _ int, _ *float64, _ int, _ *uint64) { panic(missing) }

func addAVX2(_, _, _ *float64, _ int) { panic(missing) }

func subAVX2(_, _, _ *float64, _ int) { panic(missing) }

func mulAVX2(_, _, _ *float64, _ int) { panic(missing) }

func shiftAVX2(_, _ *float64, _ float64, _ int) { panic(missing) }

func scaleAVX2(_, _ *float64, _ float64, _ int) { panic(missing) }

func gatherAVX2(_, _ *float64, _ *int32, _ int) { panic(missing) }

func addScaledAVX2(_, _, _ *float64, _ int, _ float64) { panic(missing) }

func scaledSumAVX2(_, _, _ *float64, _ int, _ float64) { panic(missing) }

func scaleByRMSAVX2(_, _ *float64, _ int, _, _, _, _ float64) { panic(missing) }

func finiteAVX2(*float64, int) bool { panic(missing) }
