package report

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// BenchmarkDrawsOutside gathers made fits of 7 parameters, 4 chains of 250 draws, by one fragment, with their draws in
// the ledger and outside, and asks both for the draws of one fit.
func BenchmarkDrawsOutside(b *testing.B) {
	const fits, together = 10_000, 100
	fragment, err := Open(b.TempDir()+"/0.duckdb", Options{Threads: 1})
	mustB(b, err)
	mustB(b, fragment.Write(b.Context(), func(s *Session) error {
		if err := s.Run(b.Context(), &Run{ID: "r", Pipeline: "p"}); err != nil {
			return err
		}
		for first := 0; first < fits; first += together {
			var some []*Fit
			for i := range together {
				f := benchFit(7, 250, 7)
				f.Dataset = fmt.Sprint("d", first+i)
				f.Fingerprint = f.Dataset
				some = append(some, f)
			}
			if _, errs := s.Fits(b.Context(), some); errs[0] != nil {
				return errs[0]
			}
		}
		return nil
	}))
	for _, outside := range []bool{false, true} {
		name := map[bool]string{false: "draws=ledger", true: "draws=parquet"}[outside]
		path := b.TempDir() + "/ledger.duckdb"
		l, err := Open(path, Options{Threads: 1, DrawsOutside: outside})
		mustB(b, err)
		b.Run("op=gather/"+name, func(b *testing.B) {
			for b.Loop() {
				mustB(b, removeIfThere(path))
				mustB(b, os.RemoveAll(drawsFolder(path)))
				began := time.Now()
				mustB(b, gatherFrom(b.Context(), l, fragment))
				b.ReportMetric(float64(time.Since(began).Microseconds())/1000/fits, "ms/fit")
			}
			info, err := os.Stat(path)
			mustB(b, err)
			b.ReportMetric(float64(info.Size())/fits, "ledger-B/fit")
			b.ReportMetric(float64(drawBytes(path))/fits, "parquet-B/fit")
		})
		for what, where := range map[string]string{"number": "fit_id = 7777", "name": "dataset = 'd7776'"} {
			b.Run("op=query/by="+what+"/"+name, func(b *testing.B) {
				for b.Loop() {
					var out strings.Builder
					mustB(b, l.Query(b.Context(), &out, QueryOptions{Format: CSV}, "SELECT avg(value) FROM draws WHERE "+where))
				}
			})
		}
		b.Run("op=columns/"+name, func(b *testing.B) {
			found, err := l.Stored(b.Context(), []string{"d7776"})
			mustB(b, err)
			for b.Loop() {
				for _, err := range l.Columns(b.Context(), found["d7776"], 1<<20) {
					mustB(b, err)
				}
			}
		})
	}
}

func mustB(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
