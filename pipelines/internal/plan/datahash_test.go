package plan

import (
	"encoding/json"
	"testing"

	matrix "glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// fitOfData is a fit of data with a hash, at a fixed length or not.
func fitOfData(t *testing.T, h DataHash, draws int) *Identified {
	t.Helper()
	p := parse(t)
	p.Run.Draws, p.Run.Warmup = draws, draws
	ref := p.Fits()[0]
	m := resolve(ref.Sampler, ref.Model)
	f := &Fit{Pipeline: p, Unit: &Unit{Dataset: ref.Dataset}, Model: ref.Model, Sampler: ref.Sampler}
	return identified(t, f, &Regression{fit: f, sampler: m,
		coded: coded{Design: &transform.Design{Data: &glm.Data{X: matrix.NewDense(1, 1)}}, dataHash: h}})
}

// A fit that an earlier program stored under the hash of columns in the order of the file has the same draws, at a
// fixed length and at one that grew; a fit of other data or with another seed has not.
func TestOlderHash(t *testing.T) {
	for _, draws := range []int{0, 200} {
		before := fitOfData(t, DataHash{Value: "old"}, draws)
		stored := record.Stored{DataHash: "old", Warmup: 50, Draws: 50}
		must(t, json.Unmarshal(before.Identity.Record(), &stored.Identity))
		now := fitOfData(t, DataHash{Value: "new", Older: "old"}, draws)
		if now.Fingerprint == before.Fingerprint || !now.SameDraws(stored) {
			t.Errorf("%d draws: a fit under the older hash has other draws", draws)
		}
		if fitOfData(t, DataHash{Value: "new", Older: "other"}, draws).SameDraws(stored) {
			t.Errorf("%d draws: a fit of other data has the same draws", draws)
		}
		stored.Identity["seed"] = json.RawMessage("2")
		if now.SameDraws(stored) {
			t.Errorf("%d draws: a fit of another seed has the same draws", draws)
		}
	}
}
