package spec

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"glmbatch/internal/words"
)

// Duration is a span of time as it is written: 90s, 30m, 1h30m. Zero is no limit.
type Duration time.Duration

func (v *Duration) decodeNode(d *decoder, n *node, f field, _ []string) {
	span, err := time.ParseDuration(n.text)
	switch {
	case n.kind != stringKind:
		d.wrongKind(n, f, "a span of time such as 90s, 30m or 1h30m")
	case err != nil:
		d.add(n.at, fmt.Sprintf("%s must be a span of time, but is %s", f.key, quote(n.text)),
			"write for example 90s, 30m or 1h30m")
	case span <= 0:
		d.add(n.at, fmt.Sprintf("%s must be longer than nothing, but is %s", f.key, n.text),
			"leave it out for no limit")
	default:
		*v = Duration(span)
	}
}

// Bytes is an amount of memory as it is written: 500MB, 2GB, 1.5GiB. Zero is no
// limit.
type Bytes int64

var bytesText = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?(B|[kK]B|MB|GB|TB|[kK]iB|MiB|GiB|TiB)$`)

var bytesUnits = map[string]float64{
	"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"kiB": 1 << 10, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

// leastMemory is the memory that a run needs without any data.
const leastMemory Bytes = 128e6

// ParseBytes reads an amount of memory with its unit; decimal units are powers
// of 1000, binary ones (MiB) of 1024.
func ParseBytes(text string) (Bytes, error) {
	m := bytesText.FindStringSubmatch(text)
	if m == nil {
		return 0, words.Hint(fmt.Errorf("%s is not an amount of memory", quote(text)),
			"write for example 500MB, 2GB or 1.5GiB")
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, err
	}
	if x *= bytesUnits[m[2]]; x > 1<<60 {
		return 0, fmt.Errorf("%s is more than any machine has", quote(text))
	}
	if b := Bytes(math.Round(x)); b >= leastMemory {
		return b, nil
	}
	return 0, words.Hint(fmt.Errorf("%s is less than a run needs without any data", quote(text)),
		fmt.Sprintf("give it at least %s", leastMemory))
}

// String writes megabytes and gigabytes with their digits.
func (b Bytes) String() string { return words.Bytes(int64(b)) }

func (b *Bytes) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != stringKind {
		d.wrongKind(n, f, "an amount of memory such as 500MB or 2GB")
		return
	}
	x, err := ParseBytes(n.text)
	if err != nil {
		message, hint := words.Parts(err)
		d.add(n.at, f.key+": "+message, hint)
	}
	*b = x
}
