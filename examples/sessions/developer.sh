#!/usr/bin/env bash
# A developer's session: what one rank more or less than 128 costs, which rule does that, and the cliffs of a rules file.
# Run it in an empty folder: developer.sh FOLDER-OF-EXAMPLES; it needs `tutti` and, for pictures, matplotlib.
set -euo pipefail
files=${1:?expected the folder examples/how-to}
say() { printf '\n== %s\n' "$*"; }
finds() { # a command whose findings end with status 1
  local status=0
  "$@" || status=$?
  [ "$status" = 1 ] || { echo "expected findings of: $*" >&2; exit 1; }
}

say '127, 128 and 129 ranks: some algorithms, and what the library picks'
tutti simulate bcast --machine leonardo-booster --nodes 127-129 --ppn 1 --bytes 64K \
  --algorithm binomial,scatter_ring,scatter_recursive_doubling,default:open-mpi-4.1 --csv times.csv

say 'Why the library does that at 129'
tutti explain bcast --machine leonardo-booster --nodes 129 --ppn 1 --bytes 64K --library open-mpi-5.0

say 'Every number of ranks around it: the best, the defaults, and what one more costs'
tutti study odd-counts --machine leonardo-booster --nodes 127-129 --collectives bcast,allreduce --osu-sizes 1K,64K -o study
tail -n 12 study/README.md

say 'What is wrong with a rules file that somebody wrote by hand'
finds tutti lint "$files/by-hand.rules" --for open-mpi-4.1

say 'What it costs beside the best, and between which sizes and numbers of ranks that jumps'
tutti tune --machine example-cluster --nodes 2-9 --ppn 1 --osu-sizes 8,1K,64K --collectives bcast \
  --baselines open-mpi-4.1 --confirm none -o table.json
finds tutti audit "$files/by-hand.rules" table.json --for open-mpi-4.1 --plot cliffs.png

say 'One that is better, and where the two differ'
tutti export table.json --to open-mpi-classic -o better.rules
tutti diff "$files/by-hand.rules" better.rules --for open-mpi-4.1
say 'Done: better.rules'
