//! Kernel texts as the emitters write them: sin(2x + 1) for the three back ends, and small bodies on arrays for the
//! CPU.

/// Lines of `y = sin(2 * %x + 1)` for `vector<WIDTHxf32>`: Cody–Waite reduction by π/2 and two polynomials.
fn sine(width: usize) -> (String, &'static str) {
    let (v, i) = (format!("vector<{width}xf32>"), format!("vector<{width}xi32>"));
    let mut lines = String::new();
    for (name, value) in [
        ("two", "2.0"),
        ("one", "1.0"),
        ("magic", "12582912.0"),
        ("inv", "0.636619772"),
        ("p0", "-1.57079625"),
        ("p1", "-7.54978942e-8"),
        ("p2", "-5.39030253e-15"),
        ("s0", "2.86567956e-6"),
        ("s1", "-1.98559923e-4"),
        ("s2", "8.33338592e-3"),
        ("s3", "-1.66666672e-1"),
        ("c0", "2.44677067e-5"),
        ("c1", "-1.38877297e-3"),
        ("c2", "4.16666567e-2"),
        ("c3", "-0.5"),
    ] {
        lines += &format!("%{name} = arith.constant dense<{value}> : {v}\n");
    }
    for (name, value) in [("i1", 1), ("i2", 2), ("i30", 30), ("i0", 0)] {
        lines += &format!("%{name} = arith.constant dense<{value}> : {i}\n");
    }
    let mut fma =
        |out: &str, a: &str, b: &str, c: &str| lines += &format!("%{out} = math.fma %{a}, %{b}, %{c} : {v}\n");
    fma("u", "x", "two", "one");
    fma("qm", "u", "inv", "magic");
    lines += &format!("%q = arith.bitcast %qm : {v} to {i}\n%qf = arith.subf %qm, %magic : {v}\n");
    let mut fma =
        |out: &str, a: &str, b: &str, c: &str| lines += &format!("%{out} = math.fma %{a}, %{b}, %{c} : {v}\n");
    fma("r0", "qf", "p0", "u");
    fma("r1", "qf", "p1", "r0");
    fma("r", "qf", "p2", "r1");
    lines += &format!("%r2 = arith.mulf %r, %r : {v}\n");
    let mut fma =
        |out: &str, a: &str, b: &str, c: &str| lines += &format!("%{out} = math.fma %{a}, %{b}, %{c} : {v}\n");
    fma("sa", "s0", "r2", "s1");
    fma("sb", "sa", "r2", "s2");
    fma("sc", "sb", "r2", "s3");
    lines += &format!("%sd = arith.mulf %sc, %r2 : {v}\n");
    let mut fma =
        |out: &str, a: &str, b: &str, c: &str| lines += &format!("%{out} = math.fma %{a}, %{b}, %{c} : {v}\n");
    fma("sine", "sd", "r", "r");
    fma("ca", "c0", "r2", "c1");
    fma("cb", "ca", "r2", "c2");
    fma("cc", "cb", "r2", "c3");
    fma("cosine", "cc", "r2", "one");
    lines += &format!(
        "%odd0 = arith.andi %q, %i1 : {i}\n%odd = arith.cmpi ne, %odd0, %i0 : {i}\n\
         %val = arith.select %odd, %cosine, %sine : vector<{width}xi1>, {v}\n\
         %sg0 = arith.andi %q, %i2 : {i}\n%sg = arith.shli %sg0, %i30 : {i}\n\
         %vi = arith.bitcast %val : {v} to {i}\n%vs = arith.xori %vi, %sg : {i}\n%y = arith.bitcast %vs : {i} to {v}\n"
    );
    (lines, "y")
}

/// `out[i] = sin(2 * in[i] + 1)` on a GPU: 256 threads a workgroup, four elements a thread; uses 1 KiB of shared memory
/// and a barrier.
pub fn gpu_sine(name: &str, cuda: bool) -> String {
    let (attributes, thread, block, barrier) = if cuda {
        (
            "nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>",
            "nvvm.read.ptx.sreg.tid.x",
            "nvvm.read.ptx.sreg.ctaid.x",
            "nvvm.barrier0",
        )
    } else {
        (
            "rocdl.kernel, rocdl.flat_work_group_size = \"256,256\", rocdl.reqd_work_group_size = array<i32: 256, 1, \
             1>",
            "rocdl.workitem.id.x",
            "rocdl.workgroup.id.x",
            "rocdl.barrier",
        )
    };
    let (body, result) = sine(4);
    format!(
        "module {{
llvm.mlir.global internal @{name}_sm() {{addr_space = 3 : i32, alignment = 16 : i64}} : !llvm.array<256 x f32>
llvm.func @{name}(%in: !llvm.ptr<1> {{llvm.noalias, llvm.align = 16 : i64}}, \
    %out: !llvm.ptr<1> {{llvm.noalias, llvm.align = 16 : i64}}) attributes {{{attributes}}} {{
%t = {thread} : i32
%b = {block} : i32
%c4 = arith.constant 4 : i32
%c1024 = arith.constant 1024 : i32
%c255 = arith.constant 255 : i32
%t4 = arith.muli %t, %c4 : i32
%base = arith.muli %b, %c1024 : i32
%o = arith.addi %t4, %base : i32
%p = llvm.getelementptr inbounds %in[%o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
%x = llvm.load %p invariant {{alignment = 16 : i64}} : !llvm.ptr<1> -> vector<4xf32>
{body}
%first = vector.extract %{result}[0] : f32 from vector<4xf32>
%sm = llvm.mlir.addressof @{name}_sm : !llvm.ptr<3>
%sp = llvm.getelementptr inbounds %sm[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
llvm.store %first, %sp : f32, !llvm.ptr<3>
{barrier}
%opposite = arith.subi %c255, %t : i32
%sq = llvm.getelementptr inbounds %sm[%opposite] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
%other = llvm.load %sq : !llvm.ptr<3> -> f32
%zero = arith.constant 0.0 : f32
%none = arith.mulf %other, %zero : f32
%nones = vector.broadcast %none : f32 to vector<4xf32>
%sum = arith.addf %{result}, %nones : vector<4xf32>
%q = llvm.getelementptr inbounds %out[%o] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
llvm.store %sum, %q {{alignment = 16 : i64}} : vector<4xf32>, !llvm.ptr<1>
llvm.return
}}
}}
"
    )
    .replace("%q = arith.bitcast", "%qi = arith.bitcast")
    .replace("arith.andi %q,", "arith.andi %qi,")
}

/// `out[i] = sin(2 * in[i] + 1)` on a CPU: one workgroup is 64 vectors of `width`.
pub fn cpu_sine(name: &str, width: usize) -> String {
    let (body, result) = sine(width);
    let vector = format!("vector<{width}xf32>");
    cpu_kernel(
        name,
        64,
        width,
        &format!(
            "%x = llvm.load %in {{alignment = 4 : i64}} : !llvm.ptr -> {vector}\n\
             {body}\n\
             llvm.store %{result}, %out {{alignment = 4 : i64}} : {vector}, !llvm.ptr"
        ),
        &[("in", "f32"), ("out", "f32")],
    )
}

/// A CPU kernel: for each of `count` steps from workgroup x on, `body` with a pointer to each binding's element
/// `(x * count + step) * width`; bindings are (name, element type).
pub fn cpu_kernel(name: &str, count: usize, width: usize, body: &str, bindings: &[(&str, &str)]) -> String {
    let mut bases = String::new();
    let mut pointers = String::new();
    for (index, (binding, element)) in bindings.iter().enumerate() {
        bases += &format!(
            "%{binding}_slot = llvm.getelementptr %bindings[{index}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n\
             %{binding}_base = llvm.load %{binding}_slot invariant : !llvm.ptr -> !llvm.ptr\n"
        );
        pointers += &format!(
            "%{binding} = llvm.getelementptr inbounds %{binding}_base[%at] : (!llvm.ptr, i64) -> !llvm.ptr, {element}\n"
        );
    }
    format!(
        "module {{
llvm.func @{name}(%bindings: !llvm.ptr {{llvm.noalias}}, %wx: i32, %wy: i32, %wz: i32, \
    %scratch: !llvm.ptr {{llvm.noalias, llvm.align = 64 : i64}}) {{
{bases}%n0 = arith.constant 0 : i64
%n1 = arith.constant 1 : i64
%ncount = arith.constant {count} : i64
%nwidth = arith.constant {width} : i64
%wx64 = arith.extsi %wx : i32 to i64
%start = arith.muli %wx64, %ncount : i64
scf.for %step = %n0 to %ncount step %n1 : i64 {{
%index = arith.addi %start, %step : i64
%at = arith.muli %index, %nwidth : i64
{pointers}{body}
}}
llvm.return
}}
}}
"
    )
}
