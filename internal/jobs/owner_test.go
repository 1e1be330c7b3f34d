package jobs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A claim of another machine holds as long as its heart beats within a minute, and a
// dead one is taken over by one process alone.
func TestHeartOfAnotherMachine(t *testing.T) {
	folder, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	job := Job{Kind: "a"}
	id := job.ID()
	now := time.Now()
	one, two := newClaims(folder), newClaims(folder)
	for _, c := range []*claims{one, two} {
		c.watch.now = func() time.Time { return now }
		defer c.end()
	}
	claim := folder.path(one.name(id, 1))
	if err := os.MkdirAll(filepath.Dir(claim), 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(beat uint32) {
		t.Helper()
		text, err := json.Marshal(card{Token: "far-1-0", Machine: "far", Host: "far", PID: 1, Beat: beat})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(claim, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	beat := uint32(0)
	for _, step := range []struct {
		after time.Duration
		beats bool
		won   bool
	}{
		{0, true, false},
		{patience - time.Second, false, false},
		{2 * time.Second, true, false}, // just in time
		{patience - time.Second, false, false},
		{2 * time.Second, false, true},
	} {
		if step.beats {
			beat++
			write(beat)
		}
		now = now.Add(step.after)
		won, holder, err := one.take(id)
		if err != nil || won != step.won || !won && holder.String() != "process 1 on far" {
			t.Fatalf("beat %d: got %v, %v, %v, want %v", beat, won, holder, err, step.won)
		}
	}
	for range 2 { // the second look is past the dead one, at the first taker
		if won, holder, err := two.take(id); err != nil || won || holder.Token == "far-1-0" && now.After(two.watch.seen[one.name(id, 1)].since.Add(patience)) {
			t.Fatalf("another process: got %v, %v, %v, want that it does not win", won, holder, err)
		}
		now = now.Add(2 * patience)
	}
	if won, _, err := one.take(id); !won || err != nil {
		t.Fatalf("its own claim: got %v, %v", won, err)
	}
	one.finish(id)
	if !two.free(id) {
		t.Error("a finished job is still claimed")
	}
}
