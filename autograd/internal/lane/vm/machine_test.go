package vm_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/autograd/internal/lane/vm"
	_ "tobac/internal/unwritten"
	"tobac/internal/vector"
)

// Lanes count whose weight e^x is at least 2⁻⁵³ of the largest.
func TestSelect(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x    []float64
		want []int32
	}{
		{[]float64{0, -36, -37, -1000}, []int32{0, 1}}, // 53 ln 2 = 36.74
		{[]float64{-36.7, 0}, []int32{0, 1}},
		{[]float64{0, -inf}, []int32{0}},
		{[]float64{-inf, -inf}, []int32{0, 1}}, // no weight is larger than another
		{[]float64{nan, 0, 1}, []int32{0, 1, 2}},
		{[]float64{inf, 0}, []int32{0}},
		{[]float64{-90, 0, -90, -1}, []int32{1, 3}},
	} {
		for _, set := range vector.Available() {
			x := vm.New(set, nil, vm.Size{Width: 8, Full: 2})
			copy(x.Full[8:], c.x)
			if got := x.Select(1, len(c.x), 53*math.Ln2); !slices.Equal(got, c.want) {
				t.Errorf("%v: of %v count %v, want %v", set, c.x, got, c.want)
			}
		}
	}
}

// A group on selected lanes sums over them what one on all lanes sums over all, with the
// others at zero.
func TestRunPacked(t *testing.T) {
	const width, lanes = 24, 21
	for _, set := range vector.Available() {
		arena := []float64{3, 0, 0, 0}
		x := vm.New(set, arena, vm.Size{Width: width, Full: 2, Packed: 2})
		want := 0.0
		var selected []int32
		for l := range lanes {
			x.Full[l], x.Full[width+l] = float64(l), -100
			if l%3 == 1 {
				x.Full[width+l] = 0
				want += 3 * float64(l)
				selected = append(selected, int32(l))
			}
		}
		g := &vm.Group{Code: []vm.Op{
			{Code: vm.Gather, Dst: 0, A: 0}, {Code: vm.Scale, Dst: 1, A: 0, B: 0},
			{Code: vm.Sum, Dst: 1, A: 1}, {Code: vm.SumConst, Dst: 2, A: 0}, {Code: vm.End},
		}}
		chosen := x.Select(1, lanes, 53*math.Ln2)
		if !slices.Equal(chosen, selected) {
			t.Fatalf("%v: got the lanes %v, want %v", set, chosen, selected)
		}
		x.RunPacked(g, chosen)
		if arena[1] != want || arena[2] != 3*float64(len(selected)) {
			t.Errorf("%v: got the sums %v, want %v and %v", set, arena[1:3], want, 3*len(selected))
		}
		if x.Full[0] != 0 || x.Full[1] != 1 {
			t.Errorf("%v: registers of all lanes have changed: %v", set, x.Full)
		}
	}
}

// The factors of sigmoid shifts are those of σ(x + logit u), for any x.
func TestShiftFactors(t *testing.T) {
	for _, set := range vector.Available() {
		var offsets []int32
		var arena []float64
		for i := range 150 {
			offsets = append(offsets, int32(149-i))
			arena = append(arena, float64(i-75)*10.1)
		}
		arena = append(arena, make([]float64, 300)...)
		x := vm.New(set, arena, vm.Size{Width: vm.VectorLen})
		x.ShiftFactors(150, offsets)
		for i, off := range offsets {
			v, p, q := arena[off], arena[150+2*i], arena[151+2*i]
			if max(p, q) != 1 || !(math.Abs(math.Exp(-math.Abs(v))-min(p, q)) <= 1e-15*min(p, q)) ||
				(v >= 0) != (p == 1) {
				t.Errorf("%v: %v has the factors %v and %v", set, v, p, q)
			}
		}
	}
}

// Verify accepts a sound group and names the operation that is not.
func TestVerify(t *testing.T) {
	tile := func(edit func(t []int32)) []int32 {
		args := make([]int32, vm.TileHead+1)
		args[vm.TileJoint], args[vm.TileRows] = 1, 2
		args[vm.TileDst], args[vm.TileDst+1] = 2, 3
		edit(args)
		return args
	}
	block := make([]int32, vm.BlockHead+vm.BlockTerm)
	block[vm.BlockHeight], block[vm.BlockWidth] = 4, 4
	for i := vm.BlockDst; i < vm.BlockHead; i++ {
		block[i] = 3
	}
	for _, c := range []struct {
		name   string
		code   []vm.Op
		args   []int32
		packed bool
		want   string
	}{
		{"nothing", nil, nil, false, "no operations"},
		{"sum", []vm.Op{{vm.Add, 2, 0, 1}, {vm.Sum, 3, 2, 0}}, nil, false, ""},
		{"no end", []vm.Op{{vm.Copy, 2, 0, 0}}, nil, false,
			"operation 0 of 1: got copy, want end as the last one"},
		{"early end", []vm.Op{{vm.End, 0, 0, 0}, {vm.Copy, 2, 0, 0}}, nil, false,
			"operation 0 of 3: got end"},
		{"unknown", []vm.Op{{vm.Codes, 0, 0, 0}}, nil, false,
			fmt.Sprintf("got code %d, want one below", vm.Codes)},
		{"register too large", []vm.Op{{vm.Add, 2, 0, 4}}, nil, false,
			"operation 0, add 2 0 4: register 4, of which there are 4"},
		{"result too large", []vm.Op{{vm.Add, 4, 0, 1}}, nil, false, "register 4"},
		{"negative register", []vm.Op{{vm.Add, 2, 0, -1}}, nil, false, "register -1"},
		{"gathered", []vm.Op{{vm.Gather, 0, 1, 0}, {vm.Copy, 1, 0, 0}}, nil, true, ""},
		{"number of an operation before", []vm.Op{{vm.LogSumExp, 9, 0, 8}, {vm.Scale, 2, 0, 9}},
			nil, false, ""},
		{"second result", []vm.Op{{vm.LogSumExp, 8, 0, 9}}, nil, false, "numbers 9 to 11"},
		{"number", []vm.Op{{vm.Scale, 2, 0, 10}}, nil, false,
			"numbers 10 to 11, of which there are 10"},
		{"second number", []vm.Op{{vm.SigmoidShift, 2, 0, 9}}, nil, false, "numbers 9 to 11"},
		{"result", []vm.Op{{vm.Sum, 10, 0, 0}}, nil, false, "numbers 10 to 11"},
		{"stream", []vm.Op{{vm.Draw, 2, 1, 0}}, nil, false, "streams 1 to 2"},
		{"function", []vm.Op{{vm.Unary, 2, 0, 0}}, nil, false, "unary functions 0 to 1"},
		{"binary function", []vm.Op{{vm.Binary, 2, 0, 0}}, []int32{1, 0}, false,
			"binary functions 0 to 1"},
		{"pool", []vm.Op{{vm.Where, 2, 0, 1}}, []int32{0, 1}, false,
			"operands at 1 lie outside the pool of 2"},
		{"dot", []vm.Op{{vm.Dot, 2, 0, 2}}, []int32{0, 5, 1, 6}, false, ""},
		{"no terms", []vm.Op{{vm.Dot, 2, 0, 0}}, nil, false, "0 terms"},
		{"dot of its result", []vm.Op{{vm.Copy, 2, 0, 0}, {vm.Dot, 2, 0, 2}}, []int32{0, 5, 2, 6},
			false, "register 2 is written before all operands are read"},
		{"tile", []vm.Op{{vm.Tile, 0, 0, 0}}, tile(func([]int32) {}), false, ""},
		{"rows of another set", []vm.Op{{vm.Tile, 0, 0, 0}}, tile(func(t []int32) {
			t[vm.TileRows] = 4
		}), false, "a tile of 4 rows, want 2 for kernels portable"},
		{"rows that there are not", []vm.Op{{vm.Tile, 0, 0, 0}}, tile(func(t []int32) {
			t[vm.TileJoint], t[vm.TileExtra+3] = -1, 1
		}), false, "a tile of -1 joint registers"},
		{"panel", []vm.Op{{vm.Tile, 0, 0, 0}}, tile(func(t []int32) { t[vm.TilePanel] = 9 }), false,
			"numbers 9 to 11"},
		{"part of a tile", []vm.Op{{vm.Tile, 0, 3, 0}}, tile(func([]int32) {}), false,
			"outside the pool"},
		{"block", []vm.Op{{vm.Block, 3, 0, 1}}, block, false, ""},
		{"block without buffer", []vm.Op{{vm.Block, 3, 0, 9}},
			append(slices.Clone(block), make([]int32, 8*vm.BlockTerm)...), false,
			"9 terms take a buffer of 88"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &vm.Group{Code: c.code, Args: c.args}
			if len(c.code) > 0 && c.name != "no end" {
				g.Code = append(g.Code, vm.Op{Code: vm.End})
			}
			b := vm.Bounds{Set: vector.Portable, Size: vm.Size{Width: 8, Full: 4, Packed: 2,
				Buffer: 30, Streams: 1}, Numbers: 10}
			err := g.Verify(b, c.packed)
			if c.want == "" && err != nil || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
		})
	}
}

func TestNewPanics(t *testing.T) {
	for _, width := range []int{0, -8, 12} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a width of %d: got a machine, want a panic", width)
				}
			}()
			vm.New(vector.Portable, nil, vm.Size{Width: width})
		}()
	}
}
