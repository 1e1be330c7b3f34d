package cli

// What --truth and --heldout mean, wherever they are accepted.
const (
	TruthUsage   = "true graph to compare with, in a format of tobac convert"
	HeldoutUsage = "held-out rows for the predictive density"
)

// QuietUsage is what --quiet means, wherever it is accepted.
const QuietUsage = "no progress on standard error"

// ForceUsage is what --force means, wherever it is accepted.
const ForceUsage = "replace files that are there, and write into a folder with others"

// EditedUsage is what --edited means, wherever it is accepted.
const EditedUsage = "accept files that were edited or come from different runs"

// JSONUsage is what --json means, wherever it is accepted.
const JSONUsage = "print JSON instead of text"
