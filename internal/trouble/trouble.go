package trouble

import (
	"regexp"
	"strings"
	"sync"
)

// Entry is a reason, a warning or an exit code.
type Entry struct {
	Headline string // few words, unique
	// Begins are beginnings of the messages, without a number in front; … is any text.
	Begins        []string
	Cause, Remedy string
}

// Section is a part of the registry and of the page.
type Section struct {
	Title   string
	Entries []Entry
}

// Sections returns the registry, in the order in which entries are tried.
func Sections() []Section {
	return []Section{{"Verdicts", verdicts}, {"Predictive checks", checks}, {"Warnings about data", ofData},
		{"Warnings about the model", ofModels}, {"Warnings about draws", ofDraws}, {"Exit codes", exits}}
}

// Anchor is the entry's heading as a link has it.
func (e *Entry) Anchor() string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(e.Headline), "-"), "-")
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// Find returns the entry of a message; nil means that it has none.
func Find(message string) *Entry {
	message = count.ReplaceAllString(message, "")
	for _, k := range known() {
		if k.begins.MatchString(message) {
			return k.entry
		}
	}
	return nil
}

// count is a number that a message begins with, as in "3 divergent transitions exceed 0".
var count = regexp.MustCompile(`^\d+ `)

type pattern struct {
	begins *regexp.Regexp
	entry  *Entry
}

var known = sync.OnceValue(func() (out []pattern) {
	for _, s := range Sections() {
		for i := range s.Entries {
			for _, b := range s.Entries[i].Begins {
				text := strings.ReplaceAll(regexp.QuoteMeta(b), "…", ".*")
				out = append(out, pattern{regexp.MustCompile("(?s)^" + text), &s.Entries[i]})
			}
		}
	}
	return out
})

// At returns the entry of an anchor; nil means that there is none.
func At(anchor string) *Entry {
	for _, s := range Sections() {
		for i := range s.Entries {
			if s.Entries[i].Anchor() == anchor {
				return &s.Entries[i]
			}
		}
	}
	return nil
}

// Anchors are those of the entries of some messages, each once.
func Anchors(messages []string) (out []string) {
	seen := map[string]bool{}
	for _, m := range messages {
		if e := Find(m); e != nil && !seen[e.Anchor()] {
			seen[e.Anchor()] = true
			out = append(out, e.Anchor())
		}
	}
	return out
}
