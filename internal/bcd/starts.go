package bcd

import (
	"math"
	"slices"

	"tobac/internal/stream"
)

// judgeSamples is the number of samples that the ELBO of a start is averaged over.
const judgeSamples = 1024

// startOf is the start that a step belongs to, counted from 0, with the steps before
// it and those up to its end. After the last step it is the last start.
func (s *Settings) startOf(step int) (start, from, to int) {
	for {
		from, to = s.Steps*start/s.Starts, s.Steps*(start+1)/s.Starts
		if step < to || start == s.Starts-1 {
			return start, from, to
		}
		start++
	}
}

// ELBOs are those at the ends of the starts that are finished, with the same noise
// for all; nil if there is only one start.
func (m *Model) ELBOs() []float64 { return slices.Clone(m.elbos) }

// turn ends a start at its last step: its ELBO is kept, and its parameters if no start
// before had a higher one. Then the next start begins, or the best one is taken.
func (m *Model) turn() error {
	start, _, to := m.settings.startOf(m.step - 1)
	if m.settings.Starts == 1 || m.step < to {
		return nil
	}
	elbo, err := m.judge()
	if err != nil {
		return err
	}
	if start == 0 || elbo > slices.Max(m.elbos) {
		m.best = slices.Clone(m.parameters)
	}
	m.elbos = append(m.elbos, elbo)
	if m.step == m.settings.Steps {
		m.parameters, m.best = m.best, nil
		return nil
	}
	m.parameters = initial(m.arrays, stream.New(m.seed, stream.BCDRestart, start+1))
	m.optimizer = newAdaBelief(len(m.parameters))
	m.before, m.inARow = m.skipped, 0
	return nil
}

// judge is the ELBO at the temperature of the draws. Samples without a result do not
// count; the smallest number stands for a start that has no others.
func (m *Model) judge() (float64, error) {
	sum, count := 0.0, 0
	for from := 0; from < judgeSamples; from += m.settings.Batch {
		src := m.feeds(m.settings.EvaluationTemperature, stream.BCDJudgeNoise,
			stream.BCDJudgeGumbel, func(i int) []int { return []int{from + i} })
		if err := failure(m.values.Eval([][]float64{m.hard, m.soft}, src)); err != nil {
			return 0, err
		}
		for _, v := range m.hard[:min(m.settings.Batch, judgeSamples-from)] {
			if finite(v) {
				sum += v
				count++
			}
		}
	}
	if count == 0 {
		return -math.MaxFloat64, nil
	}
	return sum / float64(count), nil
}
