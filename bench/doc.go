// Package bench holds the benchmarks of the whole sampler step, and long tests of what inference is
// worth. `tobac reproduce` runs the experiments of the paper, which are in package study.
//
// # Long tests
//
// What the default and the engines are worth, with the table of bench/notes/results.md, is told by
//
//	go test ./bench -run TestPosteriorTable -long -update -v -timeout 120m
//	go test ./bench -run TestChains -long -v -timeout 60m
//	go test ./bench -run TestListedProbabilities -long -v -timeout 30m
//
// Short versions run among the ordinary tests: TestPosteriorTable and TestQuality have
// bands on figures that a user would miss, TestSimulationBasedCalibration draws graphs, parameters
// and data from the prior.
//
// TestHostileTables asks every model, engine and method about tables that suit none, with the table
// of bench/notes/hostile.md, by
//
//	go test ./bench -run TestHostileTables -long -v -timeout 120m
//
// # Benchmarks
//
// BenchmarkStep times one SVGD step of the published linear set-up (n = 100,
// M = 30, S = 128, joint estimator, α = 10), gradients, kernel and optimiser
// together, on each engine of package autograd. The compiled engine uses
// GOMAXPROCS goroutines, reported as "workers"; the others use one. Tests check that all
// engines compute the same scores on this problem.
//
// bench/README.md lists all benchmarks, their names and metrics, and says how to compare two
// versions and how to profile; bench/compare compares the working tree with a commit. To
// compare the engines with each other (the slow ones take seconds per step):
//
//	go test ./bench -run '^$' -bench Step -count 10 -benchtime 3x -timeout 60m > engines.txt
//	go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da -col /engine engines.txt
//
// With -cpu 1 the compiled engine runs on one core.
//
// BenchmarkGrowth times the step over variables, rows, particles, samples and workers, one
// parameter at a time, and BenchmarkPreparation what the linear model does with its rows once.
// BenchmarkGrowthOfDensities does the same with densities whose size grows, of which a test prints
// exponents, and another test says where the time of a score goes; they assert nothing about times:
//
//	go test ./bench -run TestGrowthOfDensities -long -v -timeout 30m
//	go test ./bench -run TestStepProfile -long -v
//
// BenchmarkDensity and TestDensityTable time fourteen densities that the compiler knows nothing
// special about, some in several spellings; bench/notes/densities.md has the table:
//
//	go test ./bench -run TestDensityTable -long -v -timeout 60m
//
// BenchmarkExact, BenchmarkChains and BenchmarkFit time the engines that need no gradient, and the
// main job; BenchmarkCompile times how long a target takes until it can be evaluated,
// BenchmarkOrder causal orders. What a result is worth is reported beside its time.
package bench
