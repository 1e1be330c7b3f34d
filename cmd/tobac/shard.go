package main

import (
	"github.com/spf13/pflag"

	"tobac/jobs"
)

// shardValue is a part of a list of jobs.
func shardValue(value *jobs.Shard) pflag.Value {
	return &bounded[jobs.Shard]{value, "i/N", "a part i and a number of parts N, as in 2/4, with i from 1 to N", func(text string) (jobs.Shard, bool) {
		s, err := jobs.ParseShard(text)
		return s, err == nil
	}}
}
