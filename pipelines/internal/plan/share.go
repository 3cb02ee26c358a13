package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// Division divides a pipeline's fits into shares: so many by a hash of their names, and behind these one for each
// selector of Alone, of the fits that it names.
type Division struct {
	Hashed int
	Alone  []Selector
}

// ParseAlone reads terms such as "dataset=claims/north", each a selector of its own.
func ParseAlone(terms []string) (alone []Selector, err error) {
	for _, term := range terms {
		s, err := ParseSelector([]string{term})
		if err == nil && len(s.fields["sampler"]) > 0 {
			err = fmt.Errorf("--alone %q: samplers of a model share a design: write dataset=PATTERN or model=PATTERN", term)
		}
		if err != nil {
			return nil, err
		}
		alone = append(alone, s)
	}
	return alone, nil
}

// Shares is how many there are.
func (d Division) Shares() int { return d.Hashed + len(d.Alone) }

// Of is the number of the share that the fits of a model on a unit are of: that of the first selector that names
// them, else one of those by hash.
func (d Division) Of(dataset, key, model string) int {
	for i, s := range d.Alone {
		if s.unit(dataset, key) && s.match("model", func(p string) bool { return words.Match(p, model) }) {
			return d.Hashed + i
		}
	}
	return hashed(dataset, key, model, d.Hashed)
}

// Share is one of several parts of a pipeline's fits, for machines that share a night. The zero value is all of them.
type Share struct {
	Index int
	Of    Division
}

// has reports whether the fits of a model on a unit are of the share: samplers and replicates stay together, since
// they share a design. Names decide it alone.
func (s Share) has(dataset, key, model string) bool {
	return s.Of.Shares() <= 1 || s.Of.Of(dataset, key, model) == s.Index
}

// hashed is a number below n that names decide.
func hashed(dataset, key, model string, n int) int {
	h := sha256.New()
	for _, name := range []string{dataset, key, model} {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(name))) // a hash takes all that it is given
		h.Write([]byte(name))
	}
	return int(binary.LittleEndian.Uint64(h.Sum(nil)) % uint64(n))
}

// Shards are the shares that the fit is of: one, but where nobody knows what groups or files there are.
func (f *Fit) Shards(d Division) (out []int) {
	if f.Unit.shared() {
		return []int{d.Of(f.Unit.Dataset.Name, f.Unit.Key, f.Model.Name)}
	}
	for i := range d.Shares() {
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
	return u.Err == nil || u.ungrouped || len(u.Dataset.Groups()) == 0 && (u.Key != "" || !u.Dataset.Divided())
}
