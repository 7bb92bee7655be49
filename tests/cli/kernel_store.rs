//! The kernel store: a second compilation takes its kernels from the folder, and gives the same module.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fornax_tests::{Run, fornax, fornax_with};

use crate::model_worker::ModelWorker;

const LIMIT: Duration = Duration::from_secs(60);

/// Three kernels for each target.
const MODEL: &str = "\
    func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x32xf32>) -> (tensor<64x32xf32>, tensor<64xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.sine %x : tensor<64x96xf32>
      %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
        : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
      %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
      return %1, %2 : tensor<64x32xf32>, tensor<64xf32>
    }
";

const FLAGS: [&str; 3] = ["--target=cpu:x86-64-v3", "--target=cuda:sm_80", "--cuda-use-ptxas=false"];

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.mlir"), MODEL).unwrap();
        Place(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Compiles the model with more flags; the module and what was said.
    #[track_caller]
    fn compile(&self, more: &[&str]) -> (Vec<u8>, Run) {
        self.compile_with(more, &[])
    }

    #[track_caller]
    fn compile_with(&self, more: &[&str], variables: &[(&str, &str)]) -> (Vec<u8>, Run) {
        let arguments = [&["compile", "-v", "m.mlir", "-o", "m.fnx"], &FLAGS[..], more].concat();
        let run = fornax_with(self.path(), &arguments, variables, LIMIT).ok();
        (std::fs::read(self.path().join("m.fnx")).unwrap(), run)
    }

    /// The module without a store.
    #[track_caller]
    fn plain(&self) -> Vec<u8> {
        let (module, run) = self.compile(&["--kernel-store=off"]);
        assert_eq!(counts(&run), None);
        module
    }

    /// The entries of the store `kernels`.
    fn entries(&self) -> Vec<PathBuf> {
        let Ok(listed) = std::fs::read_dir(self.path().join("kernels/fornax-kernels")) else { return Vec::new() };
        listed.map(|entry| entry.unwrap().path()).collect()
    }
}

/// How many kernels came from the store, and how many were compiled; `None` where nothing is said of a store.
fn counts(run: &Run) -> Option<(usize, usize)> {
    let line =
        run.stderr.lines().find(|line| line.starts_with("info: codegen: ") && line.contains("from the store"))?;
    let (_, said) = line.split_once("kernels: ")?;
    let (found, compiled) = said.split_once(" from the store, ")?;
    Some((found.parse().unwrap(), compiled.strip_suffix(" compiled")?.parse().unwrap()))
}

#[test]
fn a_second_compilation_takes_its_kernels_from_the_folder() {
    let place = Place::new();
    let wanted = place.plain();
    let (first, run) = place.compile(&["--kernel-store=kernels"]);
    let (none, all) = counts(&run).unwrap();
    assert!(none == 0 && all >= 4, "{}", run.stderr);
    assert_eq!(place.entries().len(), all);
    let (second, run) = place.compile(&["--kernel-store=kernels"]);
    assert_eq!(counts(&run), Some((all, 0)));
    assert!(first == wanted && second == wanted);
    // The variable does the same, whoever starts the program; the flag goes before it.
    let variables = [("FORNAX_KERNEL_STORE", "kernels")];
    let (third, run) = place.compile_with(&[], &variables);
    assert_eq!(counts(&run), Some((all, 0)));
    assert!(third == wanted);
    assert_eq!(counts(&place.compile_with(&["--kernel-store=off"], &variables).1), None);
    assert_eq!(counts(&place.compile_with(&[], &[("FORNAX_KERNEL_STORE", "off")]).1), None);
    assert_eq!(counts(&place.compile_with(&[], &[("FORNAX_KERNEL_STORE", "")]).1), None);

    // A model that changed a little, and other options: what is not the same is compiled.
    std::fs::write(place.path().join("m.mlir"), MODEL.replace("stablehlo.sine", "stablehlo.cosine")).unwrap();
    let (found, compiled) = counts(&place.compile(&["--kernel-store=kernels"]).1).unwrap();
    assert!(found > 0 && compiled > 0 && found + compiled == all, "{found} found, {compiled} compiled");
    std::fs::write(place.path().join("m.mlir"), MODEL).unwrap();
    let (found, compiled) = counts(&place.compile(&["--kernel-store=kernels", "--quick"]).1).unwrap();
    assert!(compiled > 0 && found + compiled == all, "{found} found, {compiled} compiled");
}

/// Texts between the source and the binary are entries of their own.
#[test]
fn dumps_are_whole() {
    let place = Place::new();
    place.compile(&["--kernel-store=kernels"]);
    let dump = |name: &str, store: &str| {
        let run = place.compile(&[&format!("--dump-ir-to={name}"), store]).1;
        let folder = place.path().join(name);
        let mut files = Vec::new();
        for target in ["cpu_x86-64-v3", "cuda_sm_80"] {
            for entry in std::fs::read_dir(folder.join(target)).unwrap() {
                let path = entry.unwrap().path();
                files.push((path.strip_prefix(&folder).unwrap().to_path_buf(), std::fs::read(&path).unwrap()));
            }
        }
        files.sort();
        (files, counts(&run))
    };
    let (wanted, _) = dump("a", "--kernel-store=off");
    assert!(wanted.iter().any(|(path, text)| path.to_string_lossy().ends_with(".ll") && !text.is_empty()));
    let (made, first) = dump("b", "--kernel-store=kernels");
    let (found, second) = dump("c", "--kernel-store=kernels");
    let all = first.unwrap().1;
    assert_eq!((first, second), (Some((0, all)), Some((all, 0))));
    assert!(made == wanted && found == wanted);
}

#[test]
fn broken_entries_are_compiled_again() {
    let place = Place::new();
    let wanted = place.plain();
    place.compile(&["--kernel-store=kernels"]);
    let entries = place.entries();
    assert!(entries.len() >= 4);
    let whole: Vec<Vec<u8>> = entries.iter().map(|entry| std::fs::read(entry).unwrap()).collect();
    for (at, entry) in entries.iter().enumerate() {
        let mut bytes = whole[at].clone();
        match at % 4 {
            0 => bytes.truncate(bytes.len() / 2),
            1 => bytes.clear(),
            2 => *bytes.last_mut().unwrap() ^= 1,
            _ => {
                std::fs::remove_file(entry).unwrap();
                std::os::unix::fs::symlink("/dev/zero", entry).unwrap();
                continue;
            }
        }
        std::fs::write(entry, bytes).unwrap();
    }
    let (module, run) = place.compile(&["--kernel-store=kernels"]);
    assert_eq!(counts(&run), Some((0, entries.len())));
    assert!(module == wanted && !run.stderr.contains("warning"), "{}", run.stderr);
    let mended: Vec<Vec<u8>> = entries.iter().map(|entry| std::fs::read(entry).unwrap()).collect();
    assert!(mended == whole);
    // One entry under the name of another.
    std::fs::write(&entries[0], &whole[1]).unwrap();
    let (module, run) = place.compile(&["--kernel-store=kernels"]);
    assert_eq!(counts(&run), Some((entries.len() - 1, 1)));
    assert!(module == wanted);
}

#[test]
fn a_folder_that_cannot_be_written_costs_time_alone() {
    let place = Place::new();
    let wanted = place.plain();
    std::fs::write(place.path().join("file"), "").unwrap();
    let (module, run) = place.compile(&["--kernel-store=file/below"]);
    assert_eq!(run.stderr.matches("warning: compiled kernels are not kept: ").count(), 1, "{}", run.stderr);
    assert!(module == wanted);

    place.compile(&["--kernel-store=kernels"]);
    let entries = place.entries();
    let folder = place.path().join("kernels/fornax-kernels");
    std::fs::remove_file(&entries[0]).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o500)).unwrap();
    // Root writes wherever it likes.
    let writable = std::fs::write(folder.join("probe"), "").is_ok();
    let (module, run) = place.compile(&["--kernel-store=kernels"]);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(counts(&run), Some((entries.len() - 1, 1)));
    assert_eq!(run.stderr.matches("warning: ").count(), usize::from(!writable), "{}", run.stderr);
    assert!(module == wanted);
}

#[test]
fn the_folder_stays_below_its_limit() {
    let place = Place::new();
    let wanted = place.plain();
    let (_, run) = place.compile(&["--kernel-store=kernels"]);
    let all = counts(&run).unwrap().1;
    let bytes = |place: &Place| place.entries().iter().map(|path| path.metadata().unwrap().len()).sum::<u64>();
    let limit = bytes(&place) * 2 / 3;
    std::fs::write(place.path().join("m.mlir"), MODEL.replace("stablehlo.sine", "stablehlo.cosine")).unwrap();
    let variables = [("FORNAX_KERNEL_STORE_BYTES", &*limit.to_string())];
    place.compile_with(&["--kernel-store=kernels"], &variables);
    assert!(bytes(&place) <= limit && !place.entries().is_empty(), "{} of {limit} bytes", bytes(&place));
    std::fs::write(place.path().join("m.mlir"), MODEL).unwrap();
    let (module, run) = place.compile(&["--kernel-store=kernels"]);
    assert!(module == wanted && counts(&run).unwrap().1 > 0);
    assert_eq!(counts(&place.compile(&["--kernel-store=kernels"]).1), Some((all, 0)));

    let arguments = ["compile", "m.mlir", "--kernel-store=kernels", "-o", "m.fnx"];
    let refused = fornax_with(place.path(), &arguments, &[("FORNAX_KERNEL_STORE_BYTES", "much")], LIMIT);
    assert!(refused.fails(1, "FX0801").stderr.contains("FORNAX_KERNEL_STORE_BYTES: `much`"));
}

/// Processes that stay compile by themselves, what a worker would: the entries are the same.
#[test]
fn a_model_worker_shares_the_entries() {
    let place = Place::new();
    let wanted = place.plain();
    place.compile(&["--kernel-store=kernels"]);
    let entries = place.entries();
    let folder = place.path().join("kernels").display().to_string();
    let mut worker = ModelWorker::start(&[("FORNAX_KERNEL_STORE", &*folder)]);
    assert!(worker.ask(&FLAGS, MODEL) == ("module".to_string(), wanted.clone()));
    assert_eq!(place.entries().len(), entries.len());
    entries.iter().for_each(|entry| std::fs::remove_file(entry).unwrap());
    assert!(worker.ask(&FLAGS, MODEL) == ("module".to_string(), wanted));
    assert_eq!(place.entries().len(), entries.len());
    worker.end();
    assert_eq!(counts(&place.compile(&["--kernel-store=kernels"]).1), Some((entries.len(), 0)));
}

/// Two compilers at once fill one folder.
#[test]
fn two_processes_share_a_folder() {
    let place = Place::new();
    let wanted = place.plain();
    std::thread::scope(|scope| {
        for at in 0..3 {
            let (place, wanted) = (&place, &wanted);
            scope.spawn(move || {
                let output = format!("{at}.fnx");
                let arguments = [&["compile", "m.mlir", "--kernel-store=kernels", "-o", &output], &FLAGS[..]].concat();
                fornax(place.path(), &arguments).ok();
                assert!(std::fs::read(place.path().join(&output)).unwrap() == *wanted);
            });
        }
    });
    let ends: Vec<_> = place.entries().iter().map(|path| path.extension().map(ToOwned::to_owned)).collect();
    assert!(ends.iter().all(|end| end.as_deref() == Some("kernel".as_ref())), "{ends:?}");
    assert_eq!(counts(&place.compile(&["--kernel-store=kernels"]).1), Some((ends.len(), 0)));
}
