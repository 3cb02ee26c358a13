package trouble

import (
	"fmt"
	"strings"
)

// page is docs/troubleshooting.md.
func page() string {
	var b strings.Builder
	b.WriteString(head)
	for _, s := range Sections() {
		fmt.Fprintf(&b, "\n## %s\n", s.Title)
		for _, e := range s.Entries {
			fmt.Fprintf(&b, "\n### %s%s\n", strings.ToUpper(e.Headline[:1]), e.Headline[1:])
			for i, text := range e.Begins {
				b.WriteString(map[bool]string{true: "\n", false: "<br>\n"}[i == 0] + "`" + text + "`")
			}
			if len(e.Begins) > 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "\n%s\n", strings.Join(filled(e.Cause), "\n"))
			if e.Remedy != "" {
				fmt.Fprintf(&b, "\n%s\n", strings.Join(filled(e.Remedy), "\n"))
			}
		}
	}
	return b.String()
}

const head = `# Troubleshooting

What does a message of the program mean, and what do I do? An entry has the beginnings of messages, their cause and the
remedy. ` + "`pipeline help`" + ` prints it by its heading, in lower case and with hyphens:

` + "```console\n$ pipeline help too-few-draws-to-judge\n" + `too few draws to judge

The fit has too few draws for diagnostics.

Remedy: Draw at least 20 iterations a chain.
` + "```" + `

A message about a cell, a spec or a call has its remedy in its hint, and is not listed.
`

// filled breaks a text into lines of at most 120 bytes.
func filled(text string) (lines []string) {
	const width = 120
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
