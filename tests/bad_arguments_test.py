#!/usr/bin/env python3
"""Wrong arguments and damaged files on the command line: exit code 1, or that of the argument parser, and a message that
names what is wrong; no signal, no trace of a crash. usage: bad_arguments_test.py HEADRACE TRAIN_MNIST SOURCE_DIR"""
import gzip
import os
import struct
import subprocess
import tempfile

from checks import Checks, main, run


def idx(dims, body):
    return struct.pack(">HBB", 0, 8, len(dims)) + b"".join(struct.pack(">I", d) for d in dims) + body


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def bad_arguments(headrace, train_mnist, source):
    c = Checks("bad_arguments")

    def refused(what, *command, parts=(), lines=3):
        code, out, err = run(*command, timeout=60)
        text = err + out
        ok = 0 < code < 128 and "terminate called" not in text and all(p in text for p in parts)
        c.check(f"{what}: refused", ok, f"exit code {code}\n{text}")
        c.check(f"{what}: short", 1 <= len(err.strip().splitlines()) <= lines, err)

    # The tool.
    graph = os.path.join(source, "tests/golden/graphs/a_plus_b.pb")
    ckpt = os.path.join(source, "tests/golden/checkpoint/v2/model.ckpt-3")
    refused("no command", headrace, parts=["devices", "place"], lines=5)
    refused("an unknown command", headrace, "plase", parts=["plase", "place"], lines=5)
    refused("an unknown flag", headrace, "devices", "--gpus", "2", parts=["--gpus"], lines=5)
    refused("an unknown command of ckpt", headrace, "ckpt", "lss", "x", parts=["'lss'", "ls, cat, diff"], lines=5)
    refused("a command of the Python package", headrace, "run", "old.py", parts=["pip install ."], lines=5)
    refused("a negative count", headrace, "devices", "--simulated_gpus", "-5", parts=["-5"])
    refused("a count that is no number", headrace, "devices", "--simulated_gpus", "two", parts=["two"])
    refused("an unknown op", headrace, "ops", "MatMull", parts=["MatMull", "MatMul"])
    refused("no graph", headrace, "place", parts=["GRAPH"], lines=5)
    refused("a graph that is not there", headrace, "place", "/nowhere/g.pb", parts=["/nowhere/g.pb"])
    refused("a device as graph", headrace, "place", "/dev/zero", parts=["/dev/zero", "device"])
    for command in ("devices", "ops"):
        with open("/dev/full", "wb") as full:
            ran = subprocess.run([headrace, command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        c.check(f"{command} onto a full disk", ran.returncode == 1 and "standard output" in ran.stderr,
                f"exit code {ran.returncode}\n{ran.stderr}")
    refused("a folder as graph", headrace, "place", "/", parts=["'/'"])
    refused("devices that cannot be", headrace, "place", graph, "--devices", "cpu:1,tpu:4", parts=["tpu:4", "cpu:1,gpu:4"])
    refused("no CPU", headrace, "place", graph, "--devices", "gpu:2", parts=["CPU"])
    refused("no checkpoint", headrace, "ckpt", "ls", "/nowhere/model", parts=["/nowhere/model"])
    refused("no such variable", headrace, "ckpt", "cat", ckpt, "no_such", parts=["no_such"])
    refused("a file of a checkpoint", headrace, "ckpt", "ls", f"{ckpt}.index", parts=[f"'{ckpt}'; give that path"])
    refused("a folder as checkpoint", headrace, "ckpt", "ls", os.path.dirname(ckpt), parts=["is a folder", "model.ckpt-100"])
    refused("fewer than no elements", headrace, "ckpt", "cat", ckpt, "global_step", "--most", "-5", parts=["-5"])
    refused("one checkpoint to compare", headrace, "ckpt", "diff", ckpt, parts=["SECOND"], lines=5)
    refused("an unknown workload", headrace, "bench", "B99", parts=["B99", "B1"])
    refused("an unknown variant", headrace, "bench", "B3", "--variant", "huge", parts=["huge"])
    refused("a negative time", headrace, "bench", "B3", "--seconds", "-1", parts=["-1"])
    refused("a negative number of threads", headrace, "bench", "B3", "--threads", "-2", parts=["-2"])

    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(graph, "rb") as file:
            whole = file.read()
        for size in (0, 1, 7, len(whole) // 2, len(whole) - 1):
            write(path("cut.pb"), whole[:size])
            code, out, err = run(headrace, "place", path("cut.pb"))
            c.check(f"a graph of {size} bytes", code == 1 and "cut.pb" in err or (size == 0 and code == 0), f"{code} {err}")
        write(path("text.pbtxt"), b"node { name: \"a\" op: ")
        refused("half a text graph", headrace, "place", path("text.pbtxt"), parts=["text.pbtxt", ":1:22"])
        write(path("empty.index"), b"")
        refused("an empty index", headrace, "ckpt", "ls", path("empty"), parts=["empty.index", "0 bytes"])

        # Training data.
        pixels = bytes(range(256)) * 4
        images, labels = idx([10, 28, 28], (pixels * 8)[:7840]), idx([10], bytes(i % 10 for i in range(10)))

        def data(**changed):
            files = {"train-images": images, "train-labels": labels, "t10k-images": images, "t10k-labels": labels}
            files.update({name.replace("_", "-"): value for name, value in changed.items()})
            for name, value in files.items():
                kind = "idx3" if "images" in name else "idx1"
                if value is None:
                    os.unlink(path(f"{name}-{kind}-ubyte.gz"))
                else:
                    write(path(f"{name}-{kind}-ubyte.gz"), value)

        def train(*more):
            given = dict(zip(more[::2], more[1::2]))
            flags = {"--data": folder, "--steps": "1", "--global_batch": "5", **given}
            return [train_mnist, *(word for flag in flags.items() for word in flag)]

        data()
        code, out, err = run(*train())
        c.check("the small data set trains", code == 0, out + err)
        squeezed = gzip.compress(images)
        damaged = bytearray(squeezed)
        damaged[len(damaged) // 2] ^= 0xFF
        for what, change, parts in (
                ("images that are cut short", {"train_images": images[:-1]}, ["train-images"]),
                ("images cut within the header", {"train_images": images[:9]}, ["train-images"]),
                ("an empty file of images", {"train_images": b""}, ["train-images"]),
                ("images with bytes too many", {"train_images": images + b"x"}, ["train-images"]),
                ("gzip that is cut short", {"train_images": squeezed[:-20]}, ["train-images"]),
                ("gzip that is damaged", {"train_images": bytes(damaged)}, ["train-images"]),
                ("labels that are cut short", {"train_labels": labels[:-3]}, ["train-labels"]),
                ("fewer labels than images", {"train_labels": idx([9], bytes(9))}, ["[10,28,28]", "[9]"]),
                ("images of another size", {"train_images": idx([10, 2, 2], bytes(40))}, ["[10,2,2]"]),
                ("no test images", {"t10k_images": None}, ["t10k-images"]),
                ("text in place of images", {"train_images": b"<html>not found</html>"}, ["train-images"]),
                ("a label that is no class", {"train_labels": idx([10], bytes([77] * 10))}, ["77"])):
            data()
            data(**change)
            refused(what, *train(), parts=parts, lines=1)
        data()
        for what, more, parts in (
                ("a folder that is not there", ["--data", "/nowhere"], ["/nowhere/train-images"]),
                ("a batch of none", ["--global_batch", "0"], ["global_batch"]),
                ("a batch beyond the data", ["--global_batch", "11"], ["global_batch", "10"]),
                ("no replicas", ["--replicas", "0"], ["replicas"]),
                ("several replicas of one", ["--replicas", "2"], ["single", "one replica"]),
                ("a batch that does not divide", ["--mode", "sync", "--replicas", "2"], ["5 rows", "2 equal shards"]),
                ("backup replicas that do not wait", ["--mode", "async", "--replicas", "2", "--backup_replicas", "1"],
                 ["backup_replicas", "--mode sync", "async"]),
                ("a bound on staleness without async", ["--max_staleness", "3"], ["--max_staleness", "--mode async", "single"]),
                ("a bound on the lead without async", ["--mode", "sync", "--max_lead", "0"], ["--max_lead", "sync"]),
                ("compensation without async", ["--delay_compensation", "0.1"], ["--delay_compensation", "single"]),
                ("a learning rate below 0", ["--learning_rate", "-1"], ["--learning_rate -1", "positive"]),
                ("a learning rate that is no number", ["--learning_rate", "nan"], ["--learning_rate nan", "positive"]),
                ("none but backup replicas", ["--mode", "sync", "--replicas", "2", "--backup_replicas", "2"],
                 ["backup_replicas 2", "replicas 2"]),
                ("a batch that does not divide among those waited for",
                 ["--mode", "sync", "--replicas", "3", "--backup_replicas", "1"], ["5", "2 replicas"]),
                ("negative steps", ["--steps", "-3"], ["-3"]),
                ("an unknown model", ["--model", "vgg"], ["vgg", "lenet"]),
                ("an unknown device", ["--device", "tpu"], ["tpu", "simulated_gpu"]),
                ("a log folder that is a file", ["--logdir", path("empty.index")], ["empty.index"]),
                ("a report that cannot be written", ["--report", "/proc/nowhere/r.json"], ["/proc/nowhere/r.json"])):
            refused(what, *train(*more), parts=parts, lines=2)
        refused("the same bits from async", *train("--mode", "async"), "--deterministic", parts=["--deterministic", "single or sync"],
                lines=1)
        code, out, _ = run(*train("--report", "/proc/nowhere/r.json"))
        c.check("figures are printed before their file fails", code == 1 and "test accuracy" in out, out)
        with open("/dev/full", "w") as full:
            done = subprocess.run([headrace, "ops"], stdout=full, stderr=subprocess.PIPE, text=True)
        c.check("a list that cannot be printed is an error", done.returncode == 1 and "standard output" in done.stderr, done.stderr)
        refused("backup replicas with the same bits",
                *train("--mode", "sync", "--replicas", "2", "--backup_replicas", "1"), "--deterministic",
                parts=["--backup_replicas", "excludes", "--deterministic"], lines=2)
    return c


main(bad_arguments)
