package report

import (
	"os"
	"testing"
)

// What reading every block costs, and what holding draws against their checksums does.
func BenchmarkVerify(b *testing.B) {
	l, err := Open(b.TempDir()+"/ledger.duckdb", Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Write(b.Context(), func(s *Session) error {
		_, err := s.Fit(b.Context(), benchFit(1000, layoutDraws, 64))
		return err
	}); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(l.path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("blocks", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			if err := l.Whole(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	values := make([]float64, 1<<20)
	b.Run("checksum", func(b *testing.B) {
		b.SetBytes(8 << 20)
		for b.Loop() {
			_ = drawsSum(values)
		}
	})
}
