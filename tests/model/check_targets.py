#!/usr/bin/env python3
"""Every model for every target of the seed tables: PTX that ptxas accepts without a warning C75xx (spills are named), code objects whose notes
llvm-readelf reads and whose kernels take no scratch.

    python3 tests/model/check_targets.py --fornax target/release/fornax [--ptxas PTXAS] [--models DIR] [--only REGEX] [--targets LIST]

Models: the digit classifier, softmax, attention, layernorm and conv goldens, those of tests/sizes, whose kernels take sizes known only at run
time (`--only sizes_`), and with --models what check_models.py --export-only DIR wrote. Where ptxas does not know an architecture the line says so.
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
CUDA = ["sm_35", "sm_50", "sm_52", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"]
ROCM = """
gfx600 gfx700 gfx801 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1011 gfx1012 gfx1013 gfx1030 gfx1031 gfx1032 gfx1033
gfx1034 gfx1035 gfx1036 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201 gfx1250 gfx1251
gfx9-generic gfx9-4-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic
""".split()
GOLDENS = ["softmax_f32", "softmax_bf16", "layernorm_f32", "layernorm_bf16", "gelu_mlp_f32", "gelu_mlp_bf16", "attention_f32", "attention_bf16", "conv_pool_f32", "conv_pool_bf16"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fornax", default="target/release/fornax")
    p.add_argument("--ptxas", default=shutil.which("ptxas"))
    p.add_argument("--readelf", default="/usr/lib/llvm-22/bin/llvm-readelf")
    p.add_argument("--models")
    p.add_argument("--only", default="", help="regex on the model's name")
    p.add_argument("--targets", help="architectures, comma-separated, instead of all")
    a = p.parse_args()
    models = {"digits": os.path.join(TESTS, "model/digits/model.mlir")}
    models.update({n: os.path.join(TESTS, "numeric", n, "model.mlir") for n in GOLDENS})
    for path in sorted(glob.glob(os.path.join(TESTS, "sizes", "*", "model.mlir"))):
        models["sizes_" + os.path.basename(os.path.dirname(path))] = path
    for path in sorted(glob.glob(os.path.join(a.models, "*", "model.mlir"))) if a.models else []:
        models[os.path.basename(os.path.dirname(path))] = path
    models = {name: path for name, path in models.items() if re.search(a.only, name)}
    wanted = a.targets.split(",") if a.targets else CUDA + ROCM

    def one(job):
        backend, arch, model = job
        with tempfile.TemporaryDirectory() as t:
            command = [a.fornax, "compile", "--quiet", "--jobs=1", "--target=%s:%s" % (backend, arch), "--cuda-use-ptxas=false", "--dump-ir-to=" + t, models[model], "-o", t + "/m.fnx"]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                return job, "FAILED", done.stderr.strip()[:300]
            if backend == "rocm":
                notes = subprocess.run([a.readelf, "--notes", "%s/rocm_%s/6_image.hsaco" % (t, arch)], stdout=subprocess.PIPE, text=True).stdout
                if "amdgcn-amd-amdhsa--" + arch not in notes:
                    return job, "FAILED", "its notes are of another chip"
                said = json.loads(subprocess.run([a.fornax, "inspect", "--format=json", t + "/m.fnx"], stdout=subprocess.PIPE, check=True).stdout)
                kernels = [k for program in said["programs"] for k in program["kernels"]]
                scratch = ["%s takes %d bytes" % (k["name"], on["scratch_bytes"]) for k in kernels for on in k["amd"] if on["scratch_bytes"]]
                return job, "FAILED" if scratch else "ok", ("scratch: " if scratch else "") + ", ".join(scratch)[:300]
            if not a.ptxas:
                return job, "unchecked", "no ptxas"
            text = ""
            for folder in sorted(glob.glob(t + "/cuda_*")):  # sm_90 is two images: sm_90a and the fallback for sm_80
                image, of = folder + "/6_image.ptx", os.path.basename(folder)[len("cuda_"):]
                done = subprocess.run([a.ptxas, "-v", "-arch=" + of, image, "-o", t + "/m.cubin"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                if "is not defined for option 'gpu-name'" in done.stderr:
                    return job, "unchecked", "this ptxas does not know it"
                if done.returncode or re.search(r"C75\d\d", done.stderr):
                    return job, "FAILED", done.stderr.strip()[:300]
                spills = [int(n) for n in re.findall(r"(\d+) bytes spill stores", done.stderr) if n != "0"]
                text = "a kernel spills %d bytes" % max(spills) if spills else text
            return job, "ok", text

    jobs = [(b, arch, m) for b, rows in (("cuda", CUDA), ("rocm", ROCM)) for arch in rows if arch in wanted for m in models]
    count, reasons = {}, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (backend, arch, model), verdict, text in pool.map(one, jobs):
            row = count.setdefault((backend, arch), {})
            row[verdict] = row.get(verdict, 0) + 1
            if verdict == "FAILED":
                print("%s:%s %s: %s" % (backend, arch, model, text), flush=True)
            elif text:
                reasons[arch] = text
    for (backend, arch), row in count.items():
        print("%s:%-8s %s %s" % (backend, arch, ", ".join("%d %s" % (n, v) for v, n in sorted(row.items())), reasons.get(arch, "")))
    return 1 if any("FAILED" in row for row in count.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
