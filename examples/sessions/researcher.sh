#!/usr/bin/env bash
# A researcher's session: an algorithm of one's own, refuted, mended, proven for every number of ranks, and compared.
# Run it in an empty folder: researcher.sh FOLDER-OF-EXAMPLES PREFIX, where `cmake --install build --prefix PREFIX` put the headers; it needs
# `tutti` and a C++ compiler.
set -euo pipefail
files=${1:?expected the folder examples/plugin}
headers=${2:?expected the prefix of an installation}/include/tutti
say() { printf '\n== %s\n' "$*"; }
build() { c++ -std=c++20 -O1 -fPIC -shared -I "$headers" "$1.cpp" -o "lib$1.so"; }

say 'A broadcast in which the root sends to everybody; at first it forgets the last one'
sed 's/other < comm.size()/other < comm.size() - 1/; s/"star"/"hasty"/' "$files/star.cpp" >hasty.cpp
build hasty
status=0
tutti --plugin ./libhasty.so verify --algorithm hasty --ranks 1-8 || status=$?
[ "$status" = 1 ] # refuted, with the smallest case

say 'Mended, it is proven, with its rounds, messages and bytes, for every number of ranks'
cp "$files/star.cpp" .
build star
tutti --plugin ./libstar.so verify --algorithm star --ranks 1-33

say 'Beside others, on a machine, over sizes and over numbers of ranks'
tutti --plugin ./libstar.so simulate bcast --machine example-cluster --nodes 2-16 --ppn 1 --bytes 8,64K \
  --algorithm star,binomial,pipeline,scatter_ring --csv times.csv --plot times.png >times.txt
tail -n 4 times.txt

say 'What bounds it, and how the messages pass'
tutti --plugin ./libstar.so simulate bcast --machine example-cluster --nodes 8 --ppn 1 --bytes 64K \
  --algorithm star --critical-path --space-time star.svg | tail -n 6

say 'Where it wins a table of all choices, and on a network with twice the latency'
tutti --plugin ./libstar.so tune --machine example-cluster --nodes 2-4 --ppn 1 --osu-sizes 8:4K --collectives bcast -o table.json
tutti --plugin ./libstar.so report table.json --call bcast:nodes=4,bytes=4K,algorithm=star -o report.html
tutti --plugin ./libstar.so whatif bcast --machine example-cluster --nodes 8 --ppn 1 --bytes 8,4K \
  --latency leaf=+100% --algorithms star,binomial,knomial:radix=4
say 'Done: star is proven and compared'
