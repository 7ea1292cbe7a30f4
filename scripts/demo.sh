#!/usr/bin/env bash
# Trains on Fashion-MNIST in every mode and prints one table. usage: demo.sh BUILD_DIR
set -euo pipefail
build=$1
bin=$build/bin out=$(dirname "$build")/demo data=${HEADRACE_MNIST_DIR:-/usr/share/datasets/fashion-mnist}
rm -rf "$out"
mkdir -p "$out/reports"

echo "Devices (the GPUs are simulated: they compute with the CPU's kernels and share its cores)"
"$bin/headrace" devices --simulated_gpus 4
echo
echo "Placement of the graph with two replicas (every node and why: $out/placement.txt)"
"$bin/train_mnist" --data "$data" --mode sync --replicas 2 --device simulated_gpu --steps 0 --placement_table >"$out/placement.txt"
# Some of them, in columns as wide as these need.
awk -F '  +' 'NR == 1 || /^((layer1|tower_0)\/[^\/ ]+|tower_1\/(images|MatMul|Relu)|GradientDescent\/update_layer1\/weights\/[^\/ ]+) / {
  rows++
  for (c = 1; c <= NF; ++c) { cell[rows, c] = $c; if (length($c) > width[c]) width[c] = length($c) }
  columns = NF > columns ? NF : columns
}
END {
  for (r = 1; r <= rows; ++r) {
    line = ""
    for (c = 1; c <= columns; ++c) line = line sprintf("%-" width[c] "s  ", cell[r, c])
    sub(/ +$/, "", line)
    print line
  }
}' "$out/placement.txt"
echo

run() {  # run NAME FLAGS...
  local name=$1
  shift
  "$bin/train_mnist" --data "$data" --report "$out/reports/$name.json" "$@" >>"$out/log.txt"
}
echo "Training"
run 01_mlp_single --mode single --logdir "$out/log"
run 02_mlp_sync1 --mode sync --replicas 1 --device simulated_gpu
run 03_mlp_sync2 --mode sync --replicas 2 --device simulated_gpu
run 04_mlp_sync4 --mode sync --replicas 4 --device simulated_gpu
run 05_mlp_async1 --mode async --replicas 1 --device simulated_gpu
run 06_mlp_async2 --mode async --replicas 2 --device simulated_gpu
run 07_mlp_async4 --mode async --replicas 4 --device simulated_gpu
run 08_lenet_single --model lenet --mode single --steps "${HEADRACE_DEMO_LENET_STEPS:-1200}"

python3 scripts/demo_table.py "$out/reports" "$out/report.json"
echo
echo "TensorBoard log    $out/log         (tensorboard --logdir $out/log)"
echo "checkpoint         $out/log/model.ckpt-5000   ($bin/headrace ckpt ls ...)"
echo "Chrome trace       $out/log/trace.json        (open in https://ui.perfetto.dev)"
echo "report             $out/report.json"
