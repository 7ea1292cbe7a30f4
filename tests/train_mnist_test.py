#!/usr/bin/env python3
"""Trains for real on Fashion-MNIST and holds the program to its promises: accuracy, equal bits, bounds on staleness.
usage: train_mnist_test.py PROGRAM"""
import glob
import json
import os
import signal
import subprocess
import tempfile
import time

from checks import Checks, main, run

FIELDS = ["model", "mode", "replicas", "backup_replicas", "devices", "steps", "examples_per_second", "step_ms_p50", "loss_first", "loss_last",
          "test_accuracy", "weights_sha256", "staleness", "dropped", "peak_rss_bytes"]


def train_mnist(program):
    c = Checks("train_mnist")
    with tempfile.TemporaryDirectory() as folder:
        def train(*flags):
            report = os.path.join(folder, "report.json")
            code, out, err = run(program, "--report", report, *flags)
            if not c.check(f"train_mnist {' '.join(flags)}", code == 0, out + err):
                return None
            with open(report) as file:
                return json.load(file)

        single = train("--logdir", os.path.join(folder, "log"))
        if single:
            c.check("the report has every field", all(f in single for f in FIELDS), str(sorted(single)))
            c.check("single learns", single["test_accuracy"] >= 0.86, str(single["test_accuracy"]))
            names = os.listdir(os.path.join(folder, "log"))
            for start in ("events.out.tfevents.", "model.ckpt-5000.index", "checkpoint", "trace.json"):
                c.check(f"the log folder has {start}", any(n.startswith(start) for n in names), str(names))

            with open(os.path.join(folder, "log", "trace.json")) as file:
                ops = {event["name"] for event in json.load(file)["traceEvents"]}
            c.check("the trace is of a step that trains", {"ReluGrad", "ApplyGradientDescent"} <= ops, str(ops))

        for device in ("cpu", "simulated_gpu"):
            runs = [train("--mode", "sync", "--deterministic", "--steps", "100", "--replicas", str(n), "--device", device)
                    for n in (1, 2, 4)]
            if all(runs):
                c.check(f"sync on 1, 2, 4 {device}s gives the same bits", len({r["weights_sha256"] for r in runs}) == 1,
                        str([r["weights_sha256"][:8] for r in runs]))
        sync = train("--mode", "sync", "--replicas", "2", "--device", "simulated_gpu")
        if sync:
            c.check("sync learns", sync["test_accuracy"] >= 0.86, str(sync["test_accuracy"]))
            c.check("sync has no staleness", sync["staleness"]["max"] == 0)
            c.check("sync drops nothing", sync["dropped"] == [0, 0], str(sync["dropped"]))
            c.check("the report names its devices in full",
                    sync["devices"] == [f"/job:localhost/replica:0/task:0/device:GPU:{i}" for i in range(2)], str(sync["devices"]))
        backup = train("--mode", "sync", "--replicas", "3", "--backup_replicas", "1", "--steps", "2500")
        if backup:
            c.check("two of three replicas learn", backup["test_accuracy"] >= 0.8, str(backup["test_accuracy"]))
            c.check("a late gradient is not applied to later weights", backup["staleness"]["max"] == 0)
            c.check("a step has two gradients", sum(backup["staleness"]["histogram"]) == 2 * 2500, str(backup["staleness"]))
            c.check("the last ones are dropped", len(backup["dropped"]) == 3 and sum(backup["dropped"]) > 0,
                    str(backup["dropped"]))

        for bound in (0, 1, 3):
            run_ = train("--mode", "async", "--replicas", "4", "--steps", "400", "--max_staleness", str(bound))
            if run_:
                c.check(f"staleness stays within {bound}", run_["staleness"]["max"] <= bound, str(run_["staleness"]))
                c.check("every update is in the histogram", sum(run_["staleness"]["histogram"]) == 400)
        lead = train("--mode", "async", "--replicas", "4", "--steps", "200", "--max_lead", "1", "--delay_compensation", "0.04",
                     "--global_batch", "50", "--seed", "7")
        if lead:
            c.check("a bound on the lead and delay compensation train too", lead["loss_last"] < lead["loss_first"], str(lead))
        free = train("--mode", "async", "--replicas", "4", "--steps", "400")
        if free:
            c.check("replicas overlap", free["staleness"]["max"] >= 1, str(free["staleness"]))
        for stop, mode in ((signal.SIGINT, ("--mode", "single")), (signal.SIGTERM, ("--mode", "async", "--replicas", "2"))):
            log = os.path.join(folder, f"stopped{stop}")
            process = subprocess.Popen([program, "--logdir", log, "--steps", str(1 << 40), *mode], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            while not glob.glob(os.path.join(log, "events.*")) and process.poll() is None:
                time.sleep(0.05)
            time.sleep(1)
            process.send_signal(stop)
            out, err = process.communicate(timeout=120)
            c.check(f"{stop.name} ends training", process.returncode == 128 + stop and "stopped by signal" in err, out + err)
            c.check(f"{stop.name} loses nothing", "test accuracy" in out and os.path.exists(os.path.join(log, "checkpoint")),
                    out + str(os.listdir(log)))

        lenet = train("--model", "lenet", "--steps", "150")
        if lenet:
            c.check("LeNet-5 starts to learn", lenet["test_accuracy"] > 0.6, str(lenet["test_accuracy"]))

        code, out, err = run(program, "--steps", "1", "--mode", "sync", "--replicas", "2", "--device", "simulated_gpu",
                             "--log_device_placement", "--allow_soft_placement")
        c.check("placement is logged", code == 0 and "Device mapping:" in out and "tower_1/" in out
                and "(MatMul): /job:localhost/replica:0/task:0/device:GPU:1" in out, out[-500:] + err)

        code, _, err = run(program, "--data", "/nowhere", "--steps", "1")
        c.check("missing data is an error that names the file", code == 1 and "/nowhere/train-images" in err, err)
        code, _, err = run(program, "--global_batch", "0")
        c.check("an empty batch is an error", code == 1 and "global_batch" in err, err)
    return c


main(train_mnist)
