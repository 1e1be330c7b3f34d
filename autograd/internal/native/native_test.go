package native_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"

	"tobac/autograd/internal/native"
	"tobac/internal/must"
)

// interpret runs the operations one by one in Go.
func interpret(ops []native.Op, m []float64, arrays [][]float64) {
	for _, op := range ops {
		switch op.Code {
		case native.Load:
			copy(m[op.Dst:][:op.N], arrays[op.Array][op.A:])
			continue
		case native.Store:
			copy(arrays[op.Array][op.Dst:], m[op.A:][:op.N])
			continue
		}
		var a, b [4]float64
		for i := range int32(op.N) {
			ai, bi := i, i
			if op.AOne {
				ai = 0
			}
			if op.BOne {
				bi = 0
			}
			a[i] = m[op.A+ai]
			if op.Code <= native.Div {
				b[i] = m[op.B+bi]
			}
		}
		for i := range int(op.N) {
			x, y, at := a[i], b[i], int(op.Dst)+i
			switch op.Code {
			case native.Add:
				m[at] = x + y
			case native.Sub:
				m[at] = x - y
			case native.Mul:
				m[at] = x * y
			case native.Div:
				m[at] = x / y
			case native.Neg:
				m[at] = -x
			case native.Abs:
				m[at] = math.Abs(x)
			case native.Sqrt:
				m[at] = math.Sqrt(x)
			case native.Copy:
				m[at] = x
			}
		}
	}
}

// randomOps draws operations on an arena; most are near each other, so that they share numbers.
func randomOps(rng *rand.Rand, n, arena int) []native.Op {
	ops := make([]native.Op, n)
	for i := range ops {
		op := native.Op{Code: native.Code(rng.IntN(10)), N: uint8(1) << rng.IntN(3),
			AOne: rng.IntN(4) == 0, BOne: rng.IntN(4) == 0}
		where := func() int32 {
			span := arena
			if rng.IntN(2) == 0 {
				span = min(arena, 12)
			}
			return int32(rng.IntN(span - int(op.N) + 1))
		}
		op.Dst, op.A, op.B = where(), where(), where()
		switch op.Code { // arrays are as long as the arena, and written or read
		case native.Load:
			op.AOne, op.Array = false, 0
		case native.Store:
			op.AOne, op.Array = false, int16(1+rng.IntN(2))
		}
		ops[i] = op
	}
	return ops
}

// arrays are three of the same numbers, from the last to the first.
func arrays(start []float64) [][]float64 {
	all := make([][]float64, 3)
	for k := range all {
		all[k] = append([]float64(nil), start...)
		slices.Reverse(all[k])
	}
	return all
}

func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// run compares machine code with Go, in what is kept.
func run(t *testing.T, rng *rand.Rand, n, arena int) {
	t.Helper()
	ops := randomOps(rng, n, arena)
	kept := make([]bool, arena)
	start := make([]float64, arena)
	written := make([]bool, arena)
	for i := range start {
		kept[i] = rng.IntN(2) == 0
		start[i] = rng.NormFloat64()
		if rng.IntN(10) == 0 {
			start[i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(),
				5e-324}[rng.IntN(6)]
		}
	}
	for _, op := range ops {
		for i := range op.N {
			if op.Code == native.Store {
				break
			}
			written[int(op.Dst)+int(i)] = true
		}
	}
	var text native.Text
	f := must.Get(text.Add(ops, arena, func(at int) bool { return kept[at] }, arena, arena,
		arena))(t)
	must.Do(t, text.Seal())
	got, want := append([]float64(nil), start...), append([]float64(nil), start...)
	gotArrays, wantArrays := arrays(start), arrays(start)
	f.RunOn(got, []*float64{&gotArrays[0][0], &gotArrays[1][0], &gotArrays[2][0]})
	interpret(ops, want, wantArrays)
	for k, x := range wantArrays {
		for i := range x {
			if !same(gotArrays[k][i], x[i]) {
				t.Fatalf("%d operations on %d numbers: number %d of array %d is %v, want %v\n%v", n,
					arena, i, k, gotArrays[k][i], x[i], ops)
			}
		}
	}
	for i := range want {
		if (kept[i] || !written[i]) && !same(got[i], want[i]) {
			t.Fatalf("%d operations on %d numbers: number %d is %v, want %v\n%v", n, arena, i,
				got[i], want[i], ops)
		}
	}
}

func available(t testing.TB) {
	if !native.Available() || !cpu.X86.HasAVX2 {
		t.Skip("no machine code here")
	}
}

// Machine code computes the bits of the operations one by one, whatever stays in registers.
func TestRandomOperations(t *testing.T) {
	available(t)
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		run(t, rng, 1+rng.IntN(60), 4+rng.IntN(200))
	}
	run(t, rand.New(rand.NewPCG(1, 2)), 5000, 3000)
	run(t, rand.New(rand.NewPCG(1, 4)), 1<<14+100, 3000) // fetches its code
}

// Functions that are equal but for where some of their arrays lie share code, and compute what
// each of them says.
func TestShared(t *testing.T) {
	available(t)
	const arrays, size = 12, 10
	shared := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 7))
		ops := randomOps(rng, 1+rng.IntN(40), size)
		of := make([][3]int, len(ops)) // arrays of the operands
		for i := range ops {
			if ops[i].Code >= native.Load {
				ops[i].Code = native.Copy
			}
			of[i] = [3]int{rng.IntN(4), rng.IntN(4), rng.IntN(4)}
		}
		var text native.Text
		var funcs []*native.Func
		var lists [][]native.Op
		for range 5 {
			places := rng.Perm(arrays)
			if rng.IntN(2) == 0 {
				places[0] = 0
			}
			own := slices.Clone(ops)
			for i := range own {
				own[i].Dst += int32(size * places[of[i][0]])
				own[i].A += int32(size * places[of[i][1]])
				own[i].B += int32(size * places[of[i][2]])
			}
			f := must.Get(text.Add(own, arrays*size, func(int) bool { return true }))(t)
			funcs, lists = append(funcs, f), append(lists, own)
		}
		must.Do(t, text.Seal())
		shared += len(funcs) - text.Shapes()
		for k, f := range funcs {
			got := make([]float64, arrays*size)
			for i := range got {
				got[i] = rng.NormFloat64()
			}
			want := slices.Clone(got)
			f.Run(got)
			interpret(lists[k], want, nil)
			if !slices.EqualFunc(got, want, same) {
				t.Fatalf("seed %d, function %d of %v:\n%v\nwant\n%v", seed, k, lists[k], got, want)
			}
		}
	}
	if shared < 1000 {
		t.Errorf("%d of 2000 functions share code", shared)
	}
}

// FuzzOperations is TestRandomOperations for any seed.
func FuzzOperations(f *testing.F) {
	f.Add(uint64(1), uint16(20), uint16(30))
	f.Fuzz(func(t *testing.T, seed uint64, n, arena uint16) {
		available(t)
		run(t, rand.New(rand.NewPCG(seed, 3)), int(n%2000), 4+int(arena%2000))
	})
}

// Operations outside of the arena are refused.
func TestRefuses(t *testing.T) {
	for _, op := range []native.Op{
		{Code: native.Add, N: 4, Dst: 7}, {Code: native.Add, N: 4, A: 7},
		{Code: native.Add, N: 4, B: 7}, {Code: native.Add, N: 1, Dst: -1},
		{Code: native.Load, N: 2, A: 4}, {Code: native.Load, N: 2, Array: 1},
		{Code: native.Load, N: 2, Dst: 9}, {Code: native.Store, N: 4, Dst: 2},
		{Code: native.Store, N: 4, A: 8}, {Code: native.Store, N: 1, Array: -1},
		{Code: native.Add, N: 3}, {Code: 99, N: 1}, {Code: native.Add, N: 4, A: 10, AOne: true},
	} {
		if _, err := new(native.Text).Add([]native.Op{op}, 10, func(int) bool {
			return true
		}, 5); err == nil {
			t.Errorf("%+v is compiled", op)
		}
	}
}
