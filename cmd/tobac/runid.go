package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"

	"tobac/dataset"
	"tobac/internal/engines"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// sign gives the files of a result the id of their run. It is a checksum of what the run
// was given and what it found, and not of when, where and with how many workers it
// ran: the same run has the same id.
func (r *result) sign(j *job) error {
	h := sha256.New() // its Write never fails
	hashTable(h, "rows", j.train)
	hashTable(h, "held out", j.heldout)
	if j.truth != nil {
		fmt.Fprintf(h, "truth %v\n", j.truth.Edges())
	}
	all := []*posterior.Posterior{r.Posterior}
	if r.particles != nil {
		all = append(all, r.particles.Posterior)
	}
	if r.functions != nil {
		all = append(all, r.functions)
	}
	for _, p := range all {
		p.Run = ""
		if err := p.Write(h); err != nil {
			return err
		}
	}
	r.summary.Run = hex.EncodeToString(h.Sum(nil)[:16])
	for _, p := range all {
		p.Run = r.summary.Run
	}
	return nil
}

// hashTable adds a table, nil for none, to a checksum.
func hashTable(h hash.Hash, what string, t *dataset.Table) {
	if t == nil {
		return
	}
	fmt.Fprintf(h, "%s %s\n", what, dataset.Digest(t.Names, t.X))
	if t.Intervened != nil && mat.Max(t.Intervened) != 0 {
		fmt.Fprintf(h, "interventions %s\n", dataset.Digest(nil, t.Intervened))
	}
}

// tableDigest is a checksum of a table with its marks of interventions.
func tableDigest(t *dataset.Table) string {
	h := sha256.New()
	hashTable(h, "rows", t)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// uses reports whether the settings of a topic play a part in the result.
func (r *result) uses(topic string) bool {
	switch topic {
	case "imputation":
		return r.imputed != nil
	case "order":
		topic = "svgd" // which alone samples under several orders
	default:
		if !slices.Contains(engines.Names(), topic) && !slices.Contains(modelNames(), topic) {
			return true
		}
	}
	return inUse(&r.Config, r.particles != nil, topic)
}

// writeConfig writes what repeats the run, and its id.
func (r *result) writeConfig(w io.Writer) error {
	if err := r.command.WriteConfig(w, r.folder, r.uses); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n# Id of the run: %s\n", r.summary.Run)
	return err
}
