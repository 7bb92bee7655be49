#!/usr/bin/env python3
"""StableHLO conformance cases on other devices than the CPU: each compiled for the CPU and for them, run on each.

    FORNAX_SHARED=DIR python3 tests/device_conformance.py --fornax target/release/fornax
        --rocm gfx908,gfx942 --double target/release/libfornax_fake_hip.so       on AMD devices that do not exist (docs/extend/testing-amd.md)
        --opencl                                                                 on the first OpenCL device (docs/use/opencl.md)
        [--count 420] [--cases DIR] [--only REGEX] [--json FILE]

DIR holds conformance/run.py and its cases; they are not part of this repository. Without them, or without an OpenCL device: says so and
stops. The cases are every n-th of the set, so that all kinds come up. The exit code is 1 where a device passes less than 99 % of what
passes on the CPU.
"""
import argparse
import concurrent.futures
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Of what passes on the CPU, percent.
BAR = 99.0
TIMEOUT_S = 300


def module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def chosen(index, count, only):
    """Every n-th of the cases that run, by name."""
    cases = [c for c in sorted(index, key=lambda c: c["name"]) if not c.get("compile_only") and re.search(only, c["name"])]
    step = max(1, len(cases) // count)
    return cases[::step][: max(count, len(cases[::step]))]


class Runner:
    def __init__(self, a, shared, gpu):
        self.a, self.gpu = a, gpu
        self.run = module("conformance_run", os.path.join(shared, "conformance", "run.py"))
        self.cases = a.cases or self.run.unpacked()
        # Name of the device in the report, and on the command line.
        self.devices = [("cpu", "cpu")]
        self.targets = ["--target-backends=cpu,opencl"]
        if a.opencl:
            self.devices.append(("opencl", "opencl"))
        else:
            self.devices += [(chip, "rocm://%d" % at) for at, chip in enumerate(a.rocm.split(","))]
            self.targets = ["--target-backends=cpu,rocm", "--rocm-target=" + a.rocm]

    def case(self, name):
        """The verdict and its reason by device."""
        source = os.path.join(self.cases, name)
        with open(os.path.join(source, "meta.json")) as f:
            case = json.load(f)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "module.fnx")
            flags = ["compile", "--quiet", "--jobs=1"] + self.targets
            command = [os.path.abspath(self.a.fornax)] + flags + [os.path.join(source, "module.mlir"), "-o", path]
            code, text, _ = self.run.call(command, TIMEOUT_S, folder, None)
            devices = [name for name, _ in self.devices]
            if code != 0:
                return {d: ("not compiled", str(self.run.reason(text))) for d in devices}
            lines, outputs = [], []
            for at, (_, device) in enumerate(self.devices):
                flags, _ = self.gpu.arguments(case, source, device)
                files = [os.path.join(folder, "%d_%d.bin" % (at, n)) for n in range(len(case["outputs"]))]
                flags = [f for f in flags if not f.startswith(("--module=", "--output="))]
                lines.append(["--module=" + path] + flags + ["--output=@" + f for f in files])
                outputs.append(files)
            with open(os.path.join(folder, "batch"), "w") as f:
                f.writelines(json.dumps(line) + "\n" for line in lines)
            env = dict(os.environ)
            if not self.a.opencl:
                os.symlink(os.path.abspath(self.a.double), os.path.join(folder, "libamdhip64.so.7"))
                env.update(LD_LIBRARY_PATH=folder, FORNAX_FAKE_ARCH=self.a.rocm)
            try:
                done = subprocess.run(
                    [os.path.abspath(self.a.fornax), "run-module", "--batch=" + os.path.join(folder, "batch")],
                    env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
                said, errors = done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                return {d: ("timed out", "") for d in devices}
            codes = {int(m.group(1)): int(m.group(2) or 0) for m in re.finditer(r"run (\d+): (?:ok|exit (\d+))", said)}
            faults = [line for line in errors.splitlines() if "fake-hip" in line]
            found = {}
            for at, device in enumerate(devices):
                row = self.gpu.judge(self.run, case, source, outputs[at], codes.get(at + 1, None), said + errors)
                found[device] = (row["verdict"], (faults or [str(row.get("reason", ""))])[0] if row["verdict"] != "passed" else "")
            return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--rocm", default="gfx908,gfx942", help="chips that the double of libamdhip64 pretends")
    p.add_argument("--double", default="target/release/libfornax_fake_hip.so")
    p.add_argument("--opencl", action="store_true", help="on an OpenCL device instead")
    p.add_argument("--count", type=int, default=420)
    p.add_argument("--cases")
    p.add_argument("--only", default="")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--json")
    a = p.parse_args()
    shared = os.environ.get("FORNAX_SHARED")
    if not shared:
        print("conformance: skipped, FORNAX_SHARED is not set")
        return 0
    if a.opencl:
        listed = subprocess.run([os.path.abspath(a.fornax), "list-devices", "opencl"], capture_output=True, text=True)
        if not listed.stdout:
            print("conformance: skipped, " + listed.stderr.strip())
            return 0
    gpu = module("gpu_conformance", os.path.join(HERE, "gpu", "conformance.py"))
    runner = Runner(a, shared, gpu)
    with open(os.path.join(runner.cases, "index.json")) as f:
        names = [c["name"] for c in chosen(json.load(f)["cases"], a.count, a.only)]
    rows = {}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for name, found in zip(names, pool.map(runner.case, names)):
            rows[name] = found
            wrong = {d: v for d, v in found.items() if v[0] != "passed"}
            if wrong:
                print("%s: %s" % (name, wrong), flush=True)
            if len(rows) % 20 == 0:
                print("%d of %d" % (len(rows), len(names)), file=sys.stderr, flush=True)
    if a.json:
        with open(a.json, "w") as f:
            json.dump(rows, f, indent=1, sort_keys=True)
    on_cpu = [name for name, found in rows.items() if found["cpu"][0] == "passed"]
    good = True
    print("%d cases, %d pass on the CPU" % (len(rows), len(on_cpu)))
    for chip, _ in runner.devices[1:]:
        passed = sum(rows[name][chip][0] == "passed" for name in on_cpu)
        rate = 100.0 * passed / max(1, len(on_cpu))
        good = good and rate >= BAR
        print("%s: %d of them, %.1f %% (bar %.0f %%)" % (chip, passed, rate, BAR))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
