package beam_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tobac/beam"
	"tobac/internal/graphchains"
	"tobac/internal/jobs"
)

// The test binary is a worker, too: runners start it.
func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init(functions)
	os.Exit(m.Run())
}

// functions are jobs whose input says what happens to them.
var functions = jobs.Functions{
	"digest": digest, graphchains.RoundKind: goOn,
	"fail": func(context.Context, jobs.Job) ([]byte, error) {
		return nil, errors.New("as it must")
	},
	"panic": func(context.Context, jobs.Job) ([]byte, error) { panic("as it must") },
	// kill ends its process in the first attempt at one job, and leaves a file per attempt.
	"kill": func(ctx context.Context, j jobs.Job) ([]byte, error) {
		first, err := attempted(string(j.Data[0]), j.Input)
		if err != nil {
			return nil, err
		}
		if first && j.Input[0] == 5 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
		return digest(ctx, j)
	},
	"wait": func(ctx context.Context, j jobs.Job) ([]byte, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	},
}

func digest(ctx context.Context, j jobs.Job) ([]byte, error) {
	h := sha256.New()
	h.Write(j.Input)
	for _, d := range j.Data {
		h.Write(d)
	}
	jobs.Measure(ctx, "bytes", float64(len(j.Input)))
	return h.Sum(nil), nil
}

// attempted leaves a file for an attempt at a job, and reports whether it is the first.
func attempted(dir string, input []byte) (first bool, err error) {
	name := filepath.Join(dir, string('a'+rune(input[0])))
	there, err := filepath.Glob(name + ".*")
	if err != nil {
		return false, err
	}
	f, err := os.CreateTemp(dir, filepath.Base(name)+".*")
	if err != nil {
		return false, err
	}
	return len(there) == 0, f.Close()
}

// list are n jobs of one kind that share data.
func list(kind string, n int, data []byte) []jobs.Job {
	all := make([]jobs.Job, n)
	for i := range all {
		all[i] = jobs.Job{Kind: kind, Input: binary.LittleEndian.AppendUint32(nil, uint32(i)),
			Data: [][]byte{data}}
	}
	return all
}
