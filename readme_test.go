package tobac_test

import (
	"os"
	"strings"
	"testing"

	"tobac/internal/must"
)

// The code of docs/library.md is the body of ExampleFit and what it prints, so that both
// are compiled and run.
func TestLibraryExample(t *testing.T) {
	readme := must.Get(os.ReadFile("docs/library.md"))(t)
	source := must.Get(os.ReadFile("example_test.go"))(t)
	_, rest, found := strings.Cut(string(source), "func ExampleFit() {\n")
	if !found {
		t.Fatal("example_test.go has no ExampleFit")
	}
	body, rest, _ := strings.Cut(rest, "\t// Output:\n")
	output, _, _ := strings.Cut(rest, "}\n")
	for _, block := range []struct{ name, text string }{
		{"code", "```go\n" + strings.ReplaceAll("\n"+body, "\n\t", "\n")[1:] + "```\n"},
		{"output", "```\n" + strings.ReplaceAll(output, "\t// ", "") + "```\n"},
	} {
		if !strings.Contains(string(readme), block.text) {
			t.Errorf("docs/library.md does not hold the %s of ExampleFit:\n%s", block.name,
				block.text)
		}
	}
}

// The models of docs/your-own-model.md are those of ExampleConfig_model.
func TestModelPage(t *testing.T) {
	page := must.Get(os.ReadFile("docs/your-own-model.md"))(t)
	source := must.Get(os.ReadFile("examplemodel_test.go"))(t)
	_, rest, _ := strings.Cut(string(source), "type quiet struct{}\n")
	code, _, found := strings.Cut(rest, "\n// A custom model")
	if !found || !strings.Contains(string(page), "```go\ntype quiet struct{}\n"+code+"```\n") {
		t.Errorf("docs/your-own-model.md does not hold the models of ExampleConfig_model:\n%s",
			code)
	}
}
