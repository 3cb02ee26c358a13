package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"glmbatch/internal/words"
)

// defaultMaxRecord bounds the bytes of one CSV record, and so what an unclosed
// quote can make the reader hold.
const defaultMaxRecord = 64 << 20

var (
	errNUL        = errors.New("the line holds a NUL byte, so the file is not text in UTF-8")
	errLongRecord = errors.New("the record that begins here does not end within 64 MiB")
)

// guardReader passes bytes through to the CSV reader and stops at what no CSV
// file should hold: a NUL byte, or a record without an end.
type guardReader struct {
	r        io.Reader
	most     int64 // bytes that one record may have
	read     int64 // bytes given so far
	accepted int64 // end of the last complete record
	lines    int64 // line ends given so far
	nulLine  int64 // 1-based line of the first NUL, 0 if none was met
}

func (g *guardReader) Read(p []byte) (int, error) {
	if g.read-g.accepted > g.most {
		return 0, errLongRecord
	}
	n, err := g.r.Read(p)
	if i := bytes.IndexByte(p[:n], 0); i >= 0 {
		g.nulLine = g.lines + int64(bytes.Count(p[:i], []byte{'\n'})) + 1
		return 0, errNUL
	}
	g.read += int64(n)
	g.lines += int64(bytes.Count(p[:n], []byte{'\n'}))
	return n, err
}

// textReader passes on text that was compressed, and fails where it is more than may be.
type textReader struct {
	r    io.Reader
	most int64
	left int64 // begins one above most: most bytes are allowed, and no more
}

func (t *textReader) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, &textError{t.most}
	}
	n, err := t.r.Read(p[:min(int64(len(p)), t.left)])
	t.left -= int64(n)
	return n, err
}

// textError reports that compressed text is longer than allowed.
type textError struct{ most int64 }

func (e *textError) Error() string {
	return fmt.Sprintf("the compressed data hold more than %s of text, the limit",
		words.Bytes(e.most))
}
