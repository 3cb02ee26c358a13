# Means, standard deviations and Monte Carlo standard errors, from 80 means of batches, of JAGS's draws: one line for
# each parameter, by this program's names. Cells and responses that are not missing are left out.
FNR == 1 { file++ }
file == 1 { # gaps.csv
  if (FNR == 1) next
  split($0, cell, ",")
  if (!(cell[1] in level)) { level[cell[1]] = ++levels; county[levels] = cell[1] }
  if (cell[2] == "NA") names["floor[" FNR - 1 "]"] = "Ymi_floor[" FNR - 1 "]"
  if (cell[3] == "NA") names["log_uppm[" FNR - 1 "]"] = "Ymi_log_uppm[" FNR - 1 "]"
  if (cell[4] == "NA") names["log_radon[" FNR - 1 "]"] = "Ymi_log_radon[" FNR - 1 "]"
  next
}
file == 2 { # index: name, first and last line
  if (FNR == 1) {
    names["b0"] = "(Intercept)"; names["b1"] = "floor"; names["b2"] = "log_uppm"; names["sigma"] = "sigma"
    names["sd_county"] = "sd_county__Intercept"; names["c0"] = "log_uppm_(Intercept)"; names["sigma_c"] = "sigma_log_uppm"
    names["d"] = "floor_(Intercept)"; names["d1"] = "floor_log_uppm"
    for (l in county) names["r[" l "]"] = "r_county[" county[l] ",Intercept]"
  }
  if ($1 in names) { from[$1] = $2; to[$1] = $3; at[$2] = $1 }
  draws = $3 - $2 + 1
  next
}
{
  if (FNR == 1) { name = ""; chain++ }
  if (FNR in at) { name = at[FNR]; k = 0; if (!(name in seen)) { seen[name] = 1; order[++count] = name } }
  if (name == "" || FNR > to[name]) next
  batch = (chain - 1) * 20 + int(k++ * 20 / draws)
  sum[name, batch] += $2; total[name] += $2; squares[name] += $2 * $2
}
END {
  n = 4 * draws
  printf "{\n  \"program\": \"jags/radon_mn.bug\",\n  \"jags\": \"%s\",\n  \"chains\": 4,\n  \"warmup\": 5000,\n", version
  printf "  \"iterations\": 60000,\n  \"thin\": 10,\n  \"parameters\": {\n"
  for (p = 1; p <= count; p++) {
    name = order[p]; mean = total[name] / n; between = 0
    for (b = 0; b < 80; b++) { d = sum[name, b] * 80 / n - mean; between += d * d }
    printf "    \"%s\": {\"mean\": %.6g, \"sd\": %.6g, \"mcse\": %.3g}%s\n", names[name], mean,
      sqrt(squares[name] / n - mean * mean), sqrt(between / 79 / 80), p < count ? "," : ""
  }
  printf "  }\n}\n"
}
