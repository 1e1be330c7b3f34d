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
	quickSteps    = 250 // of SVGD
	quickSlow     = 100 // of SVGD on networks and on fifty variables
	quickBCD      = 300
	quickGFlowNet = 50
)

// Reduced says what is less in a quick study than in the paper, in lines of a help text.
var Reduced = fmt.Sprintf(`two data sets or splits instead of
ten, %d steps of SVGD instead of 1000, %d for networks and for 50 variables, at the end of which
the inverse temperature and the penalty of cycles are the published ones, %d steps of BCD Nets,
and %d of DAG-GFlowNet.`, quickSteps, quickSlow, quickBCD, quickGFlowNet)

// quick is a study with fewer steps.
func quick(s Study) Study {
	for i := range s.Sections {
		for k := range s.Sections[i].Rows {
			m := &s.Sections[i].Rows[k].Method
			m.Settings = maps.Clone(m.Settings)
			vars := 0
			if data := s.Sections[i].Data; len(data) > 0 {
				vars = data[0].Vars
			}
			switch {
			case m.Settings["method"] == "bcd":
				m.take("steps", quickBCD)
			case m.Settings["method"] == "gflownet":
				m.take("steps", quickGFlowNet)
				m.Settings["gflownet-prefill"] = strconv.Itoa(quickGFlowNet)
			case m.Settings["engine"] == "svgd":
				steps := quickSteps
				if vars == 50 || strings.HasPrefix(m.Settings["model"], "ffn") {
					steps = quickSlow
				}
				m.take("steps", steps)
				m.Settings["alpha-rate"] = strconv.FormatFloat(0.05*publishedSteps/float64(steps), 'g', -1, 64)
				if m.Settings["method"] == "dibs" {
					m.Settings["penalty-rate"] = strconv.FormatFloat(publishedSteps/float64(steps), 'g', -1, 64)
				}
			}
		}
	}
	return s
}

// publishedSteps are those of SVGD.
const publishedSteps = 1000

// take sets the steps, and says so in the preset.
func (m *Method) take(name string, steps int) {
	m.Settings[name] = strconv.Itoa(steps)
	what, _, named := strings.Cut(m.Preset, ", ")
	if m.Preset = fmt.Sprintf("%d steps", steps); named {
		m.Preset = what + ", " + m.Preset
	}
}

// cost is about how many seconds a cell takes on one core: it decides only what is done first.
func (c Cell) cost() float64 {
	m := c.Method
	size := float64(max(c.Data.Vars, 11)) / 20
	steps, err := strconv.ParseFloat(m.Settings["steps"], 64)
	if err != nil {
		steps = publishedSteps
	}
	switch {
	case m.Kind != FitKind:
		return 0
	case m.Settings["method"] == "bcd":
		return 0.02 * steps * size * size * size
	case m.Settings["method"] == "gflownet":
		return 0.12 * steps * size * size
	case m.Settings["engine"] != "svgd":
		return 15 * size
	}
	seconds := 0.0022 * steps * size * size * size
	if strings.HasPrefix(m.Settings["model"], "ffn") {
		seconds *= 20
	}
	if m.Settings["method"] == "dibs" {
		seconds *= 3
	}
	return seconds
}
