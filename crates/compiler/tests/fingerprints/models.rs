//! The models whose fingerprints are held: every golden, the models with sizes of run time, the probes of the targets,
//! and one model for every row of the tuning lock that ships with the compiler.

use std::path::{Path, PathBuf};

use fornax_compiler::{Precision, shipped_tuning};

/// Folders of goldens: `FOLDER/NAME/model.mlir`.
const GOLDENS: &[&str] = &["tests/numeric", "tests/dialects", "tests/sizes", "tests/model"];
/// Folders of plain files: `FOLDER/NAME.mlir`.
const FILES: &[&str] = &["tests/model/probes"];

/// One model.
pub struct Model {
    /// Folder and name, or `tuned` and the row's key.
    pub name: String,
    pub text: String,
    pub precision: Precision,
}

/// Root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// All of them, in the order of their names.
pub fn all() -> Vec<Model> {
    let mut found: Vec<Model> = GOLDENS.iter().chain(FILES).flat_map(|folder| of_folder(folder)).collect();
    found.extend(shipped_tuning().ways.keys().map(|key| of_key(key)));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn of_folder(folder: &str) -> Vec<Model> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let model = |path: PathBuf| {
        let file = if path.is_dir() { path.join("model.mlir") } else { path.clone() };
        let is_model = file.extension().is_some_and(|extension| extension == "mlir") && file.exists();
        let text = is_model.then(|| std::fs::read_to_string(&file).unwrap_or_default())?;
        let stem = path.file_stem()?.to_string_lossy().into_owned();
        Some(Model { name: format!("{folder}/{stem}"), text, precision: Precision::Ieee })
    };
    entries.filter_map(|entry| model(entry.ok()?.path())).collect()
}

/// The 3x3 depthwise convolution that the lock's rows of windows describe.
const DEPTHWISE: &str =
    "func.func @main(%x: tensor<32x112x112x96xf32>, %w: tensor<3x3x1x96xf32>) -> tensor<32x56x56x96xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 96 : i64}
    : (tensor<32x112x112x96xf32>, tensor<3x3x1x96xf32>) -> tensor<32x56x56x96xf32>
  return %0 : tensor<32x56x56x96xf32>
}";

/// The model that a row's key describes.
fn of_key(key: &str) -> Model {
    let precision = if key.contains(" tf32 ") { Precision::Tf32 } else { Precision::Ieee };
    let text = if key.contains(" batch 96 rows 32,56,56 ") { DEPTHWISE.to_string() } else { product(key) };
    Model { name: name_of_key(key), text, precision }
}

/// The name of a row's model: without the separators of the files.
pub fn name_of_key(key: &str) -> String {
    format!("tuned/{}", key.replace(" | ", "|"))
}

/// One operand: extents and strides of its outputs and of the summed dimension, outermost first.
struct Side {
    /// (extent, stride, whether it is summed)
    dimensions: Vec<(u64, u64, bool)>,
    element: String,
}

impl Side {
    fn new(outputs: &str, steps: &str, strides: &str, element: &str) -> Side {
        let numbers = |text: &str| -> Vec<u64> { text.split(',').filter_map(|n| n.parse().ok()).collect() };
        let mut words = strides.split_whitespace().skip(1);
        let (across, along) = (numbers(words.nth(1).unwrap_or_default()), numbers(words.next().unwrap_or_default()));
        let outputs = numbers(outputs).into_iter().zip(across).map(|(extent, stride)| (extent, stride, false));
        let steps = numbers(steps).into_iter().zip(along).map(|(extent, stride)| (extent, stride, true));
        let mut dimensions: Vec<(u64, u64, bool)> = outputs.chain(steps).collect();
        dimensions.sort_by_key(|dimension| std::cmp::Reverse(dimension.1));
        Side { dimensions, element: element.to_string() }
    }

    fn ty(&self) -> String {
        let extents: Vec<String> = self.dimensions.iter().map(|d| d.0.to_string()).collect();
        format!("tensor<{}x{}>", extents.join("x"), self.element)
    }

    fn summed(&self) -> usize {
        self.dimensions.iter().position(|d| d.2).unwrap_or_default()
    }

    fn outputs(&self) -> impl Iterator<Item = u64> {
        self.dimensions.iter().filter(|d| !d.2).map(|d| d.0)
    }
}

/// A dense product, from a key like `sm_90a bf16*bf16->f32 ieee batch - rows M columns N steps K | row - K 1 | column -
/// 1 N | f32`.
fn product(key: &str) -> String {
    let parts: Vec<&str> = key.split(" | ").collect();
    let words: Vec<&str> = parts[0].split_whitespace().collect();
    let after = |word: &str| words.iter().position(|w| *w == word).and_then(|at| words.get(at + 1)).copied();
    let element = words[1].split('*').next().unwrap_or_default();
    let steps = after("steps").unwrap_or_default();
    let side = |outputs: &str, part: usize| Side::new(after(outputs).unwrap_or("1"), steps, parts[part], element);
    let vector = |side: Side| if side.dimensions.len() > 1 { side } else { one_row(side) };
    let (rows, columns) = (vector(side("rows", 1)), vector(side("columns", 2)));
    // Rows of more than one dimension come first in a model, whichever side the compiler calls rows.
    let (x, w) = if columns.dimensions.len() > 2 { (columns, rows) } else { (rows, columns) };
    let result: Vec<String> = x.outputs().chain(w.outputs()).map(|n| n.to_string()).collect();
    let (xt, wt, rt) = (x.ty(), w.ty(), format!("tensor<{}x{}>", result.join("x"), parts[3]));
    let (a, b) = (x.summed(), w.summed());
    format!(
        "func.func @main(%x: {xt}, %w: {wt}) -> {rt} {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [{a}] x [{b}] : ({xt}, {wt}) -> {rt}
  return %0 : {rt}
}}"
    )
}

/// A vector as a matrix of one row.
fn one_row(mut side: Side) -> Side {
    let extent = side.dimensions.first().map_or(1, |d| d.0);
    side.dimensions.insert(0, (1, extent, false));
    side
}
