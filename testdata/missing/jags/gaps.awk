# Cells of radon_mn.csv that are deleted, by the number i of a row from 0: about a tenth of floor and of log_uppm, and
# 28 responses.
BEGIN { FS = OFS = "," }
NR > 1 {
  i = NR - 2
  if (i * 7 % 10 == 3) $2 = "NA"
  if (i * 13 % 11 == 5) $3 = "NA"
  if (i * 11 % 32 == 4) $4 = "NA"
}
{ print }
