package metrics

var (
	AUPRC                    = auprc
	Acyclicity               = acyclicity
	CPDAGSHD                 = cpdagSHD
	CalibrationError         = calibrationError
	Cyclicity                = cyclicity
	LogScore                 = logScore
	NegLL                    = negLL
	AveragePrecision         = averagePrecisionOf
	SkeletonAveragePrecision = skeletonAveragePrecision
)
