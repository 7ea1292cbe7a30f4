"""What every peer of workload B3 shares: numbers that the engine's side makes too, and how time is taken.

The step: 784-500-10 perceptron, ReLU, softmax cross entropy + 1e-4 * L2 loss of both weights, gradient descent with
learning rate 0.8, every step on the same batch, loss fetched after each step. See benchmarks/workloads/networks.cpp.
"""
import argparse
import json
import time

import numpy as np

RATE = 0.8
PENALTY = 1e-4


def scrambled(shape, low, high):
    """The i-th number is a hash of i in [low, high): networks.cpp has the same function."""
    hashed = (np.arange(int(np.prod(shape)), dtype=np.uint64) * 2654435761 + 374761393) % 2**32
    hashed = ((hashed ^ (hashed >> 15)) * 2246822519) % 2**32
    unit = (hashed >> 8).astype(np.float32) * np.float32(2.0**-24)
    return (np.float32(low) + np.float32(high - low) * unit).reshape(shape)


def weights():
    return [
        scrambled((784, 500), -0.1, 0.1),
        np.full(500, 0.1, np.float32),
        scrambled((500, 10), -0.1, 0.1),
        np.full(10, 0.1, np.float32),
    ]


def batch(rows):
    return scrambled((rows, 784), 0.0, 0.25), (np.arange(rows) * 7 % 10).astype(np.int64)


def arguments(variants):
    parser = argparse.ArgumentParser()
    parser.add_argument("--variant", choices=variants, default=variants[0])
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2)
    return parser.parse_args()


def report(name, args, step, steps_per_call=1):
    """Calls step() (-> the losses of its steps) as `headrace bench` does: median over rounds of about 20 ms."""
    losses = []
    while len(losses) < 10:
        losses += [float(loss) for loss in np.atleast_1d(step())]
    start = time.perf_counter()
    for _ in range(20):
        step()
    calls = max(1, int(0.02 / ((time.perf_counter() - start) / 20)))
    rounds = []
    end = time.perf_counter() + args.seconds
    while len(rounds) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(calls):
            step()
        rounds.append((time.perf_counter() - start) / calls / steps_per_call * 1e6)
    rounds.sort()
    at = lambda quantile: rounds[int(quantile * (len(rounds) - 1))]
    print(json.dumps({"workload": "B3", "peer": name, "variant": args.variant, "unit": "us", "value": at(0.5),
                      "spread": (at(0.9) - at(0.1)) / at(0.5), "threads": args.threads,
                      "loss_first": losses[0], "loss_last": losses[9]}))
