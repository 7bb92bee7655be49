//! The evaluator must answer or refuse, never panic or hang: every conformance module with damaged attributes, types
//! and inputs, and the modules of dynamic shape at some size. Cases as in `conformance.rs`; skipped without
//! `FORNAX_SHARED`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use fornax_graph::{Attr, Dim, Graph, TensorType, Type};
use fornax_import::{ImportOptions, import_text};
use fornax_reference::{Limits, Scalar, Tensor, evaluate};

const LIMITS: Limits = Limits { max_elements: 1 << 16, max_steps: 200_000 };

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Every case's graph, by name.
fn modules() -> Vec<(String, Graph)> {
    let Some(shared) = std::env::var_os("FORNAX_SHARED") else {
        println!("skipped: FORNAX_SHARED is not set");
        return Vec::new();
    };
    let folder = unpacked(Path::new(&shared));
    let mut names: Vec<_> = std::fs::read_dir(&folder).expect("the cases").flatten().map(|e| e.path()).collect();
    names.sort();
    let mut out = Vec::new();
    for case in names {
        let Ok(source) = std::fs::read_to_string(case.join("module.mlir")) else { continue };
        if let Ok(graph) = import_text(&source, "module.mlir", &ImportOptions::default()) {
            out.push((case.file_name().unwrap_or_default().to_string_lossy().into_owned(), graph));
        }
    }
    out
}

/// The folder of cases, unpacked once; one test at a time gets here.
fn unpacked(shared: &Path) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("robustness");
    if !out.join("index.json").exists() {
        std::fs::create_dir_all(&out).expect("a folder for the cases");
        let archive = shared.join("conformance/cases.tar.xz");
        let status = Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(&out).status();
        assert!(status.is_ok_and(|s| s.success()), "cannot unpack {}", archive.display());
    }
    out
}

/// Inputs for `main`: small numbers, unknown sizes are `size`, and so are integers of rank 0 where there are unknown
/// sizes (exporters pass sizes that way).
fn inputs(graph: &Graph, random: &mut Random, size: usize) -> Option<Vec<Tensor>> {
    let entry = graph.entry(graph.function("main")?)?;
    let types: Vec<_> = graph.block(entry).arguments.iter().map(|&v| graph.ty(v)).collect();
    let dynamic = types.iter().filter_map(|t| t.as_tensor()).any(|t| t.static_shape().is_none());
    types
        .iter()
        .map(|ty| {
            let ty = ty.as_tensor()?;
            let sizes = ty.shape.iter().map(|d| d.as_static().unwrap_or(size as i64)).collect::<Vec<_>>();
            let ty = TensorType::new(&sizes, ty.element);
            let n = ty.elements().filter(|&n| (0..1 << 16).contains(&n))?;
            let mut bytes = vec![0; n as usize * ty.element.storage_bytes()];
            let width = ty.element.storage_bytes();
            for cell in bytes.chunks_exact_mut(width) {
                let is_size = dynamic && ty.rank() == 0 && ty.element.is_integer();
                let number = if is_size { size } else { random.below(4) };
                let one = Scalar::Int(number as i128).convert(ty.element);
                cell.copy_from_slice(&Tensor::scalar(ty.element, one).bytes);
            }
            Tensor::new(ty, bytes).ok()
        })
        .collect()
}

/// Changes one number of one attribute, or one size of one type.
fn damage(graph: &mut Graph, random: &mut Random) {
    let change = [-2, -1, 1, 2, 7, i64::MAX, i64::MIN, 1 << 40][random.below(8)];
    if random.below(4) == 0 {
        let at = random.below(graph.values.len());
        let Some(value) = graph.values.get_mut(at) else { return };
        if let Type::Tensor(ty) = &mut value.ty {
            let rank = ty.shape.len();
            match (ty.shape.get_mut(random.below(rank)), random.below(3)) {
                (Some(dim), 0 | 1) => *dim = Dim::Static(change.unsigned_abs() as i64 % 9),
                _ => ty.shape.push(Dim::Static(2)),
            }
        }
        return;
    }
    let with_attrs: Vec<usize> = (0..graph.ops.len()).filter(|&i| !graph.ops[i].attrs.is_empty()).collect();
    let Some(&op) = with_attrs.get(random.below(with_attrs.len())) else { return };
    let attrs = &mut graph.ops[op].attrs.0;
    let at = random.below(attrs.len());
    damage_attr(&mut attrs[at].1, change, random);
}

fn damage_attr(attr: &mut Attr, change: i64, random: &mut Random) {
    match attr {
        Attr::Int(v, _) => *v = v.wrapping_add(change.into()),
        Attr::Bool(b) => *b = !*b,
        Attr::DenseArray(_, values) => match (random.below(4), values.len()) {
            (0, _) => values.push(change),
            (1, 1..) => drop(values.pop()),
            (_, n) => {
                if let Some(v) = values.get_mut(random.below(n)) {
                    *v = v.wrapping_add(change);
                }
            }
        },
        Attr::Struct(_, fields) => {
            let n = fields.0.len();
            if let Some((_, field)) = fields.0.get_mut(random.below(n)) {
                damage_attr(field, change, random);
            }
        }
        _ => {}
    }
}

#[test]
fn damaged_modules_are_answered_or_refused() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut panicked = Vec::new();
    std::panic::set_hook(Box::new(|_| {}));
    for (name, original) in modules() {
        for _ in 0..8 {
            let mut graph = original.clone();
            damage(&mut graph, &mut random);
            let Some(inputs) = inputs(&graph, &mut random, 3) else { continue };
            let result = catch_unwind(AssertUnwindSafe(|| evaluate(&graph, "main", &inputs, &LIMITS)));
            if let Err(cause) = result {
                let cause = cause.downcast_ref::<String>().cloned().unwrap_or_default();
                panicked.push(format!("{name}: {cause}"));
            }
        }
    }
    drop(std::panic::take_hook());
    assert!(panicked.is_empty(), "{} panics: {panicked:#?}", panicked.len());
}

#[test]
fn modules_of_dynamic_shape_evaluate_at_some_size() {
    let modules = modules();
    let mut random = Random(7);
    let (mut evaluated, mut all) = (0, 0);
    for (name, graph) in modules.iter().filter(|(name, _)| name.starts_with("dynamic.")) {
        all += 1;
        let attempts = [4, 3, 5, 8].map(|size| {
            let inputs = inputs(graph, &mut random, size)?;
            Some(evaluate(graph, "main", &inputs, &LIMITS))
        });
        match attempts.iter().flatten().find(|r| r.is_ok()) {
            Some(_) => evaluated += 1,
            None => println!("{name}: {:?}", attempts[0].as_ref().map(|r| r.as_ref().map_err(|e| e.to_string()).err())),
        }
    }
    println!("{evaluated} of {all} dynamic modules evaluate");
    assert!(all == 0 || evaluated + 1 >= all);
}
