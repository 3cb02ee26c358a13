package ingest

import (
	"bytes"
	"io"
	"strings"
)

// endsLinesInCR reports whether the lines of a file, of which sample is the beginning,
// end in a carriage return alone, as once on Macintoshes.
func endsLinesInCR(sample []byte) bool {
	cr := bytes.IndexByte(sample, '\r')
	return cr >= 0 && cr < len(sample)-1 && bytes.IndexByte(sample, '\n') < 0
}

// carriageReturns reads such a file with lines that end as others do.
type carriageReturns struct{ r io.Reader }

func (c carriageReturns) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// comments measures the lines before the header that are comments or blank. The # of a
// comment has a blank, another # or nothing behind it, unlike that of a column called #id.
// Where only numbers follow, the last comment is the header.
func (f *csvFile) comments(sample []byte) (size, lines int) {
	var before struct{ size, lines, comments int } // the last comment
	f.commented = 0
	for {
		line, _, ended := bytes.Cut(sample[size:], []byte("\n"))
		text := strings.TrimRight(string(line), "\r")
		switch {
		case ended && isComment(text):
			before.size, before.lines, before.comments = size, lines, f.commented
			f.commented++
		case ended && text == "":
		default:
			if f.commented > 0 && text != "" && f.allNumbers(strings.FieldsFunc(text, separates)) {
				size, lines, f.commented = before.size, before.lines, before.comments
			}
			return size, lines
		}
		size, lines = size+len(line)+1, lines+1
	}
}

func isComment(line string) bool {
	return line == "#" || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#\t") || strings.HasPrefix(line, "##")
}

func separates(r rune) bool { return strings.ContainsRune(string(separators), r) }

// separators are the candidates of detection; an earlier one wins a tie.
var separators = []byte{',', ';', '\t', '|'}

// detectSeparator chooses the separator of a CSV file from its first bytes:
// the one that splits header and following lines into the same number of
// fields, at least two, and the most; failing that, the one that occurs most
// often in the header. whole says that sample is the entire file, so that its
// last line is complete.
func detectSeparator(sample []byte, whole bool) rune {
	best, most := byte(0), 1
	for _, sep := range separators {
		if n, consistent := fieldCount(sample, sep, whole); consistent && n > most {
			best, most = sep, n
		}
	}
	if best != 0 {
		return rune(best)
	}
	best = separators[0]
	for _, sep := range separators {
		if n, _ := fieldCount(sample, sep, whole); n > most {
			best, most = sep, n
		}
	}
	return rune(best)
}

// fieldCount counts the fields of the header, and reports whether the lines after
// it (as many as sniffLines) have as many. Separators between quotes do not count.
func fieldCount(sample []byte, sep byte, whole bool) (header int, consistent bool) {
	const sniffLines = 100
	fields, lines, quoted, blank := 1, 0, false, true
	endLine := func() (more bool) {
		if blank {
			return true
		}
		lines++
		if lines == 1 {
			header = fields
		} else if fields != header {
			return false
		}
		fields, blank = 1, true
		return lines < sniffLines
	}
	for _, c := range sample {
		switch {
		case c == '"':
			quoted, blank = !quoted, false
		case quoted:
		case c == sep:
			fields, blank = fields+1, false
		case c == '\n':
			if !endLine() {
				return header, fields == header || lines >= sniffLines
			}
		case c != '\r':
			blank = false
		}
	}
	if lines == 0 { // the header is longer than the sample
		return fields, true
	}
	if whole && !endLine() && lines < sniffLines {
		return header, fields == header
	}
	return header, true
}
