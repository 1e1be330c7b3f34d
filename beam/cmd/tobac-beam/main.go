// Command tobac-beam does the jobs of a folder that are not finished, on Apache
// Beam. See beam/README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"tobac/beam"
	"tobac/internal/graphchains"
	"tobac/internal/jobs"
)

const usage = `Do the jobs of a folder that are not finished, on Apache Beam.

  tobac-beam [options] DIR

DIR is the folder of cells that tobac reproduce --plan has written, or that of
tobac fit --set mcmc.jobs=remote:DIR, whose rounds of chains follow each other until the chains agree.
Outputs are kept in it as they come back; run again, tobac-beam does what is left, and tobac collects
them.

Without options the jobs run on this machine, on the embedded runner prism. On many machines:

  tobac-beam --endpoint=HOST:8099 --environment_type=PROCESS \
             --environment_config='{"command":"/opt/tobac-beam"}' --parallelism=MACHINES DIR

where HOST:8099 is the job server of Flink or Spark, and /opt/tobac-beam is this program on every machine.

Options of tobac-beam:
`

// own are the options that are not the SDK's.
var own = []string{"runner", "listen", "jobs", "attempts", "quiet", "verbose"}

func main() {
	var e beam.Engine
	var quiet, verbose bool
	flag.StringVar(&e.Runner, "runner", "", strings.Join(beam.Runners, "|")+
		" (default: universal where --endpoint is set, else prism)")
	flag.StringVar(&e.Listen, "listen", "", "`HOST:PORT` at which workers on other machines "+
		"reach this program (default: the address from which it reaches --endpoint, any port)")
	flag.IntVar(&e.Workers, "jobs", 0,
		"`N` jobs at a time in one process of a worker (default: its processors)")
	flag.IntVar(&e.Attempts, "attempts", 0,
		"how often a job is begun that fails, or whose worker dies, `N` (default 3)")
	flag.BoolVar(&quiet, "quiet", false, "say nothing but errors")
	flag.BoolVar(&verbose, "verbose", false, "say what the SDK and the runner say, too")
	flag.Usage = func() { explain(flag.CommandLine) }
	flag.Parse()
	beam.Init(functions())
	logs(verbose)

	if err := check(e); err != nil {
		fail(2, err)
	}
	if !quiet {
		e.Say = say
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, e, flag.Arg(0), quiet); err != nil {
		fail(1, err)
	}
}

// say tells the user something.
func say(text string) { fmt.Fprintln(os.Stderr, "tobac-beam:", text) }

func fail(code int, err error) {
	say(err.Error())
	os.Exit(code)
}

// check is what the flags themselves do not.
func check(e beam.Engine) error {
	switch {
	case flag.NArg() != 1:
		return fmt.Errorf("got %d arguments, want one, the folder of jobs; see tobac-beam --help",
			flag.NArg())
	case e.Runner != "" && !slices.Contains(beam.Runners, e.Runner):
		return fmt.Errorf("--runner is %q; allowed: %s", e.Runner, strings.Join(beam.Runners, ", "))
	case e.Workers < 0:
		return fmt.Errorf("--jobs is %d; allowed: whole numbers from 1, or 0 for the processors",
			e.Workers)
	case e.Attempts < 0:
		return fmt.Errorf("--attempts is %d; allowed: whole numbers from 1, or 0 for 3", e.Attempts)
	}
	return nil
}

// run does the jobs of a folder.
func run(ctx context.Context, e beam.Engine, dir string, quiet bool) error {
	folder, err := jobs.ExistingFolder(dir)
	if err != nil {
		return err
	}
	list, err := folder.Jobs()
	if err != nil {
		return err
	}
	return graphchains.Do(ctx, e, folder, functions(), list, func(s jobs.Status) {
		if quiet {
			return
		}
		if s.Warning != "" {
			say(s.Warning)
		}
		say(fmt.Sprintf("%d of %d jobs have ended: %d found, %d done, %d failed; %d running",
			s.Jobs-s.Left(), s.Jobs, s.Found, s.Done, s.Failed, s.Running))
	})
}

// explain prints the usage: the options of this program, then those of the SDK.
func explain(all *flag.FlagSet) {
	fmt.Fprint(all.Output(), usage)
	mine, theirs := flag.NewFlagSet("", flag.ContinueOnError),
		flag.NewFlagSet("", flag.ContinueOnError)
	all.VisitAll(func(f *flag.Flag) {
		switch {
		case slices.Contains(own, f.Name):
			mine.Var(f.Value, f.Name, f.Usage)
		case !slices.Contains(given, f.Name):
			theirs.Var(f.Value, f.Name, f.Usage)
		}
	})
	for _, set := range []*flag.FlagSet{mine, theirs} {
		set.SetOutput(all.Output())
	}
	mine.PrintDefaults()
	fmt.Fprint(all.Output(), "\nOptions of the SDK (those of Dataflow were not tried):\n")
	theirs.PrintDefaults()
}

// given are options that a runner gives to the workers it starts.
var given = []string{"worker", "id", "provision_endpoint", "logging_endpoint", "control_endpoint",
	"semi_persist_dir", "options"}
