#!/bin/sh
# Draws radon_mn.bug by JAGS (apt-get install jags) and writes ../radon_mn.reference.json:
#   testdata/missing/jags/radon_mn.sh ../shared/data/multilevel/radon_mn.csv
# Four chains of 60,000 iterations after 5000, every 10th kept; some 6 minutes of one core, two at a time.
set -e
here=$(cd "$(dirname "$0")" && pwd)
data=$(realpath "$1")
work=$(mktemp -d)
cd "$work"
awk -f "$here/gaps.awk" "$data" > gaps.csv
awk -F, 'NR > 1 {
    if (!($1 in level)) level[$1] = ++J
    c = c (c ? "," : "") level[$1]; f = f (f ? "," : "") $2; u = u (u ? "," : "") $3; y = y (y ? "," : "") $4; N++
  } END {
    print "N <-", N; print "J <-", J; print "centre <- -0.014652"
    print "county <- c(" c ")"; print "floor <- c(" f ")"; print "log_uppm <- c(" u ")"; print "log_radon <- c(" y ")"
  }' gaps.csv > data.R
for chain in 1 2 3 4; do
  printf '".RNG.name" <- "base::Mersenne-Twister"\n".RNG.seed" <- %d\n' "$chain" > "init$chain.R"
  cat > "run$chain.txt" <<RUN
model in "$here/radon_mn.bug"
data in "data.R"
compile
parameters in "init$chain.R"
initialize
update 5000
monitor b0, thin(10)
monitor b1, thin(10)
monitor b2, thin(10)
monitor sigma, thin(10)
monitor sd_county, thin(10)
monitor c0, thin(10)
monitor sigma_c, thin(10)
monitor d, thin(10)
monitor d1, thin(10)
monitor r, thin(10)
monitor floor, thin(10)
monitor log_uppm, thin(10)
monitor log_radon, thin(10)
update 60000
coda *, stem("chain$chain-")
RUN
  nice jags "run$chain.txt" > "log$chain" &
  [ $((chain % 2)) = 0 ] && wait
done
wait
awk -v version="$(echo exit | jags | sed -n "s/^Welcome to JAGS \([0-9.]*\).*/\1/p")" -f "$here/summarise.awk" gaps.csv chain1-index.txt chain1-chain1.txt \
  chain2-chain1.txt chain3-chain1.txt chain4-chain1.txt > "$here/../radon_mn.reference.json"
rm -r "$work"
