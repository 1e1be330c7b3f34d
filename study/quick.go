package study

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// QuickRuns is the number of data sets, or splits, of each section in a quick study.
const QuickRuns = 2

// The steps of a quick study.
const (
	quickSteps      = 250 // of SVGD
	quickNetworks   = 60  // of SVGD on networks
	quickLarge      = 50  // of SVGD on fifty variables
	quickBCD        = 300
	quickBCDLarge   = 60 // on fifty variables
	quickBatch      = 16 // samples of a step there
	quickGFlowNet   = 50
	quickWidth      = 16   // of the network of DAG-GFlowNet
	quickIterations = 1000 // of Markov chains, on fifty variables
	quickCandidates = 10   // parents of each variable there
)

// Reduced says what is less in a quick study than in the paper, in lines of a help text.
var Reduced = fmt.Sprintf(`two data sets or splits instead of
ten, %d steps of SVGD instead of 1000, %d for networks and %d for 50 variables, at the end of
which the inverse temperature and the penalty of cycles are the published ones, %d steps of
BCD Nets, %d of %d samples for 50 variables, %d steps of DAG-GFlowNet with a
network of width %d, and %d iterations of the chains on 50 variables, over %d candidate
parents of each.`, quickSteps, quickNetworks, quickLarge, quickBCD, quickBCDLarge, quickBatch, quickGFlowNet, quickWidth, quickIterations, quickCandidates)

// quick is a study with fewer steps.
func quick(s Study) Study {
	for i := range s.Sections {
		large := len(s.Sections[i].Data) > 0 && s.Sections[i].Data[0].Vars == 50
		for k := range s.Sections[i].Rows {
			m := &s.Sections[i].Rows[k].Method
			if m.Kind != FitKind {
				continue
			}
			m.Settings = maps.Clone(m.Settings)
			if m.Settings == nil {
				m.Settings = map[string]string{}
			}
			m.quick(large)
		}
	}
	return s
}

// quick takes the settings of a quick study, of fifty variables or fewer.
func (m *Method) quick(large bool) {
	switch {
	case m.Settings["method"] == "bcd":
		if large {
			m.take("steps", quickBCDLarge)
			m.Settings["bcd-batch"] = strconv.Itoa(quickBatch)
		} else {
			m.take("steps", quickBCD)
		}
	case m.Settings["method"] == "gflownet":
		m.take("steps", quickGFlowNet)
		m.Settings["gflownet-prefill"] = strconv.Itoa(quickGFlowNet)
		m.Settings["gflownet-width"] = strconv.Itoa(quickWidth)
	case m.Settings["engine"] == "svgd":
		steps := quickSteps
		if strings.HasPrefix(m.Settings["model"], "ffn") {
			steps = quickNetworks
		} else if large {
			steps = quickLarge
		}
		m.take("steps", steps)
		m.Settings["alpha-rate"] = strconv.FormatFloat(0.05*publishedSteps/float64(steps), 'g', -1, 64)
		if m.Settings["method"] == "dibs" {
			m.Settings["penalty-rate"] = strconv.FormatFloat(publishedSteps/float64(steps), 'g', -1, 64)
		}
	case large && (m.Name == "default" || m.Settings["engine"] == "mcmc"):
		m.take("iterations", quickIterations)
		m.Settings["warm-up"] = strconv.Itoa(quickIterations / 5)
		m.Settings["candidates"] = strconv.Itoa(quickCandidates)
	}
}

// publishedSteps are those of SVGD.
const publishedSteps = 1000

// take sets the steps or iterations, and says so in the preset.
func (m *Method) take(name string, steps int) {
	m.Settings[name] = strconv.Itoa(steps)
	what, _, named := strings.Cut(m.Preset, ", ")
	if m.Preset = fmt.Sprintf("%d %s", steps, name); named {
		m.Preset = what + ", " + m.Preset
	}
}

// CoreSeconds is about how long one core of an AMD EPYC of 2024 takes for the cell. Quick cells were measured; the cells of a full study follow from
// these by their steps. It decides what is done first, and what a quick study can afford.
func (c Cell) CoreSeconds() float64 {
	m := c.Method
	d := float64(c.Data.Vars)
	if c.Data.Source == Sachs {
		d = sachsVars
	}
	setting := func(name string, byDefault float64) float64 {
		if v, err := strconv.ParseFloat(m.Settings[name], 64); err == nil {
			return v
		}
		return byDefault
	}
	const start = 0.2 // reading, judging, writing
	if m.Kind != FitKind {
		return start
	}
	switch engine, steps := m.Settings["engine"], setting("steps", publishedSteps); {
	case m.Settings["method"] == "bcd":
		return start + (64*1.1e-6*steps+1e-3)*d*d
	case m.Settings["method"] == "gflownet": // which draws graphs edge by edge, and knows more of them where there are more rows
		return start + (setting("gflownet-width", 64)*4e-7+6e-5)*(0.8*steps+500)*d*d
	case engine == "svgd":
		step := 1e-5 * d * (8 + d)
		if strings.HasPrefix(m.Settings["model"], "ffn") {
			step = 2e-4 * d * d
		}
		if m.Settings["method"] == "dibs" {
			step *= 4
		}
		return start + steps*step
	case d > exactOverOrders:
		return start + (4+1.2e-3*(setting("iterations", 3000)+600))*d*d/1000
	case m.Name == "default":
		return start + 0.03*d*d
	}
	return start + 0.004*d*d
}
