#!/usr/bin/env python3
"""Print one StableHLO module with a function for each workload of workloads.py whose name matches REGEX.

`fornax tune prepare` makes candidates of it; that is how crates/kernels/src/tuned.lock is made (docs/use/tuning.md):

    python3 tests/gpu/tuning_model.py '^(gemm|t)_' > shapes.mlir
    fornax tune prepare shapes.mlir --target=cuda:h200 -o candidates.fnx
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import memory_workloads  # noqa: E402,F401  rows, loops, transposes join WORKLOADS
from workloads import WORKLOADS  # noqa: E402


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 1
    names = [name for name in WORKLOADS if re.search(sys.argv[1], name)]
    flags = {tuple(WORKLOADS[name].flags) for name in names}
    if len(flags) != 1:
        print("%d workloads match, compiled with %s: choose some of one kind" % (len(names), sorted(flags)), file=sys.stderr)
        return 1
    print("module @workloads {")
    for at, name in enumerate(names):
        print(WORKLOADS[name].text.replace("func.func @main", "func.func public @f%d" % at))
    print("}")
    print("%d workloads; compile with %s" % (len(names), " ".join(flags.pop()) or "no flags"), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
