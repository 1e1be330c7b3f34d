package cli

// What --truth and --heldout mean, wherever they are accepted.
const (
	TruthUsage   = "true graph to compare with, in a format of tobac convert"
	HeldoutUsage = "held-out rows for the predictive density"
)

// QuietUsage is what --quiet means, wherever it is accepted.
const QuietUsage = "no progress on standard error"

// ForceUsage is what --force means, wherever it is accepted.
const ForceUsage = "write into a folder with other files, and replace files of the same names"

// EditedUsage is what --edited means, wherever it is accepted.
const EditedUsage = "read the folder as it is, where files are not as tobac fit wrote them, or not all of one run"
