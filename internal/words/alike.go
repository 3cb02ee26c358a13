package words

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// SameForm reports whether two different texts have the same Unicode normal form: größe composed and decomposed.
func SameForm(a, b string) bool { return a != b && norm.NFC.String(a) == norm.NFC.String(b) }

// Pair is two names that may be meant as one.
type Pair struct {
	Rare, Other string
	Why         string // in what they differ
}

// Quoted is the pair in quotes: in ASCII if the difference is not seen otherwise.
func (p *Pair) Quoted() (rare, other string) {
	if p.Why == differForm {
		return strconv.QuoteToASCII(p.Rare), strconv.QuoteToASCII(p.Other)
	}
	return strconv.Quote(p.Rare), strconv.Quote(p.Other)
}

// In what two names may differ.
const (
	differForm     = "in Unicode normal form only"
	differBlanks   = "in blanks only"
	differCapitals = "in capitals only"
	differLetter   = "in one letter"
)

// Bounds of what is taken for a slip: names with digits are codes, short ones too, and a level that has more rows is
// meant.
const (
	slipLetters  = 5    // at least so many, and no digit
	rareRows     = 2    // at most
	frequentRows = 10   // at least
	maxCompared  = 2000 // rare names, and frequent ones
)

// Alike finds names that are likely to be another one in a different spelling. Names that differ in Unicode form or
// blanks only are; so are names of three letters or more that differ in capitals, if each is written in small letters,
// capitals or with a first capital; and a name of at most rareRows rows that is one edit from one of at least
// frequentRows, both without digits and of at least slipLetters letters. rows are those of each name. Pairs are in the
// order of names.
//
// Cost: O(len(names)), and a comparison of each rare name with each frequent one of about its length.
func Alike(names []string, rows []int) (out []Pair) {
	seen := map[string]int{} // folded → the first name
	for i, name := range names {
		key := fold(name)
		if key == "" {
			continue
		}
		first, known := seen[key]
		if !known {
			seen[key] = i
			continue
		}
		if why := differ(names[first], name); why != "" {
			rare, other := i, first
			if rows[first] < rows[i] {
				rare, other = first, i
			}
			out = append(out, Pair{names[rare], names[other], why})
		}
	}
	return append(out, slips(names, rows)...)
}

// fold is a name without what Alike looks beyond.
func fold(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(norm.NFC.String(name), isBlank), " "))
}

func isBlank(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) || r == '\u200b' || r == '\ufeff'
}

// differ returns in what two names of one fold differ; empty if that is no sign of a slip.
func differ(a, b string) string {
	if SameForm(a, b) {
		return differForm
	}
	unblanked := func(s string) string { return strings.Join(strings.FieldsFunc(norm.NFC.String(s), isBlank), " ") }
	if unblanked(a) == unblanked(b) {
		return differBlanks
	}
	if utf8.RuneCountInString(a) < 3 || !ordinaryCase(a) || !ordinaryCase(b) {
		return ""
	}
	return differCapitals
}

// ordinaryCase reports whether a name is in small letters, capitals, or small letters after first capitals.
func ordinaryCase(s string) bool {
	if s == strings.ToLower(s) || s == strings.ToUpper(s) {
		return true
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return !slices.ContainsFunc(parts, func(word string) bool {
		_, first := utf8.DecodeRuneInString(word)
		return word[first:] != strings.ToLower(word[first:])
	})
}

// slips are rare names that are one edit from a frequent one.
func slips(names []string, rows []int) (out []Pair) {
	var rare, frequent []string
	for i, name := range names {
		letters := utf8.RuneCountInString(name)
		if letters < slipLetters || letters > 100 || strings.ContainsFunc(name, unicode.IsDigit) {
			continue
		}
		switch {
		case rows[i] <= rareRows:
			rare = append(rare, name)
		case rows[i] >= frequentRows:
			frequent = append(frequent, name)
		}
	}
	if len(rare) > maxCompared || len(frequent) > maxCompared {
		return nil // names of persons or things, and not the levels of a factor
	}
	for _, r := range rare {
		for _, f := range frequent {
			if d := len(r) - len(f); d <= 4 && d >= -4 && fold(r) != fold(f) && distance(fold(r), fold(f)) == 1 {
				out = append(out, Pair{r, f, differLetter})
				break
			}
		}
	}
	return out
}
