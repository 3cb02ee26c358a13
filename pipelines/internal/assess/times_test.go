package assess

import (
	"math"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/spool"

	"glmbatch/pipelines/internal/plan"
)

// Times are those of one core: set-up, warm-up and sampling of all chains. Seconds to an ESS of 100 shorten sampling only,
// and there are none if the ESS is below 100.
func TestTimes(t *testing.T) {
	f, err := spool.Disk{}.Open(t.TempDir(), spool.Manifest{Fingerprint: "f", Params: 1, Chains: 2})
	must(t, err)
	defer f.Close()
	for c, chain := range f.Chains {
		must(t, chain.Begin([]float64{0}, "", []byte("s"), 2*time.Second))
		for first := 0; first < 30; first += 10 { // 10 of warm-up, 20 of sampling
			b := infer.NewBlock(c, first, 10, 1)
			for i := range 10 {
				b.Set(i, []float64{0}, infer.Info{})
			}
			must(t, chain.Append(b, []byte("s"), 8*time.Second))
		}
	}
	began := time.Unix(100, 0)
	d := &Drawn{Prepared: &Prepared{Took: time.Second}, Draws: &Draws{Spool: f}, Window: plan.Window{From: 10, To: 30},
		Measured: &Measured{Parameters: []diag.Summary{{ESSBulk: 50}, {ESSBulk: 800}, {ESSBulk: 400}},
			logLik: diag.Summary{ESSBulk: 200}, expanding: 4 * time.Second}}
	got := d.times(Stamp{Began: began, Now: func() time.Time { return began.Add(time.Minute) }})
	// set-up 1 + 2·2, warm-up 2·8, sampling 2·16 + 4
	if got.Setup != 5 || got.Warmup != 16 || got.Sampling != 36 || got.Wall != 60 {
		t.Errorf("times %+v", got)
	}
	if got.ToESS100Median != 5+16+36/4. || got.ToESS100LogLik != 5+16+36/2. || !math.IsNaN(got.ToESS100Min) {
		t.Errorf("seconds to an ESS of 100: %+v", got)
	}
}
