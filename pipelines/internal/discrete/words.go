package discrete

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"glmbatch/infer/glm"
)

// didYouMean is the hint for a wrong name: the nearest right one, and some of all.
func didYouMean(name string, known []string, what string) string {
	const most = 12
	best, found := max(1, utf8.RuneCountInString(name)/3), ""
	for _, k := range known {
		if d := glm.EditDistance(strings.ToLower(name), strings.ToLower(k)); d < best || d == best && found == "" {
			best, found = d, k
		}
	}
	list := known
	if len(list) > most {
		list = append(list[:most:most], "…")
	}
	hint := ""
	if found != "" {
		hint = "did you mean " + strconv.Quote(found) + "? "
	}
	if len(list) == 0 {
		return "there are no " + what
	}
	return hint + what + ": " + strings.Join(list, ", ")
}
