package pipelines_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// The progress of a sharded run counts shards by state and the fits that are done, as they are after each step.
func TestProgressOf(t *testing.T) {
	f, dir := sharedByGroup(t, 4)
	now := time.Now()
	look := func(want string) *pipelines.ShardProgress {
		t.Helper()
		p, err := pipelines.ProgressOf(dir, now)
		must(t, err)
		text, err := json.Marshal(p.Shards)
		if got := fmt.Sprintf("%s %d of %d, %d", text, p.Done, p.Fits, p.Failed); err != nil || got != want {
			t.Errorf("%s, want %s (%v)", got, want, err)
		}
		return p
	}
	tell := func(i int, text string, updated time.Time) {
		t.Helper()
		text = fmt.Sprintf(`{"shard": %d, %s, "updated": %q}`, i, text, updated.Format(time.RFC3339Nano))
		must(t, os.WriteFile(filepath.Join(dir, "progress", fmt.Sprintf("%d.json", i)), []byte(text), 0o600))
	}
	look(`{"done":0,"incomplete":0,"running":0,"silent":0,"unusable":0,"waiting":4} 0 of 5, 0`)
	tell(1, `"fits": 2, "done": 1, "failed": 1, "seconds_left": 40, "running": [{"fit": "c/g1", "phase": "sampling"}]`, now.Add(-time.Second))
	tell(2, `"fits": 2, "done": 0, "failed": 0, "seconds_left": 99`, now.Add(-2*time.Minute))
	p := look(`{"done":0,"incomplete":0,"running":1,"silent":1,"unusable":0,"waiting":2} 1 of 5, 1`)
	if p.SecondsLeft == nil || *p.SecondsLeft != 40 || len(p.States[1].Running) != 1 {
		t.Errorf("%v seconds left, shard 1 works on %+v", p.SecondsLeft, p.States[1].Running)
	}
	fits := p.States[0].Fits
	out := f.shard(dir, 0)
	p = look(fmt.Sprintf(`{"done":1,"incomplete":0,"running":1,"silent":1,"unusable":0,"waiting":1} %d of 5, %d`, 1+fits,
		1+out.Counts["fail"]))
	if p.States[0].State != "done" || p.States[0].Done != fits {
		t.Errorf("shard 0 is %+v", p.States[0])
	}
	failed := out.Counts["fail"] + f.shard(dir, 1).Counts["fail"]
	f.shard(dir, 2)
	f.shard(dir, 3)
	f.removed(fragment(dir, 3, ".json"))
	f.write("claims.csv", groups(0))
	f.removed(fragment(dir, 2, ".json"), fragment(dir, 2, ".duckdb"))
	f.shard(dir, 2) // lacks all of its data
	p = look(fmt.Sprintf(`{"done":2,"incomplete":1,"running":0,"silent":0,"unusable":1,"waiting":0} %d of 5, %d`,
		p.States[0].Fits+p.States[1].Fits, failed))
	if p.States[2].Why == "" || p.States[3].Why == "" {
		t.Errorf("no reasons: %q, %q", p.States[2].Why, p.States[3].Why)
	}
}
