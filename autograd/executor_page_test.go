package autograd_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/passes"
	"tobac/internal/must"
)

var update = flag.Bool("update", false, "write what the compiler prints into autograd/executor.md")

// likelihood is that of four variables with a relaxed graph, up to constants.
func likelihood(b *ad.Builder) (inputs, outputs []*ad.Node) {
	particle, sample := b.Axis("particle", 30), b.Axis("sample", 128)
	logit := b.Input("logit", ad.Shape{6}, particle) // one per pair i < j
	theta := b.Input("theta", ad.Shape{4, 4}, particle)
	u := b.Uniform("u", ad.Shape{6}, particle, sample)
	r := b.Constant([]float64{4, 2, 1, 3, 0, 3, 1, 2, 0, 0, 2, 1, 0, 0, 0, 5}, ad.Shape{4, 4})
	eye := b.Constant([]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, ad.Shape{4, 4})

	g := logit.SigmoidShift(u).ScatterAdd(ad.StrictUpper(4), ad.Shape{4, 4})
	e := r.MatMul(eye.Sub(g.Mul(theta)))
	y := e.Square().Sum().Scale(-5).LogMeanExpOver(sample)
	return []*ad.Node{logit, theta, u}, append(b.Grad(y, logit, theta), y)
}

// withoutSamples is the same with the probabilities of the edges in place of a graph drawn
// from them: particles are a lone axis.
func withoutSamples(b *ad.Builder, particles int) (inputs, outputs []*ad.Node) {
	particle := b.Axis("particle", particles)
	logit := b.Input("logit", ad.Shape{6}, particle)
	theta := b.Input("theta", ad.Shape{4, 4}, particle)
	r := b.Constant([]float64{4, 2, 1, 3, 0, 3, 1, 2, 0, 0, 2, 1, 0, 0, 0, 5}, ad.Shape{4, 4})
	eye := b.Constant([]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, ad.Shape{4, 4})

	g := logit.Sigmoid().ScatterAdd(ad.StrictUpper(4), ad.Shape{4, 4})
	y := r.MatMul(eye.Sub(g.Mul(theta))).Square().Sum().Scale(-5)
	return []*ad.Node{logit, theta}, append(b.Grad(y, logit, theta), y)
}

// TestExecutorPage: autograd/executor.md shows what the compiler prints, and the code that it
// is printed for. With -update it writes what is printed into the page.
func TestExecutorPage(t *testing.T) {
	name := "executor.md"
	text := must.Get(os.ReadFile(name))(t)
	page := string(text)
	for what, want := range shown(t) {
		block := regexp.MustCompile("(?s)<!-- " + what + ", by TestExecutorPage -->\n```\n.*?```\n")
		at := block.FindStringIndex(page)
		if at == nil {
			t.Errorf("the page has no place for %q", what)
			continue
		}
		want = "<!-- " + what + ", by TestExecutorPage -->\n```\n" + want + "```\n"
		if got := page[at[0]:at[1]]; got != want && !*update {
			t.Errorf("%s: the page has\n%swant\n%s", what, got, want)
		}
		page = page[:at[0]] + want + page[at[1]:]
	}
	if *update && page != string(text) {
		must.Do(t, os.WriteFile(name, []byte(page), 0o644))
	}
	checkPageCode(t, page)
}

// checkPageCode: blocks of Go on the page are parts of these files.
func checkPageCode(t *testing.T, page string) {
	t.Helper()
	source := ""
	for _, file := range []string{"executor_page_test.go", "example_primitive_test.go"} {
		text := must.Get(os.ReadFile(file))(t)
		source += string(text)
	}
	for _, block := range strings.Split(page, "```go\n")[1:] {
		if code, _, _ := strings.Cut(block, "```"); !strings.Contains(source, code) {
			t.Errorf("this code of the page is in no test:\n%s", code)
		}
	}
}

// shown is what the page shows, by name. Programs are those of the kernels in assembly.
func shown(t *testing.T) map[string]string {
	t.Helper()
	b := ad.NewBuilder("linear")
	inputs, outputs := likelihood(b)
	f := lowered(t, inputs, outputs)
	s := map[string]string{"function": f.String()}
	before := passes.Split(f)[0].F.String()
	p := must.Get(exec.Compile(f, exec.Options{}, func(p passes.Pass, f *ir.Func) {
		after := f.String()
		if err := f.Verify(); err != nil {
			t.Errorf("after %s: %v", p.Name, err)
		}
		switch p.Name {
		case "constant-folding":
			s[p.Name] = foldedValues(f)
		case "structural-zeros":
			s[p.Name] = supports(f)
		case "algebraic-simplification":
			s[p.Name] = changes(before, after)
		default:
			s[p.Name] = after
		}
		before = after
	}))(t)

	mean := outputs[2].MeanOver(outputs[2].Axes()[0])
	parts := passes.Split(lowered(t, inputs, append(outputs, mean)))
	last := parts[len(parts)-1].F
	s["parts"] = titles(parts) + last.String()
	s["flattened"] = passes.Flatten(last, 0).String()

	if ad.Kernels() == "portable" { // has narrower tiles
		return s
	}
	s["layout"], s["program"] = ofKernels(p.Explain()), ofKernels(p.String())
	s["strips"] = ofKernels(compiled(t, 30).Explain())
	alone := compiled(t, 1)
	s["dense layout"], s["dense program"] = ofKernels(alone.Explain()), ofKernels(alone.String())
	return s
}

// compiled is the program without samples.
func compiled(t *testing.T, particles int) *ad.Program {
	t.Helper()
	p := must.Get(ad.Compile(withoutSamples(ad.NewBuilder("soft"), particles)))(t)
	return p
}

func lowered(t *testing.T, inputs, outputs []*ad.Node) *ir.Func {
	t.Helper()
	f := must.Get(ad.Lower(inputs, outputs))(t)
	return f
}

// ofKernels names the kernels of the page.
func ofKernels(s string) string {
	return strings.ReplaceAll(s, "kernels "+ad.Kernels(), "kernels avx2")
}

// titles says what the parts go through and return.
func titles(parts []passes.Part) string {
	var s strings.Builder
	for i, p := range parts {
		loop := "once"
		if p.Loop != nil {
			loop = "for each " + p.Loop.Name()
		}
		fmt.Fprintf(&s, "part %d, %s:", i, loop)
		for _, v := range p.From {
			fmt.Fprintf(&s, " %s", v.Name)
		}
		s.WriteString(" →")
		for _, v := range p.To {
			fmt.Fprintf(&s, " %s", v.Name)
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// foldedValues are those that have an operation and are known.
func foldedValues(f *ir.Func) string {
	var s strings.Builder
	for _, v := range f.Values {
		if v.Op != nil && v.Const != nil {
			fmt.Fprintf(&s, "  %%%d = %s is known: %v\n", v.ID, f.Describe(v), v.Const)
		}
	}
	return s.String()
}

// supports lists the values with elements that are zero whatever the inputs.
func supports(f *ir.Func) string {
	var s strings.Builder
	for _, v := range f.Values {
		n := 0
		for _, nonzero := range v.Support {
			if nonzero {
				n++
			}
		}
		if n < len(v.Support) {
			fmt.Fprintf(&s, "  %%%d = %s: %d of %d elements may differ from zero\n", v.ID,
				f.Describe(v), n, len(v.Support))
		}
	}
	return s.String()
}

// changes lists the lines that have gone, after a minus, and those that have come, after a
// plus, whatever their numbers.
func changes(before, after string) string {
	number := regexp.MustCompile(`%\d+`)
	without := func(text, other string) []string {
		var lines []string
		other = number.ReplaceAllString(other, "%")
		for _, line := range strings.SplitAfter(text, "\n") {
			if !strings.Contains(other, number.ReplaceAllString(line, "%")) {
				lines = append(lines, line)
			}
		}
		return lines
	}
	s := ""
	for _, line := range without(before, after) {
		s += "-" + line
	}
	for _, line := range without(after, before) {
		s += "+" + line
	}
	return s
}
