package stein

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tobac/internal/delimited"
	"tobac/models"
	"tobac/setting"
	"tobac/svgd"
)

// A KernelFunction is a kernel as a function of the distance of two particles: rbf, imq or imq-BETA
// with a number above 0, such as imq-0.75.
type KernelFunction string

const (
	SquaredExponential  KernelFunction = "rbf" // [svgd.RBF]
	InverseMultiquadric KernelFunction = "imq" // [svgd.IMQ] with c = 1 and β = ½, or BETA
)

// kernel is the function with a rule for its bandwidth. ok is false if there is no such function.
func (f KernelFunction) kernel(rule svgd.BandwidthRule) (k svgd.Kernel, ok bool) {
	switch f {
	case SquaredExponential:
		return svgd.RBF{Bandwidth: rule}, true
	case InverseMultiquadric:
		return svgd.IMQ{Bandwidth: rule}, true
	}
	text, ok := strings.CutPrefix(string(f), "imq-")
	beta, number := delimited.Number(text)
	return svgd.IMQ{Beta: beta, Bandwidth: rule}, ok && number && beta > 0
}

// A Grouping says which coordinates of a block of a particle share a kernel. Each group has its own
// kernel. Where the median heuristic chooses bandwidths, it chooses one for each group.
type Grouping string

const (
	WholeBlock Grouping = "block" // one kernel for all
	// the latents of a variable, the parameters of its equation
	PerVariable Grouping = "variable"
	// each coordinate: each edge, if every edge has its latent
	PerCoordinate Grouping = "coordinate"
	Uncoupled     Grouping = "none" // no kernel: every particle follows its own score
)

// A Coupling is a kernel of SVGD by the function and the groups of coordinates that share one. The
// zero value is the default kernel, see [SVGD].
type Coupling struct {
	Function   KernelFunction
	Latents    Grouping
	Parameters Grouping // zero means as Latents
}

// String is the text form FUNCTION:LATENTS[:PARAMETERS], such as rbf:coordinate:none; "" for the
// zero value.
func (c Coupling) String() string {
	if c == (Coupling{}) {
		return ""
	}
	text := string(c.Function) + ":" + string(c.Latents)
	if c.Parameters != "" {
		text += ":" + string(c.Parameters)
	}
	return text
}

var groupings = []Grouping{WholeBlock, PerVariable, PerCoordinate, Uncoupled}

// parseCoupling reads the text form of a Coupling.
func parseCoupling(text string) (Coupling, error) {
	words := strings.Split(text, ":")
	if len(words) != 2 && len(words) != 3 {
		return Coupling{}, fmt.Errorf("%q, want FUNCTION:LATENTS or FUNCTION:LATENTS:PARAMETERS",
			text)
	}
	c := Coupling{Function: KernelFunction(words[0]), Latents: Grouping(words[1])}
	if _, ok := c.Function.kernel(nil); !ok {
		return c, fmt.Errorf("unknown function %q", words[0])
	}
	if len(words) == 3 {
		c.Parameters = Grouping(words[2])
	}
	for k, w := range words[1:] {
		if !slices.Contains(groupings, Grouping(w)) {
			return c, fmt.Errorf("unknown group %q of the %s", w,
				[...]string{"latents", "parameters"}[k])
		}
	}
	return c, nil
}

// coupled is a Coupling, whose zero stands for the default.
func coupled(v *Coupling, name, usage, byDefault string) *setting.Setting {
	s := setting.Parsed(v, name, usage, byDefault, "FUNCTION:LATENTS:PARAMETERS",
		"rbf, imq or imq-BETA with a number above 0, then what shares a kernel among the "+
			"latents, and, if that differs, among the parameters: block, variable, coordinate or "+
			"none", Coupling.String, parseCoupling)
	s.Why = func(text string) error {
		_, err := parseCoupling(text)
		return err
	}
	return s
}

// groups are the groupings of the blocks.
func (c Coupling) groups() [2]Grouping {
	if c.Parameters == "" {
		return [...]Grouping{c.Latents, c.Latents}
	}
	return [...]Grouping{c.Latents, c.Parameters}
}

// checkCoupling is the error of settings that the coupling replaces.
func (s *SVGD) checkCoupling() error {
	if s.Coupling == (Coupling{}) {
		return nil
	}
	if s.Kernel != nil {
		return fmt.Errorf("kernel %v and a Kernel, want one of the two", s.Coupling)
	}
	groups := s.Coupling.groups()
	if groups == [...]Grouping{Uncoupled, Uncoupled} {
		return fmt.Errorf("kernel %v couples nothing: every particle would climb to its nearest "+
			"mode; want a kernel for latents or parameters", s.Coupling)
	}
	for k, h := range []float64{s.BandwidthZ, s.BandwidthTheta} {
		if h != 0 && groups[k] == Uncoupled {
			return fmt.Errorf("%s %v with kernel %v, which has none there",
				[...]string{"bandwidth-z", "bandwidth-theta"}[k], h, s.Coupling)
		}
	}
	return nil
}

var errOwners = errors.New("a kernel for each variable needs a likelihood that assigns its " +
	"parameters to variables; allowed: block, coordinate and none, or a models.Separate likelihood")

// kernel is the kernel on the particles of a target.
func (s *SVGD) kernel(target *models.TOBAC) (svgd.Kernel, error) {
	if s.Kernel != nil {
		return s.Kernel, nil
	}
	bandwidths := []float64{s.BandwidthZ, s.BandwidthTheta}[:target.Blocks()]
	if s.Coupling == (Coupling{}) {
		return svgd.Additive{Bandwidths: bandwidths}, nil
	}
	var blocks svgd.Blocks
	for b, h := range bandwidths {
		var rule svgd.BandwidthRule // nil means the median
		if h != 0 {
			rule = svgd.Fixed(h)
		}
		kernel, _ := s.Coupling.Function.kernel(rule)
		switch s.Coupling.groups()[b] {
		case PerVariable:
			groups, ok := target.Groups(b)
			if !ok {
				return nil, errOwners
			}
			kernel = svgd.Grouped{Kernel: kernel, Lists: groups}
		case PerCoordinate:
			kernel = svgd.Grouped{Kernel: kernel, Size: 1}
		case Uncoupled:
			kernel = svgd.Alone{}
		}
		blocks = append(blocks, kernel)
	}
	if !slices.ContainsFunc(blocks, func(k svgd.Kernel) bool {
		_, alone := k.(svgd.Alone)
		return !alone
	}) {
		return nil, fmt.Errorf("it has no parameters, and kernel %v couples none of its latents",
			s.Coupling)
	}
	return blocks, nil
}
