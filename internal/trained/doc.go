// Package trained is the stage of engines that train a distribution over graphs step by step, with
// the checks that its trace allows.
package trained
