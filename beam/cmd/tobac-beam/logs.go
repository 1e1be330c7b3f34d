package main

import (
	"context"
	"io"
	"log"
	"log/slog"

	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// logs sets how much the SDK and the embedded runner print; their errors reach the user
// as that of the run.
func logs(verbose bool) {
	if verbose {
		return
	}
	beamlog.SetLogger(silent{})
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(io.Discard)
}

type silent struct{}

func (silent) Log(context.Context, beamlog.Severity, int, string) {}
