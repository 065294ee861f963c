#!/usr/bin/env bash
# An engineer's session: from what a cluster's own tools say to a tuning file that the installed Open MPI is seen to follow.
# Run it in an empty folder: engineer.sh FOLDER-OF-EXAMPLES; it needs `tutti`, and Open MPI 4.1 or 5.0 (mpirun, mpicc).
set -euo pipefail
files=${1:?expected the folder examples/how-to}
say() { printf '\n== %s\n' "$*"; }

say 'A machine of the fabric and of what was measured on it; what nothing says is a guess, and listed'
tutti machine --from ibnetdiscover="$files/fabric.txt" --from matrix="$files/latency.txt" -o cluster.json
tutti machine cluster.json >figures.txt
grep -q guess figures.txt

say 'What a failed cable costs'
tutti whatif alltoall --machine cluster.json --nodes 4 --ppn 1 --bytes 64K,1M --fail cable:cable --plot failed.png

say 'The best choices that the library can be told, and a page about them'
tutti tune --machine cluster.json --nodes 2-4 --ppn 1,2 --osu-sizes 8:16K --collectives bcast,allreduce \
  --for open-mpi-4.1 --state sweep -o table.json
tutti report table.json --machine cluster.json --call bcast:nodes=4,ppn=2,bytes=16K -o report.html

say 'Which measurements would be worth two node-hours'
tutti plan table.json --budget 2nh -o campaign
ls campaign/round-1

say 'The file, with what it gains; nothing is wrong with it'
tutti export table.json --to open-mpi-classic --module -o open-mpi.rules
tutti lint open-mpi.rules --for open-mpi-4.1

say 'What the library really does under it, call by call'
mpi='mpirun --oversubscribe -np 4'
[ "$(id -u)" != 0 ] || mpi="$mpi --allow-run-as-root"
tutti follow open-mpi.rules --mpi "$mpi" --ranks 2-4 --largest 64K | tee followed.txt
say 'Done: open-mpi.rules is followed'
