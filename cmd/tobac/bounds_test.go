package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"tobac"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/must"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// An endless is a reader that repeats a text for ever, and counts what was read.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text[e.read%len(e.text):])
		e.read = (e.read + n) % len(e.text) // the text is shorter than any block
	}
	return n, nil
}

// Input without an end is refused in one line, whatever is in it, before it fills the memory.
func TestEndlessInput(t *testing.T) {
	const most = 200 << 20
	before := debug.SetMemoryLimit(1 << 30) // for the table of short lines
	defer debug.SetMemoryLimit(before)
	for _, c := range []struct{ text, want string }{
		{"\x00", "tobac: standard input: is not text"},
		{"1,", "tobac: standard input: line 1: longer than 16 MiB; allowed: lines that end"},
		{"a,\"b\nc", "tobac: standard input: "},
	} {
		for _, command := range []string{"check"} {
			in := &endless{text: c.text}
			count := &countedReader{r: in}
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), []string{command, "-"}, count, &stdout, &stderr)
			if code != cli.ExitFailed ||
				!strings.HasPrefix(slowness.ReplaceAllString(stderr.String(), ""), c.want) ||
				strings.Count(slowness.ReplaceAllString(stderr.String(), ""), "\n") != 1 ||
				count.n > most {
				t.Errorf("%s of %q: code %d after %d bytes\ngot  %s\nwant %s", command, c.text,
					code, count.n, stderr.String(), c.want)
			}
		}
	}
}

// countedReader counts the bytes that are read.
type countedReader struct {
	r io.Reader
	n int
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// Rows without an end are refused as soon as they would fill the memory.
func TestEndlessRows(t *testing.T) {
	before := debug.SetMemoryLimit(300 << 20)
	defer debug.SetMemoryLimit(before)
	in := &countedReader{r: &endless{text: strings.Repeat("1,2,3,4,5,6,7,8,", 64) + "9\n"}}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"check", "-"}, in, &stdout, &stderr)
	if !strings.Contains(stderr.String(), "are needed, and ") || code != cli.ExitFailed ||
		in.n > 1<<28 {
		t.Errorf("code %d after %d bytes: %s", code, in.n, stderr.String())
	}
}

// A record of more values than a table has columns is refused, and a wide table is read.
func TestWideTables(t *testing.T) {
	inFolder(t, map[string]string{
		"many.csv": strings.Repeat("1,", delimited.MaxFields+1) + "1\n",
		"wide.csv": wideTable(6000), "narrow.csv": wideTable(600),
	})
	refuses(t, "check many.csv", cli.ExitFailed,
		fmt.Sprintf("many.csv: line 1: more than %d values; allowed: tables with a row for each "+
			"observation", delimited.MaxFields))
	before := debug.SetMemoryLimit(1 << 30)
	defer debug.SetMemoryLimit(before)
	for _, command := range []string{"fit wide.csv --quiet", "order wide.csv"} {
		got := runTobac(t, strings.Fields(command)...)
		if got.code != cli.ExitFailed || !strings.Contains(got.stderr, "tobac: wide.csv: 6000 "+
			"columns have so many pairs that these need about 5.8 GB of memory, and ") ||
			!strings.Contains(got.stderr, "(GOMEMLIMIT); would fit: up to ") {
			t.Errorf("%s: %+v", command, got)
		}
	}
	succeed(t, strings.Fields("order wide.csv --columns x3,x7,x5999 --method variance")...)
	debug.SetMemoryLimit(512 << 20)
	if got := runTobac(t,
		strings.Fields("order narrow.csv --bootstrap 100000")...); got.code != cli.ExitUsage ||
		!strings.Contains(got.stderr, "--bootstrap 100000 needs about ") {
		t.Errorf("resamples: %+v", got)
	}
}

// wideTable has six rows of so many columns.
func wideTable(d int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for j := range d - 1 {
		fmt.Fprintf(&b, "x%d,", j)
	}
	fmt.Fprintf(&b, "x%d\n", d-1)
	for range 6 {
		for range d - 1 {
			fmt.Fprintf(&b, "%d,", rng.IntN(1e6))
		}
		fmt.Fprintln(&b, rng.IntN(1e6))
	}
	return b.String()
}

// edges.csv and pairs.csv list whatever has a probability above 0 up to 100 columns, and of more
// columns what has one of 0.001 or more.
func TestFilesOfManyColumns(t *testing.T) {
	for d, want := range map[int]int{100: 3, 101: 2} {
		p := &posterior.Posterior{Kind: posterior.Draws}
		for j := range d {
			p.Names = append(p.Names, fmt.Sprint("x", j))
		}
		p.Probabilities = mat.NewDense(d, d, nil)
		p.Probabilities.Set(0, 1, 0.5)
		p.Probabilities.Set(2, 3, 0.001)
		p.Probabilities.Set(4, 5, 0.0009)
		r := &result{Result: &tobac.Result{Outcome: engine.Outcome{Posterior: p}}}
		var edges, pairs bytes.Buffer
		must.Do(t, r.writeEdges(&edges))
		must.Do(t, r.writePairs(&pairs))
		for name, text := range map[string]string{"edges.csv": edges.String(),
			"pairs.csv": pairs.String()} {
			if got := strings.Count(text, "\n") - 1; got != want {
				t.Errorf("%s of %d columns lists %d, want %d:\n%s", name, d, got, want, text)
			}
		}
	}
}

// Total effects between all pairs are of at most results.effects columns; the output says how to
// get others.
func TestEffectsOfManyColumns(t *testing.T) {
	simulated(t)
	got := succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--details", "--set",
		"results.effects=2", "--out", "run")...)
	if _, err := os.Stat("run/" + effectsFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want none", effectsFile, err)
	}
	if want := "columns were not computed: tobac effect has those of one column"; !strings.Contains(
		got.stdout, want) {
		t.Errorf("no %q in\n%s", want, got.stdout)
	}
}
