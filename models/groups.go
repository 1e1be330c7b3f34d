package models

import "slices"

// Separate is implemented by likelihoods that say which parameters are whose, so that
// those of a variable can share a kernel, see [TOBAC.Groups].
type Separate interface {
	// Owners lists, for each parameter, the variable whose term it enters.
	Owners() []int
}

var (
	_ Separate = (*linear)(nil)
	_ Separate = (*feedForward)(nil)
	_ Separate = (*integratedNetwork)(nil)
)

// Owners implements [Separate]: the weight of i → j is j's.
func (l *linear) Owners() []int {
	owners := make([]int, l.ParamLen())
	for i := range l.d {
		for j := range l.d {
			owners[l.EdgeWeight(i, j)] = j
		}
	}
	return owners
}

// Owners implements [Separate].
func (f *feedForward) Owners() []int { return f.owners(f.layers) }

// Owners implements [Separate].
func (v *integratedNetwork) Owners() []int {
	return v.net.owners(v.net.layers[:len(v.net.layers)-1])
}

// owners are those of the parameters of some layers and of the noise variances behind them.
func (f *feedForward) owners(layers []layer) (owners []int) {
	each := func(count int) {
		for j := range f.d {
			owners = append(owners, slices.Repeat([]int{j}, count)...)
		}
	}
	for _, l := range layers {
		each(l.in * l.out)
		if l.biases >= 0 {
			each(l.out)
		}
	}
	each(f.noise.params() / f.d)
	return owners
}

// owners lists the variable of each latent number: i of u_i, j of v_j, and the child of a score of
// its own.
func (e embedding) owners() []int {
	owners := make([]int, e.latentLen())
	if e.latents != Factors {
		for p, cell := range e.cells() {
			owners[p] = cell % e.d
		}
		return owners
	}
	shift := e.d - e.rows() // v of row j is that of variable j+1 along an order
	for i := range owners {
		owners[i] = i/(2*e.k) + i%2*shift
	}
	return owners
}

// Blocks is the number of blocks of a particle: Z alone where the likelihood has no parameters,
// else Z and Θ.
func (t *TOBAC) Blocks() int { return t.blocks() }

// Groups lists the coordinates of each variable in a block: of Z (0) the latents of the variable,
// of Θ (1) the parameters of its equation. ok is false for Θ where the likelihood is not
// [Separate]. It panics unless there is such a block.
func (t *TOBAC) Groups(block int) (groups [][]int, ok bool) {
	if block < 0 || block >= t.blocks() {
		panic("models: groups of a block that does not exist")
	}
	if block == 0 {
		return byOwner(t.emb.owners()), true
	}
	lik, ok := t.lik.(Separate)
	if !ok {
		return nil, false
	}
	return byOwner(lik.Owners()), true
}

// byOwner lists the indices of each owner that has some.
func byOwner(owners []int) (groups [][]int) {
	groups = make([][]int, slices.Max(owners)+1)
	for i, j := range owners {
		groups[j] = append(groups[j], i)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
}
