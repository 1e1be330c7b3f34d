package beam

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"tobac/internal/jobs"
)

// provision is what a runner gives to a process that it starts as a worker.
var provision = flag.String("provision_endpoint", "",
	"Endpoint at which a worker asks what it needs (given by the runner).")

// functions are what workers in this process do.
var functions jobs.Functions

// Init says which jobs this program can do; main calls it once, after flag.Parse.
// In a process that a runner has started (environment_type PROCESS, with this program as the
// command, or DOCKER) it does the jobs of a run, and does not return.
func Init(f jobs.Functions) {
	functions = f
	if *provision != "" && flag.Lookup("worker").Value.String() != "true" {
		if err := becomeWorker(*provision); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		// What runners send to containers. The SDK would else compile the program anew.
		if self, err := os.Executable(); err == nil {
			*jobopts.WorkerBinary = self
		}
	}
	sdk.Init()
}

// IsWorker reports whether a runner has started this process.
func IsWorker() bool {
	return *provision != "" || flag.Lookup("worker").Value.String() == "true"
}

// becomeWorker sets the SDK's options of a worker as the runner's provision service
// tells them, which is what the boot program of the SDK's containers does.
func becomeWorker(endpoint string) error {
	id := strings.Trim(flag.Lookup("id").Value.String(), "'") // prism quotes it
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(context.Background(), id), endpoint)
	if err != nil {
		return fmt.Errorf("--provision_endpoint %s: %w", endpoint, err)
	}
	for name, value := range map[string]string{
		"worker": "true", "id": id,
		"logging_endpoint": info.GetLoggingEndpoint().GetUrl(),
		"control_endpoint": info.GetControlEndpoint().GetUrl(),
	} {
		if err := flag.Set(name, value); err != nil {
			return fmt.Errorf("--%s %s: %w", name, value, err)
		}
	}
	return nil
}
