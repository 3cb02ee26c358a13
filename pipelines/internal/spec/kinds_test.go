package spec

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each name of a feature in kinds is in features, or is a key of a model. Each sentence about a spec is the message of
// some case of testdata.
func TestKindsLack(t *testing.T) {
	var printed strings.Builder
	wanted, err := filepath.Glob("testdata/cases/*/want.txt")
	must(t, err)
	for _, path := range wanted {
		text, err := os.ReadFile(path)
		must(t, err)
		printed.Write(text)
	}
	keys, sentences := keysOf(fieldsOf(typeOf[Model]())), 0
	for _, k := range kinds {
		for i, no := range append(k.lacks, k.fits...) {
			for _, name := range strings.Split(no.features, ", ") {
				if _, known := features[name]; !known && !has(keys, []string{name}) {
					t.Errorf("%q is neither a feature nor a key of a model", name)
				}
				sentences++
				message := regexp.QuoteMeta(strings.ReplaceAll(no.message, "$key", name))
				message = regexp.MustCompile(`\\\$\w+`).ReplaceAllString(message, `.+`)
				if i < len(k.lacks) && !regexp.MustCompile(`: `+message+`\n`).MatchString(printed.String()) {
					t.Errorf("no case has the message %s", message)
				}
			}
		}
	}
	t.Logf("%d kinds, %d sentences", len(kinds), sentences)
}
