package words

import "strconv"

// Bytes writes an amount of memory: gigabytes with three digits, whole megabytes, or bytes.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return strconv.FormatFloat(float64(n)/1e9, 'g', 3, 64) + " GB"
	case n >= 1e6:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 0, 64) + " MB"
	}
	return strconv.FormatInt(n, 10) + " B"
}
