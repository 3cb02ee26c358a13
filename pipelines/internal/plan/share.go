package plan

import (
	"crypto/sha256"
	"encoding/binary"

	"glmbatch/pipelines/internal/spec"
)

// Share is one of several parts of a pipeline's fits, for machines that share a night. The zero value is all of them.
type Share struct{ Index, Of int }

// has reports whether the fits of a model on a unit are of the share: samplers and replicates stay together, since
// they share a design. Names decide it alone.
func (s Share) has(dataset, key, model string) bool {
	return s.Of <= 1 || ShareOf(dataset, key, model, s.Of) == s.Index
}

// ShareOf is the number of the share, of n, that the fits of a model on a unit are of.
func ShareOf(dataset, key, model string, n int) int {
	h := sha256.New()
	for _, name := range []string{dataset, key, model} {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(name))) // a hash takes all that it is given
		h.Write([]byte(name))
	}
	return int(binary.LittleEndian.Uint64(h.Sum(nil)) % uint64(n))
}

// Shards are the shares, of n, that the fit is of: one, but where nobody knows what groups or files there are.
func (f *Fit) Shards(n int) (out []int) {
	if f.Unit.shared() {
		return []int{ShareOf(f.Unit.Dataset.Name, f.Unit.Key, f.Model.Name, n)}
	}
	for i := range n {
		out = append(out, i)
	}
	return out
}

// wants reports whether the reader's choice has fits of a unit.
func (r *Reader) wants(ds *spec.Dataset, key string) bool {
	if !r.Choice.Unit(ds.Name, key) {
		return false
	}
	for _, m := range r.models(ds.Name) {
		if r.Choice.Share.has(ds.Name, key, m.Name) {
			return true
		}
	}
	return false
}

// shared reports whether the fits of a unit are divided among shares. They are not where a file or a data set could not
// be read: what groups or files it has nobody knows, so each share says what is wrong.
func (u *Unit) shared() bool {
	return u.Err == nil || len(u.Dataset.By) == 0 && (u.Key != "" || u.Dataset.Each == "")
}
