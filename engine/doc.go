// Package engine is the contract between a fit and what infers its posterior: a [Problem] is what
// is asked, an [Engine] a value with its own settings that takes the problem or refuses it in one
// sentence, a [Stage] the engine at work, which advances, saves and restores, and an [Outcome] the
// posterior with what the engine knows of it. The engines are packages below this one.
//
// An engine of this module that draws graphs leaves the rest to [graphchains.Settle], which
// compares the models, and to [graphchains.Settled.Inference], which makes an outcome of graphs
// with equal weights (a policy, a search) or others (importance sampling, of which
// importance_test.go is a whole engine).
package engine
