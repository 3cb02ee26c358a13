package prose

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// questions are the headings of a release in the changelog.
var questions = []string{"### Must you act?", "### Will results change?", "### Was a result wrong?", "### What is new?"}

// changelogFaults returns what breaks the form of a changelog: four questions for an unreleased version, entries of at
// most 25 words, and 900 words in all. Targets of links are not counted.
func changelogFaults(text string) (faults []string) {
	text = regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(text, "]")
	if n := len(strings.Fields(text)); n > 900 {
		faults = append(faults, "more than 900 words")
	}
	var found []string
	for block := range strings.SplitSeq(strings.ReplaceAll(text, "\n- ", "\n\n- "), "\n\n") {
		block = strings.TrimSpace(block)
		if strings.HasPrefix(block, "### ") {
			found = append(found, block)
		}
		if entry, is := strings.CutPrefix(block, "- "); is && len(strings.Fields(entry)) > 25 {
			faults = append(faults, "more than 25 words: "+entry)
		}
	}
	if !slices.Equal(found, questions) {
		faults = append(faults, "its questions are "+strings.Join(found, " "))
	}
	return faults
}

func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	must(t, err)
	for _, fault := range changelogFaults(string(text)) {
		t.Errorf("CHANGELOG.md: %s", fault)
	}
	planted := strings.Join(questions[1:], "\n\n") + "\n\n- " + strings.Repeat("word ", 26) + "\n- " +
		strings.Repeat("a.\n- ", 900)
	if got := changelogFaults(planted); len(got) != 3 {
		t.Errorf("a planted changelog has the faults %q", got)
	}
}
