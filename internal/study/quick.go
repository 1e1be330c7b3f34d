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
	quickBatch      = 16 // samples of a step of BCD Nets
	quickGFlowNet   = 50
	quickWidth      = 16   // of the network of DAG-GFlowNet
	quickIterations = 1000 // of Markov chains, on fifty variables
	quickCandidates = 10   // parents of each variable there
)

// Reduced says what is less in a quick study than in the paper, in lines of a help text.
var Reduced = fmt.Sprintf(`two data sets or splits instead of
ten; %d steps of SVGD instead of 1000 (%d for networks, %d for 50 variables), with the
published inverse temperature and acyclicity penalty at the last; %d steps of BCD Nets (%d
for 50 variables) with %d samples; %d steps of DAG-GFlowNet with a network of width %d; and
%d iterations of the chains on 50 variables, over %d candidate parents of each.`, quickSteps, quickNetworks, quickLarge, quickBCD, quickBCDLarge, quickBatch,
	quickGFlowNet, quickWidth, quickIterations, quickCandidates)

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
	switch engine := m.Settings["engine"]; {
	case engine == "bcd":
		m.Settings["batch"] = strconv.Itoa(quickBatch)
		if large {
			m.take("steps", quickBCDLarge)
		} else {
			m.take("steps", quickBCD)
		}
	case engine == "gflownet":
		m.take("steps", quickGFlowNet)
		m.Settings["prefill"] = strconv.Itoa(quickGFlowNet)
		m.Settings["width"] = strconv.Itoa(quickWidth)
	case m.Settings["alpha-schedule"] != "": // the calibrated recipe is short as it is
	case engine == "svgd" || engine == "dibs":
		steps := quickSteps
		if strings.HasPrefix(m.Settings["model"], "ffn") {
			steps = quickNetworks
		} else if large {
			steps = quickLarge
		}
		m.take("steps", steps)
		m.Settings["alpha-rate"] = strconv.FormatFloat(0.05*publishedSteps/float64(steps), 'g', -1,
			64)
		if engine == "dibs" {
			m.Settings["penalty-rate"] = strconv.FormatFloat(publishedSteps/float64(steps), 'g', -1,
				64)
		}
	case large && (m.Name == "default" || engine == "mcmc"): // which the default is there
		m.Settings["engine"] = "mcmc"
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
