package report

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
)

// isDamage reports whether err says that the ledger is damaged.
func isDamage(err error) bool {
	var not *NotLedgerError
	return errors.As(err, &not) && not.Damaged && hintOf(err) != ""
}

// One byte of every second block is changed in turn, and of each header. Verify says so, Publish leaves the last good copy
// alone, and what is in no use is named as such. Before there was Verify, most of these copies were published.
func TestEveryBlockIsVerified(t *testing.T) {
	l, ctx := open(t, Options{Threads: 1}), context.Background()
	store(t, l, sampleFit("f1"), benchFit(20, layoutDraws, 8))
	v, err := l.Verify(ctx)
	must(t, err)
	if v.Blocks < 5 || v.Fits != 2 || v.Draws != 2000+20*layoutChains*layoutDraws || len(v.Unused)+len(v.Damage) > 0 {
		t.Errorf("a whole ledger: %+v", v)
	}
	to := filepath.Join(t.TempDir(), "copy.duckdb")
	must(t, l.Publish(ctx, to))
	good, err := os.ReadFile(to)
	must(t, err)
	whole, err := os.ReadFile(l.path)
	must(t, err)
	places := []int{100, headerSize + 100, 2*headerSize + 100} // in the headers
	for i := 1; i < v.Blocks; i += 2 {                         // TestRunOverADamagedLedger takes the others
		places = append(places, headers+i<<18+[]int{3, 8, 1000, 100_000, 1<<18 - 1}[i%5])
	}
	harm := 0
	for _, at := range places {
		whole[at] ^= 0x10
		must(t, os.WriteFile(l.path, whole, 0o600))
		whole[at] ^= 0x10
		v, err := l.Verify(ctx)
		harmless := err == nil && len(v.Damage) == 0 && slices.Equal(v.Unused, []int64{int64(at-headers) >> 18})
		if !isDamage(err) && !harmless {
			t.Errorf("byte %d: %+v, %v", at, v, err)
		}
		err = l.Publish(ctx, to)
		if harmless {
			must(t, err)
			must(t, os.WriteFile(to, good, 0o600))
			continue
		}
		harm++
		published, rerr := os.ReadFile(to)
		must(t, rerr)
		if err == nil || !bytes.Equal(published, good) {
			t.Errorf("byte %d: published with %v", at, err)
		}
		if werr := l.Whole(ctx); !isDamage(werr) {
			t.Errorf("byte %d: whole: %v", at, werr)
		}
	}
	if harm < 4 {
		t.Errorf("%d of %d places did harm", harm, len(places))
	}
	must(t, os.WriteFile(l.path, whole[:len(whole)-1<<18], 0o600))
	if _, err := l.Verify(ctx); !isDamage(err) {
		t.Errorf("cut: %v", err)
	}
}

// Draws that were changed, added or removed differ from those that were stored, though every block is whole.
func TestDrawsAreVerified(t *testing.T) {
	for statement, want := range map[string]string{
		"UPDATE draw_piece SET v = list_transform(v, lambda x, i: x + CASE WHEN i = 50 THEN 1e-12 ELSE 0 END) WHERE parameter_id = 2 AND chain = 3": "of glu",
		"UPDATE draw_piece SET v = list_concat(list_reverse(v[:n]), v[n + 1:]) WHERE parameter_id IN (2, 3)":                                        "of glu, a b",
		"UPDATE draw_piece SET n = 99 WHERE parameter_id = 5 AND chain = 4":                                                                         "1999 of 2000",
		"UPDATE parameter SET checksum = NULL WHERE parameter_id = 4":                                                                               "of ",
		"DELETE FROM parameter WHERE parameter_id = 4":                                                                                              "4 of 5 parameters",
	} {
		l := sampled(t)
		stranger(t, l, statement)
		v, err := l.Verify(t.Context())
		if !isDamage(err) || len(v.Damage) != 1 || !strings.Contains(v.Damage[0], want) {
			t.Errorf("%s: %+v, %v; want %q", statement, v, err, want)
		}
	}
}

// Draws come back from the engine with every bit, so that a checksum of bits serves; and a derived quantity that is
// recomputed has a checksum of its own.
func TestChecksumsOfOddDraws(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(0x7ff8dead00000001), math.Inf(1), math.Inf(-1),
		math.SmallestNonzeroFloat64, -math.MaxFloat64, 0.1, 1e300}
	for _, share := range []int{1, 50} { // of odd draws: the engine packs few and many of them differently
		l, f := open(t, Options{}), sampleFit("f1")
		f.DrawsOf = oddDraws(f.DrawsOf, odd, share)
		store(t, l, f)
		if v, err := l.Verify(t.Context()); err != nil {
			t.Errorf("one of %d odd: %+v, %v", share, v, err)
		}
	}
}

// oddDraws replaces one draw in share by odd values.
func oddDraws(seq iter.Seq2[*infer.Columns, error], odd []float64, share int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for c, err := range seq {
			for i := 0; err == nil && i < len(c.Values); i += share {
				c.Values[i] = odd[i/share%len(odd)]
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// Without a file Verify says so and Whole has nothing against it; a ledger that is written to is waited for.
func TestVerifyWithoutALedger(t *testing.T) {
	l := open(t, Options{LockWait: -1})
	var missing *MissingError
	if _, err := l.Verify(t.Context()); !errors.As(err, &missing) {
		t.Errorf("error %v", err)
	}
	must(t, l.Whole(t.Context()))
	store(t, l, sampleFit("f1"))
	release := hold(t, l.path)
	var locked *LockedError
	if _, err := l.Verify(t.Context()); !errors.As(err, &locked) {
		t.Errorf("held: %v", err)
	}
	release()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := l.Verify(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
