package cli

// What stands for a path where there is none.
const (
	EmbeddedSachs = "sachs (embedded)"
	StandardInput = "standard input"
)

// DataLabel is the name of a data file in messages.
func DataLabel(path string) string {
	if path == "-" {
		return StandardInput
	}
	return path
}
