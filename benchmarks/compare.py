#!/usr/bin/env python3
"""The engine and a peer on one workload, paired and alternating (A B B A): the ratio of their times and its spread.

  benchmarks/compare.py --python /opt/tf2/bin/python --peer b3_jax --variant jit
  benchmarks/compare.py --python python3 --peer b3_tensorflow2 --batch 1 --threads 1 --rounds 8

Each round runs either side twice, in processes of their own, and gives one ratio peer / engine (above 1: the engine is
faster). Reported: median and extremes over rounds. Fails when the losses of the first steps do not agree.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def last_json(command, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
    return json.loads(lines[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headrace", default=HERE.parent / "build/release/bin/headrace", help="the headrace tool")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the peer")
    parser.add_argument("--peer", default="b3_jax", help="a script of benchmarks/peers")
    parser.add_argument("--variant", help="of the peer")
    parser.add_argument("--batch", type=int, choices=[1, 100], default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()

    timing = ["--threads", str(args.threads), "--seconds", str(args.seconds)]
    variant = "penalty" if args.batch == 100 else "penalty_batch1"
    engine_command = [args.headrace, "bench", "B3", "--json", "--variant", variant, *timing]
    peer_command = [args.python, f"{args.peer}.py", "--batch", str(args.batch), *timing]
    peer_command += ["--variant", args.variant] if args.variant else []
    engine = lambda: last_json(engine_command)
    peer = lambda: last_json(peer_command, cwd=HERE / "peers")

    ratios, ours, theirs = [], [], []
    for i in range(args.rounds):
        runs = {engine: [], peer: []}
        for side in (engine, peer, peer, engine) if i % 2 == 0 else (peer, engine, engine, peer):
            runs[side].append(side())
        a, b = runs[engine][0], runs[peer][0]
        for key, tolerance in (("loss_first", 1e-5), ("loss_last", 1e-3)):
            if abs(a[key] - b[key]) > tolerance * abs(b[key]):
                sys.exit(f"{key} differs: {a[key]} here, {b[key]} with {b['peer']}: not the same arithmetic")
        mean = {side: statistics.mean(run["value"] for run in list_) for side, list_ in runs.items()}
        ours.append(mean[engine])
        theirs.append(mean[peer])
        ratios.append(mean[peer] / mean[engine])
    print(f"B3, batch {args.batch}, {args.threads} threads against {b['peer']} ({b['variant']}): "
          f"{statistics.median(ours):.0f} us against {statistics.median(theirs):.0f} us; peer / engine "
          f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f} over {args.rounds} rounds); "
          f"losses {a['loss_first']:.6f} -> {a['loss_last']:.6f}")


if __name__ == "__main__":
    main()
