package report

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpack writes a stored file to a folder.
func unpack(t *testing.T, from, to string) []byte {
	t.Helper()
	packed, err := os.Open(from)
	must(t, err)
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	must(t, err)
	text, err := io.ReadAll(r)
	must(t, err)
	must(t, os.WriteFile(to, text, 0o600))
	return text
}

// twoMarkers unpacks what engine 1.5.5 left after two full disks: a table of 300 rows, and a log of two transactions of
// 500 rows, each with the marker of a checkpoint that failed (it was given RLIMIT_FSIZE of the file's size).
func twoMarkers(t *testing.T) (path string, log []byte) {
	t.Helper()
	from := filepath.Join("testdata", "logs", "two-markers.duckdb")
	path = filepath.Join(t.TempDir(), "two.duckdb")
	unpack(t, from+".gz", path)
	return path, unpack(t, from+".wal.gz", path+".wal")
}

// Engine 1.5.6 refuses the log of two full disks; a reader and a writer repair it, and every row is present.
func TestLogOfTwoFullDisks(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		path, log := twoMarkers(t)
		_, _, err := dial(t.Context(), path, url.Values{}, reach{})
		if err == nil || !strings.Contains(err.Error(), "marker") {
			t.Fatalf("the engine itself: %v, want its refusal of a second marker", err)
		}
		l := &Ledger{path: path, opts: Options{MemoryLimit: "128MB", Threads: 1}}
		db, c, err := l.connect(t.Context(), readOnly, reach{})
		must(t, err)
		var rows int
		must(t, c.QueryRowContext(t.Context(), "SELECT count(*) FROM x").Scan(&rows))
		must(t, errors.Join(c.Close(), db.Close()))
		mended, several := oneMarker(log)
		if rows != 1300 || !several || len(mended) != len(log)-60 {
			t.Errorf("%d rows, want 1300; a log of %d bytes after %d", rows, len(mended), len(log))
		}
	}
}

// A ledger that was killed before its checkpoint, with the markers of two full disks after its committed data:
// reading, writing and publishing repair it first.
func TestLedgerAfterTwoFullDisks(t *testing.T) {
	killed := sampled(t)
	var file, log []byte
	must(t, killed.Write(t.Context(), func(s *Session) error {
		_, err := s.Fit(t.Context(), sampleFit("f2"))
		must(t, err)
		file, err = os.ReadFile(killed.path)
		must(t, err)
		log, err = os.ReadFile(killed.path + ".wal")
		return err
	}))
	_, foreign := twoMarkers(t)
	end := len(foreign) - 60 // of the second transaction: its marker and the flush behind it follow
	log = append(append(log, foreign[end:]...), foreign[end:]...)
	for _, first := range []string{"reader", "writer", "publish"} {
		path := filepath.Join(t.TempDir(), "ledger.duckdb")
		must(t, errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+".wal", log, 0o600)))
		l, err := Open(path, Options{})
		must(t, err)
		switch first {
		case "writer":
			must(t, l.Write(t.Context(), func(*Session) error { return nil }))
		case "publish":
			must(t, l.Publish(t.Context(), path+".copy"))
			copied, err := Open(path+".copy", Options{})
			must(t, err)
			wantInt(t, copied, 2, "SELECT count(*) FROM fit")
		}
		wantInt(t, l, 2, "SELECT count(*) FROM fit")
		wantInt(t, l, 2*2000, "SELECT count(*) FROM draw")
		store(t, l, sampleFit("after"))
		wantInt(t, l, 3, "SELECT count(*) FROM fit")
		if _, err := os.Stat(path + ".wal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a log is left: %v", first, err)
		}
	}
}

// entry is an entry of a log: its checksum is the engine's affair.
func entry(payload ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(payload)))
	return append(append(b, "checksum"...), payload...)
}

func TestOneMarker(t *testing.T) {
	marker, flush := entry(0x64, 0, walCheckpoint, 0xff, 0xff), entry(0x64, 0, walFlush, 0xff, 0xff)
	insert := entry(0x64, 0, 26, 1, 2, 3)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, c := range map[string]struct{ log, want []byte }{
		"empty":       {nil, nil},
		"one marker":  {join(walHead, insert, flush, marker, flush), nil},
		"no marker":   {join(walHead, insert, flush), nil},
		"two markers": {join(walHead, insert, flush, marker, flush, insert, flush, marker, flush), join(walHead, insert, flush, insert, flush, marker, flush)},
		"three, one without a flush": {join(walHead, marker, insert, flush, marker, flush, insert, flush, marker),
			join(walHead, insert, flush, insert, flush, marker)},
		"a torn end": {join(walHead, marker, flush, marker, flush, insert[:7]), join(walHead, marker, flush, insert[:7])},
		"a torn size": {join(walHead, marker, flush, marker, flush, insert[:len(insert)-1]),
			join(walHead, marker, flush, insert[:len(insert)-1])},
		"another version": {join([]byte{0x64, 0, 98, 0x65, 0, 3, 0xff, 0xff}, marker, flush, marker, flush), nil},
		"another form":    {join(walHead, marker, flush, marker, entry(1, 2, 3)), nil},
	} {
		got, several := oneMarker(c.log)
		if several != (c.want != nil) || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %x, %v; want %x", name, got, several, c.want)
		}
	}
	for n := range 200 { // whatever the value there
		_, _ = oneMarker(append(append([]byte{}, walHead...), bytes.Repeat([]byte{byte(n)}, n)...))
	}
}
