// Package engine is the contract between a fit and what infers its posterior: a [Problem] is what
// is asked, an [Engine] a value with its own settings that takes the problem or refuses it in one
// sentence, a [Stage] the engine at work, which advances, saves and restores, and an [Outcome] the
// posterior with what the engine knows of it. The engines are packages below this one.
package engine
