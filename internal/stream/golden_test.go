package stream_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"

	"tobac/internal/stream"
)

// frozenPlaces are the places at which streams are frozen, by their number.
var frozenPlaces = [][][]int{{{}}, {{0}, {1}, {2}, {3}, {5}, {7}},
	{{0, 0}, {2, 5}, {2, 7}, {12, 3}}}

// digest is the hash of what a purpose gives with three seeds: the seed by [stream.Seed], and the
// first three numbers of each stream.
func digest(p stream.Purpose) uint64 {
	h := fnv.New64a()
	for _, seed := range []uint64{0, 42, math.MaxUint64} {
		for _, places := range frozenPlaces[p.Places()] {
			rng := stream.New(seed, p, places...)
			for _, v := range []uint64{stream.Seed(seed, p, places...), rng.Uint64(), rng.Uint64(),
				rng.Uint64()} {
				h.Write(binary.BigEndian.AppendUint64(nil, v))
			}
		}
	}
	return h.Sum64()
}

// A change here changes every published result.
func TestStreamsAreFrozen(t *testing.T) {
	for _, p := range stream.Purposes() {
		if got := digest(p); got != frozen[p] {
			t.Errorf("%v: got %#016x, want %#016x", p, got, frozen[p])
		}
	}
}

var frozen = map[stream.Purpose]uint64{
	stream.SoftGraphs:          0x484b0aa73cbd9737,
	stream.HardGraphs:          0x54432880c5ce8646,
	stream.PenaltyGraphs:       0x34a321e370010f6c,
	stream.InitialParticles:    0xa56be15acb78ebd0,
	stream.FitUnderOrder:       0x5b7bcc06521985cf,
	stream.BootstrapRows:       0xa5550139f9798d03,
	stream.SimulatedGraph:      0xd2f04a4bda15049a,
	stream.SimulatedParameters: 0x8ad3351228e5568c,
	stream.SimulatedTrain:      0x41ec9d702adc4744,
	stream.SimulatedHeldout:    0x0374883bc8ac9580,
	stream.HeldoutRows:         0x2b714158b303b459,
	stream.MCMCStart:           0x551571758bdc85f1,
	stream.MCMCMoves:           0x58e8e1e2c5a15174,
	stream.SachsSplit:          0xefbdfda7fa234ebb,
	stream.Conformance:         0x5bf42fb81bd62daa,
	stream.ConformanceInit:     0x8cd1322ed9929d85,
	stream.GradientDirection:   0xfed220e9c58ba200,
	stream.ExactDraw:           0x92f30487380288d9,
	stream.ExactResample:       0x9ed322d473f9e057,
	stream.PosteriorPart:       0x5c606884b44b0e81,
	stream.Equations:           0xcd912db44eb2d5f7,
	stream.PosteriorOrders:     0x7d594dc11b483d60,
	stream.EquationNoise:       0xf8c289df55588f1f,
	stream.SimulatedEffects:    0xfdb37ad340741b5c,
	stream.FunctionDraw:        0x6f92f69ebb32c30a,
	stream.ImputationRegime:    0xee49a0baca7fbd0d,
	stream.Imputation:          0x968987b4937dbbf5,
	stream.RedrawnValues:       0xbf52c599889aa453,
	stream.ImputedTable:        0x4f529bfc620e6863,
	stream.FunctionFeatures:    0x7d48ed2a9fa43609,
	stream.BCDStart:            0x40fc2a3e5e997ec3,
	stream.BCDNoise:            0x1124872446befb85,
	stream.BCDGumbel:           0x68f9b1179c535ee7,
	stream.BCDDrawNoise:        0x35756939baeeea11,
	stream.BCDDrawGumbel:       0x8b5491e47aacf5e1,
	stream.GFlowNetWeights:     0xa495895da328561e,
	stream.GFlowNetAction:      0x02aff37db6bc7257,
	stream.GFlowNetBatch:       0x2bb7dd06a8291f39,
	stream.GFlowNetDraw:        0xa1683f61f5bb756b,
	stream.StudyRun:            0x774d93cdf5678ae1,
	stream.RandomOrder:         0x99ce7d4559885f9a,
	stream.OutputLayer:         0x9e4af59e9067888b,
	stream.TemperingMoves:      0xb46a6adcd6777949,
	stream.ReweightedDraw:      0xe4444e375ef98766,
	stream.ReweightedEvidence:  0x95a5162694bb49e9,
	stream.BCDRestart:          0x8200c1a80bbb026d,
	stream.BCDJudgeNoise:       0xcb33c8f6399bdfb9,
	stream.BCDJudgeGumbel:      0x12c5bbc659c66228,
	stream.SteinSigns:          0x0a9c47daca2dc4c0,
	stream.ReferenceSeed:       0x11a26d76b6114879,
	stream.TemperingSets:       0x709af1075cc12adf,
	stream.SetStart:            0xb614a286021c864b,
	stream.SetPoints:           0xef8b8ff6d1c05c21,
	stream.NUTSStart:           0xd763bd92a9e1e928,
	stream.NUTSMoves:           0x885c4a7d7f77746d,
	stream.BatchRows:           0x15d2305676136725,
	stream.PriorDraw:           0x5e2a96663104e725,
	stream.PredictiveDraw:      0xa4ff656406b95b49,
	stream.Particles:           0xd614d188dca1a74e,
	stream.ApproximationDraw:   0x64caa7d1e55e496d,
	stream.Langevin:            0xb4adeb2ad26e8ebb,
	stream.CalibrationSet:      0x7bcf44322062eea3,
	stream.GraphSearch:         0xa52a97e4fce3b668,
	stream.SharedCopies:        0x55b77a61cee9d73f,
	stream.TurnedEdges:         0x04f2181cf5cc41eb,
}
