package diagnostics

var (
	BulkSize                = bulkSize
	EnergyFraction          = energyFraction
	PotentialScaleReduction = potentialScaleReduction
	TailSize                = tailSize
)
