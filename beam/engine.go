package beam

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow" // registers itself
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"    // registers itself
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"    // registers itself
	"tobac/beam/internal/hub"
	"tobac/internal/jobs"
)

// Runners are those that an Engine knows. flink is universal by another name.
var Runners = []string{"prism", "flink", "universal", "dataflow"}

// An Engine does jobs on a runner of Apache Beam.
type Engine struct {
	// Runner is one of Runners. "" means universal where the SDK's option --endpoint is set, else
	// prism.
	Runner string
	// Listen is where workers reach this program, host and port (0: any). "" means this machine
	// alone where the workers are in this process or the endpoint is on this machine; else the
	// address from which this machine reaches the endpoint.
	Listen string
	// Workers is the number of jobs that a process does at a time. 0: its processors.
	Workers int
	// Attempts is how often a job is begun that fails, or whose worker dies. Defaults to 3.
	Attempts int
	// Say, nil for none, is told in sentences of workers that come and go, and of how many attempts
	// were made, from one goroutine at a time.
	Say func(string)
}

var _ jobs.Remote = Engine{}

// StandIns implements [jobs.Remote].
func (e Engine) StandIns(f jobs.Functions) jobs.Functions { return hub.StandIns(f) }

// grace is how long a cancelled pipeline may take to end by itself.
const grace = 30 * time.Second

// Run implements [jobs.Engine]; it is called by [jobs.Do], since f must be stand-ins. What workers
// do is the functions of [Init]. It is an error if a worker was refused or the runner gave up, and
// then names what the runner said. It panics for negative numbers, an unknown runner, and without
// Init.
func (e Engine) Run(ctx context.Context, f jobs.Functions, list []jobs.Job,
	done func(i int, output []byte, err error)) error {
	if e.Workers < 0 || e.Attempts < 0 {
		panic(fmt.Sprintf("beam: %d workers, %d attempts", e.Workers, e.Attempts))
	}
	if functions == nil {
		panic("beam: Run before Init")
	}
	if len(list) == 0 {
		return ctx.Err()
	}
	listen, err := e.listen()
	if err != nil {
		return err
	}
	h, err := hub.New(listen, f, list, e.Attempts, done, e.Say)
	if err != nil {
		return fmt.Errorf("cannot listen for workers: %w", err)
	}
	defer h.Close()
	defer forget(h.Secret())
	defer h.End()
	defer context.AfterFunc(ctx, h.End)()
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	if e.Say != nil {
		defer func() { e.Say(fmt.Sprintf("%d attempts at %d jobs", h.Begun(), len(list))) }()
	}
	do := &doJobs{Address: net.JoinHostPort(host, strconv.Itoa(h.Address().Port)),
		Secret: h.Secret(), Workers: e.Workers}
	for {
		before := h.Left()
		err := e.pipeline(ctx, h, do, len(list))
		h.Settle()
		left := h.Left()
		switch {
		case left == 0:
			return nil // whatever the runner says: every job has ended
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case h.Refused() != nil:
			return h.Refused()
		case left == before && err == nil:
			return fmt.Errorf("runner %s ended without having done %d of %d jobs", e.runner(), left,
				len(list))
		case left == before:
			return fmt.Errorf("runner %s gave up; %d of %d jobs are not done: %w", e.runner(), left,
				len(list), err)
		}
	}
}

func (e Engine) runner() string {
	switch {
	case e.Runner != "":
		return e.Runner
	case *jobopts.Endpoint != "" && !embedded:
		return "universal"
	}
	return "prism"
}

// embedded is whether the endpoint is that of the prism of this process, which sets
// the option when it starts.
var embedded bool

// Times without a worker after which a pipeline is given up. prism does not always notice that the
// process it started has ended, or has never begun; on a cluster the first worker may have to wait
// for its place, and one that is lost is replaced.
const (
	prismNone, prismGone = time.Minute, 5 * time.Second
	clusterGone          = 2 * time.Minute
)

var errDeserted = errors.New("no worker is there: the processes that it should start have ended, " +
	"or did not begin; --verbose says what it says")

// pipeline runs the pipeline once.
func (e Engine) pipeline(ctx context.Context, h *hub.Hub, do *doJobs, n int) error {
	none, gone := time.Duration(0), clusterGone
	if e.runner() == "prism" {
		none, gone = prismNone, prismGone
		embedded = embedded || *jobopts.Endpoint == ""
	}
	// The runner is not cancelled: the hub tells its workers that the run has ended, and
	// the pipeline ends with them, in order. Where it does not, this process leaves it.
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(grace, func() { cancel(context.Cause(ctx)) })
	})()
	go func() {
		if h.Deserted(running, none, gone) {
			cancel(errDeserted)
		}
	}()
	p, s := sdk.NewPipelineWithRoot()
	numbers := sdk.ParDo(s, &allNumbers{N: n}, sdk.Impulse(s))
	// The output is empty, and nobody needs it: while a stage without one finishes its
	// bundle, prism 2.77 waits for it in a loop that takes a processor.
	sdk.Reshuffle(s, sdk.ParDo(s, do, sdk.Reshuffle(s, numbers)))
	_, err := sdk.Run(running, e.runner(), p)
	if cause := context.Cause(running); cause != nil {
		return cause
	}
	return err
}

// listen is the address at which the hub listens, which workers can reach.
func (e Engine) listen() (string, error) {
	if e.Listen != "" {
		return e.Listen, nil
	}
	endpoint := *jobopts.Endpoint
	if e.runner() == "prism" || jobopts.IsLoopback() || endpoint == "" {
		return "127.0.0.1:0", nil
	}
	conn, err := net.Dial("udp", endpoint) // sends nothing
	if err != nil {
		return "", fmt.Errorf("--endpoint %s: %w", endpoint, err)
	}
	defer conn.Close()
	return net.JoinHostPort(conn.LocalAddr().(*net.UDPAddr).IP.String(), "0"), nil
}
