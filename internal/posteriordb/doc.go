// Package posteriordb has 46 posteriors of posteriordb with their data and reference moments:
// what samplers are tried on. [All] lists them. The models are functions of a
// [density.Trace], written as a user would write them.
//
// Data and moments are those of the Stan Developers and their Assignees
// (github.com/stan-dev/posteriordb, commit 28f8d3d, BSD 3-Clause License, see LICENSE.txt),
// restricted to the fields that the models read. Moments, their Monte Carlo errors and
// quantiles are of the 10,000 reference draws; for mcycle_gp-accel_gp they are the
// database's own summary, which has no quantiles.
package posteriordb
