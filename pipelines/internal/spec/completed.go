package spec

// eachImputation is Dataset.Each of completed versions of one data set.
const eachImputation = "imputation"

// Imputed reports whether the rows are completed versions of one data set, whose draws are pooled.
func (d *Dataset) Imputed() bool { return d.Each == eachImputation }

// Groups are the columns whose distinct combinations make one fit each; nil of imputations.
func (d *Dataset) Groups() Names {
	if d.Imputed() {
		return nil
	}
	return d.By
}

// Divided reports whether the data set makes a fit for each file or group.
func (d *Dataset) Divided() bool { return d.Each == "file" || len(d.Groups()) > 0 }

// keysOfPath are the options of a data set that belong to a path.
func (d *Dataset) keysOfPath() []string {
	if d.Imputed() { // by identifies the imputations of a query
		return csvKeys
	}
	return append([]string{"each"}, csvKeys...)
}

// imputations checks a data set of several imputations. n is its mapping.
func (c *checker) imputations(d *Dataset, n *node, path []string) {
	if !d.Imputed() {
		return
	}
	at := append(path[:len(path):len(path)], "each")
	c.misplaced(n, path, "does not go with each: imputation", "rows", "triplets", "synthetic", "edges", "tables", "image",
		"grid", "sequences")
	switch {
	case len(d.By) > 1:
		c.at("each: imputation needs one column by, which identifies the imputation",
			"keep the column of imputations, as by: .imp", append(path[:len(path):len(path)], "by")...)
	case n.get("sql") != nil && len(d.By) == 0:
		c.at("imputations of a query need the column that identifies them", "name it, as by: .imp", at...)
	}
}
