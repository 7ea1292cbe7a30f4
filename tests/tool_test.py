#!/usr/bin/env python3
"""The commands of `headrace` as a person types them. usage: tool_test.py PROGRAM SOURCE_DIR"""
import json
import os
import tempfile

from checks import Checks, main, run


def tool(program, source):
    c = Checks("tool")
    golden = os.path.join(source, "tests/golden")

    code, out, err = run(program, "devices", "--simulated_gpus", "2")
    c.check("devices lists both simulated GPUs", code == 0 and out.count("simulated") == 2 and "device:CPU:0" in out, out + err)

    code, out, _ = run(program, "ops")
    c.check("ops lists ops", code == 0 and "MatMul" in out and int(out.split()[-2]) > 100, out[-200:])
    code, out, _ = run(program, "ops", "MatMul")
    c.check("ops describes one", code == 0 and "transpose_a: bool = false" in out and "gradient   yes" in out, out)
    code, _, err = run(program, "ops", "MatMull")
    c.check("an unknown op names the nearest", code == 1 and "MatMul" in err, err)

    graph = os.path.join(golden, "graphs/a_plus_b.pb")
    code, out, err = run(program, "place", graph, "--devices", "cpu:1,gpu:4")
    c.check("place shows devices", code == 0 and "GPU:0" in out and "cross between devices" in out, out + err)
    code, out, err = run(program, "place", graph, "--devices", "cpu:1,gpu:4", "--json")
    placed = json.loads(out) if code == 0 else {}
    c.check("place --json has devices, nodes and bytes", set(placed) == {"devices", "nodes", "crossing_bytes"}, out + err)
    c.check("place --json says where each node goes and why",
            all(n["assigned"].endswith("/device:GPU:0") and n["reason"] == "GPU kernel" for n in placed.get("nodes", [{}])), out)
    asks = os.path.join(golden, "graphs/devices.pb")  # for CPU:0 and CPU:1
    code, _, err = run(program, "place", asks, "--devices", "cpu:1,gpu:1")
    c.check("place refuses a device that is not there",
            code == 1 and "Cannot assign a device" in err and "/device:CPU:1" in err and "available devices are" in err, err)
    code, out, err = run(program, "place", asks, "--devices", "cpu:1,gpu:1", "--allow_soft_placement", "--json")
    moved = {n["node"]: n["reason"] for n in json.loads(out)["nodes"] if n["moved"]} if code == 0 else {}
    c.check("place moves nodes and says why", set(moved) == {"b", "sum", "mul"} and all("there is no" in r for r in moved.values()),
            out + err)
    code, out_text, err = run(program, "place", graph.replace(".pb", ".pbtxt"), "--devices", "cpu:2")
    c.check("place reads text graphs", code == 0 and "CPU:0" in out_text, out_text + err)

    ckpt = os.path.join(golden, "checkpoint/v2/model.ckpt-3")
    code, out, err = run(program, "ckpt", "ls", ckpt)
    c.check("ckpt ls", code == 0 and "variables" in out, out + err)
    code, out, err = run(program, "ckpt", "diff", ckpt, ckpt)
    c.check("ckpt diff of equals", code == 0 and "0 differ" in out, out + err)
    code, out, err = run(program, "ckpt", "diff", os.path.join(golden, "checkpoint/v2/model.ckpt-2"), ckpt)
    c.check("ckpt diff of different ones", code == 2 and "global_step" in out and "1 differ" in out, out + err)
    code, out, err = run(program, "ckpt", "cat", ckpt, "global_step")
    c.check("ckpt cat", code == 0 and out.strip() == "global_step: int32 [] {3}", out + err)

    with tempfile.TemporaryDirectory() as folder:
        cut = os.path.join(folder, "cut.pb")
        with open(graph, "rb") as file, open(cut, "wb") as out_file:
            out_file.write(file.read()[:-7])
        code, _, err = run(program, "place", cut)
        c.check("a truncated graph is an error", code == 1 and "cut.pb" in err, err)
    code, _, err = run(program, "ckpt", "ls", "/nowhere/ckpt")
    c.check("a missing checkpoint is an error", code == 1 and "/nowhere/ckpt" in err, err)

    for workload, *flags in (["B1"], ["B1", "--variant", "name", "--threads", "1"], ["B2"], ["B3"], ["B13"], ["idle"]):
        code, out, err = run(program, "bench", workload, "--json", "--seconds", "0.05", *flags)
        ok = code == 0 and all(k in json.loads(out) for k in ("workload", "variant", "metric", "unit", "value", "spread", "threads",
                                                              "loss_first", "loss_last"))
        c.check(f"bench {' '.join([workload, *flags])}", ok, out + err)
        if ok and workload == "B3":
            c.check("a steady training step allocates nothing", json.loads(out)["allocations_per_step"] == 0, out)
        if ok and workload == "idle":
            c.check("an idle process takes at most 20 MB", json.loads(out)["value"] <= 20, out)
    return c


main(tool)
