#!/usr/bin/env python3
"""Runs every example as a reader would and looks at what it prints. usage: examples_test.py BIN_DIR"""
import os
import re
import tempfile

from checks import Checks, main, run

NODE = "{}: ({}): /job:localhost/replica:0/task:0/device:{}"


def examples(bin_dir):
    c = Checks("examples")

    code, out, err = run(f"{bin_dir}/hello_graph")
    c.check("hello_graph", code == 0 and "add:0 = float32 [2] {3, 5}" in out, out + err)

    code, out, err = run(f"{bin_dir}/linear_regression")
    line = re.search(r"y = ([\d.]+) x ([+-][\d.]+)", out)
    c.check("linear_regression runs", code == 0 and line, out + err)
    if line:
        c.check("linear_regression finds the line", abs(float(line[1]) - 3) < 0.05 and abs(float(line[2]) + 1) < 0.05, out)

    code, out, err = run(f"{bin_dir}/device_tour")
    c.check("device_tour runs", code == 0, err)
    parts = out.split("\n== ")
    c.check("device_tour has five parts", len(parts) == 6, out)
    if len(parts) == 6:
        no_gpu, one_gpu, pinned, refused, soft = parts[1:]
        for name, op in (("add", "Add"), ("a", "Const"), ("b", "Const")):
            c.check(f"{name} without GPU", NODE.format(name, op, "CPU:0") in no_gpu, no_gpu)
            c.check(f"{name} with a GPU", NODE.format(name, op, "GPU:0") in one_gpu, one_gpu)
            c.check(f"{name} pinned", NODE.format(name, op, "GPU:1" if op == "Add" else "CPU:0") in pinned, pinned)
        c.check("device mapping is printed", "Device mapping:" in no_gpu, no_gpu)
        for text in ("Cannot assign a device", "a_gpu", "float16, float32, float64", "device_tour.cpp:",
                     "Could not satisfy explicit device specification '/device:GPU:0' because no supported kernel for GPU "
                     "devices is available"):
            c.check(f"the refusal says {text!r}", text in refused, refused)
        c.check("the refusal is short", len(refused.splitlines()) < 30, refused)
        for name, op, device in (("a_gpu", "VariableV2", "CPU:0"), ("a_gpu/read", "Identity", "CPU:0"),
                                 ("a_gpu/Assign", "Assign", "CPU:0"), ("a_gpu/initial_value", "Const", "GPU:0")):
            c.check(f"{name} with soft placement", NODE.format(name, op, device) in soft, soft)

    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(f"{bin_dir}/checkpoint_resume", folder)
        c.check("checkpoint_resume", code == 0 and "the same bits" in out and "from step 60 to 150" in out, out + err)
        c.check("checkpoint_resume leaves a checkpoint", os.path.exists(f"{folder}/cut/model.ckpt-150.index"))
    return c


main(examples)
