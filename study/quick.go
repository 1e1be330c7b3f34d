package study

// quickRuns is the number of data sets of each section in a quick study.
const quickRuns = 2

// quick is a study with fewer steps.
func quick(s Study) Study { return s }
