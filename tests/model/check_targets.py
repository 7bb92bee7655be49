#!/usr/bin/env python3
"""Every model for every target of the seed tables: PTX that ptxas accepts without a warning C75xx (spills are named), code objects whose notes
llvm-readelf reads and whose kernels take no scratch.

    python3 tests/model/check_targets.py --fornax target/release/fornax [--ptxas PTXAS] [--models DIR] [--goldens] [--only REGEX] [--targets LIST]
        [--log FILE] [--jobs N] [--keep-ptx DIR]
    python3 tests/model/check_targets.py --assemble DIR --ptxas PTXAS [--log FILE] [--jobs N]

Models: the programs of tests/model/probes, the digit classifier, softmax, attention, layernorm and conv goldens, those of tests/sizes, whose kernels take sizes known only at run
time (`--only sizes_`), with --goldens all of tests/numeric and tests/dialects, and with --models what check_models.py --export-only DIR wrote
(or other folders with a model.mlir). Where ptxas does not know an architecture the line says so. A model is compiled for all targets at once;
--log keeps a line of JSON a model, and models that FILE has are not done again: a run that was stopped goes on where it was.
`make test-targets` is all goldens on nine targets. ptxas takes most of the time: with --keep-ptx the PTX is left as DIR/ARCH/MODEL.ptx instead,
for --assemble on a machine with more cores, which needs nothing else of Fornax.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CUDA = ["sm_35", "sm_50", "sm_52", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"]
ROCM = """
gfx600 gfx700 gfx801 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1011 gfx1012 gfx1013 gfx1030 gfx1031 gfx1032 gfx1033
gfx1034 gfx1035 gfx1036 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201 gfx1250 gfx1251
gfx9-generic gfx9-4-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic
""".split()
GOLDENS = ["softmax_f32", "softmax_bf16", "layernorm_f32", "layernorm_bf16", "gelu_mlp_f32", "gelu_mlp_bf16", "attention_f32", "attention_bf16", "conv_pool_f32", "conv_pool_bf16"]
# Seconds for one compilation, all targets of it together.
TIMEOUT_S = 1200


def models_of(a):
    """Path by name."""
    models = {"digits": os.path.join(TESTS, "model/digits/model.mlir")}
    models.update({n: os.path.join(TESTS, "numeric", n, "model.mlir") for n in GOLDENS})
    for path in glob.glob(os.path.join(TESTS, "model", "probes", "*.mlir")):
        models["probe_" + os.path.basename(path)[: -len(".mlir")]] = path
    folders = [("sizes_", os.path.join(TESTS, "sizes"))]
    if a.goldens:
        folders += [("", os.path.join(TESTS, "numeric")), ("", os.path.join(TESTS, "dialects"))]
    if a.models:
        folders.append(("", a.models))
    for prefix, folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "*", "model.mlir"))):
            models[prefix + os.path.basename(os.path.dirname(path))] = path
    return {name: path for name, path in sorted(models.items()) if re.search(a.only, name)}


def call(command):
    """Exit code (None where it took too long), what it printed, what it complained of."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, "", "took more than %d s" % TIMEOUT_S
    return done.returncode, done.stdout, done.stderr.strip()


class Checker:
    def __init__(self, a, targets):
        self.a, self.targets = a, targets

    def model(self, name, path):
        """[verdict, words to it] by target."""
        with tempfile.TemporaryDirectory() as t:
            found = self.compiled(name, path, self.targets, t)
        if len(self.targets) > 1 and all(verdict == "REFUSED" for verdict, _ in found.values()):
            # Which of them it was.
            for target in self.targets:
                with tempfile.TemporaryDirectory() as t:
                    found.update(self.compiled(name, path, [target], t))
        return found

    def compiled(self, name, path, targets, t):
        flags = ["--quiet", "--jobs=1", "--cuda-use-ptxas=false", "--dump-ir-to=" + t] + ["--target=" + target for target in targets]
        code, _, errors = call([self.a.fornax, "compile", *flags, path, "-o", t + "/m.fnx"])
        if code != 0:
            return {target: ["REFUSED", errors[:300]] for target in targets}
        _, text, _ = call([self.a.fornax, "inspect", "--format=json", t + "/m.fnx"])
        kernels = [k for program in json.loads(text)["programs"] for k in program["kernels"]]
        if not kernels:
            return {target: ["ok", "no kernels"] for target in targets}
        reports = [(k["name"], on) for k in kernels for on in k.get("amd", [])]
        return {target: self.cuda(target, name, t) if target.startswith("cuda:") else self.rocm(target, t, reports) for target in targets}

    def rocm(self, target, t, reports):
        arch = target.split(":")[1]
        image = "%s/rocm_%s/6_image.hsaco" % (t, arch)
        if not os.path.exists(image):
            return ["FAILED", "no image"]
        _, notes, _ = call([self.a.readelf, "--notes", image])
        if "amdgcn-amd-amdhsa--" + arch not in notes:
            return ["FAILED", "its notes are of another chip"]
        scratch = ["%s takes %d bytes" % (name, on["scratch_bytes"]) for name, on in reports if on["arch"] == arch and on["scratch_bytes"]]
        return ["FAILED", ("scratch: " + ", ".join(scratch))[:300]] if scratch else ["ok", ""]

    def cuda(self, target, model, t):
        if not self.a.ptxas and not self.a.keep_ptx:
            return ["unchecked", "no ptxas"]
        arch, text = target.split(":")[1], ""
        # sm_90 is two images: sm_90a and the fallback for sm_80.
        for of in ["sm_80", "sm_90a"] if arch == "sm_90" else [arch]:
            image = os.path.join(t, "cuda_" + of, "6_image.ptx")
            if not os.path.exists(image):
                return ["FAILED", "no image"]
            if self.a.keep_ptx:
                os.makedirs(os.path.join(self.a.keep_ptx, of), exist_ok=True)
                shutil.copy(image, os.path.join(self.a.keep_ptx, of, model + ".ptx"))
                continue
            verdict, said = assembled(self.a.ptxas, of, image)
            if verdict != "ok":
                return [verdict, said]
            text = "; ".join(filter(None, [text, said]))
        return ["not assembled", ""] if self.a.keep_ptx else ["ok", text]


def assembled(ptxas, arch, image):
    """The verdict of ptxas, and what spills."""
    code, _, said = call([ptxas, "-v", "-arch=" + arch, image, "-o", "/dev/null"])
    if "is not defined for option 'gpu-name'" in said:
        return ["unchecked", "this ptxas does not know it"]
    complaints = [line for line in said.splitlines() if re.search(r"warning|error|fatal|C75\d\d", line)]
    if code != 0 or complaints:
        return ["FAILED", ("; ".join(complaints) or said)[:300]]
    kernel, spills = "", []
    for line in said.splitlines():
        m = re.search(r"Compiling entry function '([^']+)'|(\d+) bytes spill stores", line)
        if m and m.group(1):
            kernel = m.group(1)
        elif m and m.group(2) != "0":
            spills.append("%s spills %s bytes" % (kernel, m.group(2)))
    return ["ok", "; ".join(spills)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--ptxas", default=shutil.which("ptxas"))
    p.add_argument("--readelf", default="/usr/lib/llvm-22/bin/llvm-readelf")
    p.add_argument("--models")
    p.add_argument("--goldens", action="store_true", help="all of tests/numeric and tests/dialects")
    p.add_argument("--only", default="", help="regex on the model's name")
    p.add_argument("--targets", help="architectures, comma-separated, instead of all")
    p.add_argument("--log", help="a line of JSON a model; models that it has are not done again")
    p.add_argument("--keep-ptx", metavar="DIR")
    p.add_argument("--assemble", metavar="DIR")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    a = p.parse_args()
    a.fornax = os.path.abspath(a.fornax)
    work = assembling(a) if a.assemble else checking(a, p)
    done = {}
    if a.log and os.path.exists(a.log):
        with open(a.log) as f:
            lines = [json.loads(line) for line in f]
        done = {line["model"]: line["found"] for line in lines if set(line["found"]) == set(work.get(line["model"], ([],))[0])}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        begun = {pool.submit(one, name): name for name, (_, one) in work.items() if name not in done}
        for future in concurrent.futures.as_completed(begun):
            done[begun[future]] = future.result()
            if a.log:
                with open(a.log, "a") as f:
                    f.write(json.dumps({"model": begun[future], "found": future.result()}) + "\n")
    return told(done)


def checking(a, p):
    """By model: its targets, and what gives [verdict, words] by target."""
    wanted = a.targets.split(",") if a.targets else [arch for arch in CUDA if arch != "sm_90a"] + ROCM
    targets = ["%s:%s" % (backend, arch) for backend, rows in (("cuda", CUDA), ("rocm", ROCM)) for arch in rows if arch in wanted]
    if len(targets) != len(wanted):
        p.error("--targets: not in the tables: " + ", ".join(arch for arch in wanted if arch not in CUDA + ROCM))
    models, checker = models_of(a), Checker(a, targets)
    return {name: (targets, lambda name: checker.model(name, models[name])) for name in models}


def assembling(a):
    """The same for the PTX that --keep-ptx left; the longest first."""
    files = {}
    for path in glob.glob(os.path.join(a.assemble, "*", "*.ptx")):
        files.setdefault(os.path.basename(path)[: -len(".ptx")], {})["cuda:" + os.path.basename(os.path.dirname(path))] = path
    names = sorted((name for name in files if re.search(a.only, name)), key=lambda name: -max(map(os.path.getsize, files[name].values())))

    def one(name):
        return {target: assembled(a.ptxas, target.split(":")[1], path) for target, path in files[name].items()}

    return {name: (list(files[name]), one) for name in names}


def told(done):
    """Prints a line for whatever is not plainly right, then a line a target; the exit code."""
    bad = 0
    for target in sorted({target for found in done.values() for target in found}):
        row, spilling = {}, 0
        for name in sorted(name for name in done if target in done[name]):
            verdict, text = done[name][target]
            row[verdict] = row.get(verdict, 0) + 1
            spilling += "spills" in text
            if text and verdict != "unchecked" and text != "no kernels":
                print("%s %s: %s %s" % (target, name, verdict, text))
        bad += sum(n for verdict, n in row.items() if verdict in ("FAILED", "REFUSED"))
        print("%-12s %s%s" % (target, ", ".join("%d %s" % (n, v) for v, n in sorted(row.items())), "; %d spill" % spilling if spilling else ""), flush=True)
    return 1 if bad or not done else 0


if __name__ == "__main__":
    sys.exit(main())
