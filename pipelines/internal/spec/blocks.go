package spec

import "slices"

// checkBlocks checks what blocks say together, and with the sampler's other keys. Only the data determine the
// meaning of names.
func (c *checker) checkBlocks(s *Sampler) {
	if len(s.Blocks) == 0 || !s.Of().takes("blocks") {
		return
	}
	path := []string{"samplers", s.Name, "blocks"}
	if s.Basis != "" && s.Basis != "coordinate" {
		c.at("blocks are for the basis coordinate", "leave blocks or basis out", path...)
	}
	if len(s.Scan.For) > 0 {
		c.at("blocks are drawn in each iteration, and scan has for", "leave one of the two out", path...)
	}
	if s.Uncached {
		c.at("blocks need the cache, and uncached is true", "leave one of the two out", path...)
	}
	var seen []string
	for _, block := range s.Blocks {
		for _, name := range block {
			if slices.Contains(seen, name) {
				c.at(name+" is in blocks twice", "a coefficient is in one block at most: remove one of them", path...)
			}
			seen = append(seen, name)
		}
	}
}
