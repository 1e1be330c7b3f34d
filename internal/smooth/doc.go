// Package smooth has node scores of smooth equations in closed form, at a cost that does not
// depend on the number of rows:
//
//	x_j = b + Σ_i f_i(x_i) + Σ_ik f_ik(x_i, x_k) + ε,   ε ~ N(0, σ²),
//	f_i = a w x_i + a s Σ_m √λ_m β_m b_im(x_i),         w, β ~ N(0, σ²).
//
// Every column has a few functions b_im, orthogonal over the rows to a straight line and to each
// other: the leading eigenfunctions of a Matérn kernel, with prior variances λ_m ([Basis]). A pair
// of parents has the products of the line and the two leading functions of either. Given the
// amplitudes s of the curves and those of the products, the equation is a Bayesian linear
// regression, whose evidence needs a block of one Gram matrix of all functions ([Data]):
//
//	ln p(x_j | A) = c − ½ ln|I + D^½ G_A D^½| − (α_0 + n/2) ln(β_0 + ½ r),
//	r = x_jᵀx_j − vᵀ (D⁻¹ + G_A)⁻¹ v,   v = Φ_Aᵀ x_j,
//
// where a noise variance of its own is integrated out ([Data.Own]), and −r/(2σ²) in place of the
// last term where one in common is given ([Data.Common]). With s = 0 and without products these
// are [score.NewBGe] and [score.NewLinear].
//
// The amplitude of each parent and of each pair is averaged over a small grid that has 0: the mode
// is found one amplitude after the other, and the others are averaged over given the rest at the
// mode. Scores of sets that were not fitted follow from their most important parents
// ([nodescore.ExtendTable]).
//
// A [Scorer] is safe for concurrent use while [Scorer.Prepare] does not run, and gives the same
// bits from any number of goroutines. Scores panic on a variable or parents that the data do not
// have.
package smooth
