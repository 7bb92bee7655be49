//! Ensembles of decision trees (`ai.onnx.ml`): gradient boosting, random forests.
//!
//! All trees of all samples go down level by level: `place[n, t]` is the node where sample n stands in tree t. Worked
//! example: node 0 asks `x[2] <= 0.5`, yes to node 1, no to node 2, both of them leaves. From place 0, a sample with
//! `x[2] = 0.7` goes to 2. A leaf leads to itself, so that trees of several depths go the same number of steps.

use fornax_graph::{Constant, Dim, ElementType, OpKind, TensorType, ValueId};
use fornax_types::Scalar;

use super::classical::{above, best, floats, labels, samples, transformed};
use super::reduce::reduced;
use super::shape::take;
use super::{Row, Rule};
use crate::onnx::converter::{Converter, Result};
use crate::onnx::node::{Item, Node};

pub const ROWS: &[Row] = &[
    Row { domain: "ai.onnx.ml", name: "TreeEnsemble", rule: Rule::One(ensemble) },
    Row { domain: "ai.onnx.ml", name: "TreeEnsembleClassifier", rule: Rule::Many(classifier) },
    Row { domain: "ai.onnx.ml", name: "TreeEnsembleRegressor", rule: Rule::One(regressor) },
];

/// Steps from a root to a leaf that are written out.
const DEPTH_MAX: usize = 256;
/// Weights of a table, one for each node and target.
const WEIGHTS_MAX: usize = 1 << 26;
/// Comparisons, by the numbers of `TreeEnsemble`.
const MODES: [(&str, &str); 6] = [
    ("BRANCH_LEQ", "LE"),
    ("BRANCH_LT", "LT"),
    ("BRANCH_GTE", "GE"),
    ("BRANCH_GT", "GT"),
    ("BRANCH_EQ", "EQ"),
    ("BRANCH_NEQ", "NE"),
];

/// The place of `BRANCH_EQ` among them.
const EQUAL: usize = 4;

#[derive(Clone, Default)]
struct Place {
    /// A number of [`MODES`]; none for a leaf.
    mode: Option<usize>,
    feature: i64,
    edge: f64,
    yes: usize,
    no: usize,
    /// What is no number goes to `yes`.
    missing_is_yes: bool,
}

#[derive(Default)]
struct Forest {
    places: Vec<Place>,
    roots: Vec<usize>,
    /// Place, target, weight.
    weights: Vec<(usize, usize, f64)>,
    targets: usize,
}

impl Forest {
    /// Steps of the longest way to a leaf.
    ///
    /// # Errors
    /// FX1023 where a tree is too deep or nodes lead in a circle; that of a broken node where a branch leads nowhere.
    fn depth(&self, node: &Node) -> Result<usize> {
        let mut level = self.roots.clone();
        for steps in 0..=DEPTH_MAX {
            level.retain(|&at| self.places.get(at).is_some_and(|place| place.mode.is_some()));
            level.sort_unstable();
            level.dedup();
            if level.is_empty() {
                return Ok(steps);
            }
            level = level.iter().flat_map(|&at| [self.places[at].yes, self.places[at].no]).collect();
            if level.iter().any(|&at| at >= self.places.len()) {
                return Err(node.broken("a branch leads to no node"));
            }
        }
        Err(node.unsupported(format!("trees of more than {DEPTH_MAX} steps, or nodes in a circle")))
    }

    /// The scores of each sample, `[N, targets]` in f32 or f64, as the trees give them together.
    fn scores(&self, c: &mut Converter, node: &Node, sum: &str) -> Result<ValueId> {
        let wide = node.input(0).is_ok_and(|a| c.b.element(a) == ElementType::F64);
        let (a, features) = samples(c, node, if wide { ElementType::F64 } else { ElementType::F32 })?;
        let depth = self.depth(node)?;
        let broken = self.places.iter().any(|at| at.mode.is_some() && !(0..features).contains(&at.feature));
        if broken || self.roots.is_empty() || self.roots.iter().any(|&at| at >= self.places.len()) {
            return Err(node.broken("a tree asks for a feature that is not there, or there are no trees"));
        }
        let (rows, trees) = (c.b.shape(a)[0], self.roots.len() as i64);
        let shape = [rows, Dim::Static(trees)];
        let roots = c.vector(&self.roots.iter().map(|&at| at as i64).collect::<Vec<_>>());
        let mut at = c.stretch(roots, &shape);
        let element = c.b.element(a);
        let steps = Steps::new(c, &self.places, element);
        for _ in 0..depth {
            at = steps.next(c, a, at);
        }
        self.together(c, node, at, sum)
    }

    /// The weights of the leaves that each sample came to, over all trees by `sum` (`SUM`, …).
    fn together(&self, c: &mut Converter, node: &Node, at: ValueId, sum: &str) -> Result<ValueId> {
        let (places, targets) = (self.places.len(), self.targets);
        let size = places.checked_mul(targets).filter(|&size| size <= WEIGHTS_MAX);
        let size = size.ok_or_else(|| node.unsupported(format!("{places} nodes with {targets} weights each")))?;
        let mut table = vec![0.0; size];
        for &(place, target, weight) in &self.weights {
            let wrong = || node.broken("a weight of no node or no target");
            let cell = if place < places && target < targets { table.get_mut(place * targets + target) } else { None };
            *cell.ok_or_else(wrong)? += weight;
        }
        let table = floats(c, &[places as i64, targets as i64], &table);
        let weights = take(c, table, at, 0);
        let name = match sum {
            "SUM" => "Sum",
            "AVERAGE" => "Mean",
            "MIN" => "Min",
            "MAX" => "Max",
            other => return Err(node.broken(format!("aggregate_function `{other}`"))),
        };
        Ok(reduced(c, weights, &[1], name, false))
    }
}

/// Tables of what each node asks, and where it leads to.
struct Steps {
    features: ValueId,
    edges: ValueId,
    yes: ValueId,
    no: ValueId,
    missing: Option<ValueId>,
    /// The comparisons that nodes do, and which one each does, where there are several.
    modes: Vec<usize>,
    mode: Option<ValueId>,
}

impl Steps {
    fn new(c: &mut Converter, places: &[Place], element: ElementType) -> Steps {
        let mut modes: Vec<usize> = places.iter().filter_map(|at| at.mode).collect();
        modes.sort_unstable();
        modes.dedup();
        let own = |k: usize| if places[k].mode.is_some() { None } else { Some(k as i64) };
        let list = |of: &dyn Fn(usize) -> i64| -> Vec<i64> { (0..places.len()).map(of).collect() };
        let edges: Vec<u8> = match element {
            ElementType::F64 => places.iter().flat_map(|at| at.edge.to_le_bytes()).collect(),
            _ => places.iter().flat_map(|at| (at.edge as f32).to_le_bytes()).collect(),
        };
        Steps {
            features: c.vector(&list(&|k| if own(k).is_some() { 0 } else { places[k].feature })),
            edges: c.b.constant(Constant::dense(TensorType::new(&[places.len() as i64], element), edges)),
            yes: c.vector(&list(&|k| own(k).unwrap_or(places[k].yes as i64))),
            no: c.vector(&list(&|k| own(k).unwrap_or(places[k].no as i64))),
            missing: places
                .iter()
                .any(|at| at.missing_is_yes)
                .then(|| c.vector(&list(&|k| i64::from(places[k].missing_is_yes)))),
            mode: (modes.len() > 1).then(|| c.vector(&list(&|k| places[k].mode.unwrap_or(0) as i64))),
            modes,
        }
    }

    /// Where samples stand after one more step.
    fn next(&self, c: &mut Converter, a: ValueId, at: ValueId) -> ValueId {
        let mut one = c.b.shape(at);
        one.push(Dim::Static(1));
        let rows = c.b.iota(&one, ElementType::I64, 0);
        let feature = take(c, self.features, at, 0);
        let feature = c.b.reshape(feature, &one);
        let vectors = c.b.concatenate(&[rows, feature], 2);
        let x = c.b.gather(a, vectors, &[0, 1]);
        let edge = take(c, self.edges, at, 0);
        let mut on = None;
        for &mode in &self.modes {
            let here = c.b.compare(MODES[mode].1, x, edge);
            on = Some(match (on, self.mode) {
                (Some(before), Some(own)) => {
                    let own = take(c, own, at, 0);
                    let mine = c.with_number(OpKind::Subtract, own, mode as f64);
                    let zero = c.number(mine, 0.0);
                    let mine = c.b.compare("EQ", mine, zero);
                    c.b.select(mine, here, before)
                }
                _ => here,
            });
        }
        let Some(mut on) = on else { return at };
        if let Some(missing) = self.missing {
            let missing = take(c, missing, at, 0);
            let zero = c.b.number_like(missing, Scalar::Int(0));
            let missing = c.b.compare("NE", missing, zero);
            let none = c.b.compare("NE", x, x);
            let missing = c.b.binary(OpKind::And, none, missing);
            on = c.b.binary(OpKind::Or, on, missing);
        }
        let (yes, no) = (take(c, self.yes, at, 0), take(c, self.no, at, 0));
        c.b.select(on, yes, no)
    }
}

/// Numbers of an attribute that is a list of floats, or a tensor with `_as_tensor` behind its name.
fn numbers(c: &mut Converter, node: &Node, name: &str) -> Result<Vec<f64>> {
    match node.tensor(&format!("{name}_as_tensor")) {
        Some(tensor) => tensor_numbers(c, node, tensor),
        None => Ok(node.floats(name).unwrap_or_default()),
    }
}

fn tensor_numbers(c: &mut Converter, node: &Node, tensor: &crate::onnx::proto::TensorProto) -> Result<Vec<f64>> {
    let value = c.constant(tensor, &node.title)?;
    c.known_floats(value).ok_or_else(|| node.broken("a tensor of numbers is expected"))
}

/// The trees of both older operators; `of` is what their weights are named by.
fn forest(c: &mut Converter, node: &Node, of: &str, targets: usize) -> Result<Forest> {
    let list = |name: &str| node.ints(name).unwrap_or_default();
    let (trees, names) = (list("nodes_treeids"), list("nodes_nodeids"));
    let edges = numbers(c, node, "nodes_values")?;
    let modes = node.texts("nodes_modes").unwrap_or_default();
    let (features, yes, no) = (list("nodes_featureids"), list("nodes_truenodeids"), list("nodes_falsenodeids"));
    let count = trees.len();
    let lengths = [names.len(), edges.len(), modes.len(), features.len(), yes.len(), no.len()];
    if lengths.iter().any(|&n| n != count) {
        return Err(node.broken("the lists of nodes have several lengths"));
    }
    let known: std::collections::HashMap<(i64, i64), usize> =
        trees.iter().copied().zip(names.iter().copied()).zip(0..).collect();
    let place = |tree: i64, at: i64| known.get(&(tree, at)).copied();
    let missing = list("nodes_missing_value_tracks_true");
    let mut forest = Forest { targets, ..Forest::default() };
    let mut led_to = vec![false; count];
    for k in 0..count {
        let mode = MODES.iter().position(|row| row.0 == modes[k]);
        let mut one = Place { mode, feature: features[k], edge: edges[k], ..Place::default() };
        if mode.is_some() {
            let (Some(yes), Some(no)) = (place(trees[k], yes[k]), place(trees[k], no[k])) else {
                return Err(node.broken("a branch leads to no node"));
            };
            (led_to[yes], led_to[no]) = (true, true);
            (one.yes, one.no, one.missing_is_yes) = (yes, no, missing.get(k) == Some(&1));
        } else if modes[k] != "LEAF" {
            return Err(node.broken(format!("mode `{}` of a node", modes[k])));
        }
        forest.places.push(one);
    }
    forest.roots = (0..count).filter(|&k| !led_to[k]).collect();
    let weights = numbers(c, node, &format!("{of}_weights"))?;
    let (tree, at) = (list_of(node, of, "treeids"), list_of(node, of, "nodeids"));
    let ids = list_of(node, of, "ids");
    if [tree.len(), at.len(), ids.len()].iter().any(|&n| n != weights.len()) {
        return Err(node.broken("the lists of weights have several lengths"));
    }
    for (k, weight) in weights.into_iter().enumerate() {
        let (Some(place), Ok(target)) = (place(tree[k], at[k]), usize::try_from(ids[k])) else {
            return Err(node.broken("a weight of no node or no target"));
        };
        forest.weights.push((place, target, weight));
    }
    Ok(forest)
}

fn list_of<'n>(node: &'n Node, of: &str, what: &str) -> &'n [i64] {
    node.ints(&format!("{of}_{what}")).unwrap_or_default()
}

/// Scores and what every sample begins with.
fn with_start(c: &mut Converter, node: &Node, scores: ValueId) -> Result<ValueId> {
    let start = numbers(c, node, "base_values")?;
    let shape = c.b.shape(scores);
    match start.len() {
        0 => Ok(scores),
        n if shape.last() == Some(&Dim::Static(n as i64)) => {
            let start = floats(c, &[n as i64], &start);
            let start = c.stretch(start, &shape);
            Ok(c.add(scores, start))
        }
        n => Err(node.broken(format!("{n} base_values for other targets"))),
    }
}

fn regressor(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let targets = usize::try_from(node.int_or("n_targets", 1)).unwrap_or(0);
    let forest = forest(c, node, "target", targets)?;
    let scores = forest.scores(c, node, node.text_or("aggregate_function", "SUM"))?;
    let scores = with_start(c, node, scores)?;
    transformed(c, node, node.text_or("post_transform", "NONE"), scores)
}

fn classifier(c: &mut Converter, node: &Node) -> Result<Vec<Item>> {
    let labels = labels(node, "classlabels_int64s", "classlabels_strings")?;
    let transform = node.text_or("post_transform", "NONE");
    let mut forest = forest(c, node, "class", labels.len())?;
    let first = forest.weights.first().map(|row| row.1);
    let is_one = forest.weights.iter().all(|row| Some(row.1) == first);
    let (2, true) = (labels.len(), is_one) else {
        let scores = forest.scores(c, node, "SUM")?;
        let scores = with_start(c, node, scores)?;
        let label = best(c, node, scores, &labels)?;
        return Ok(vec![label.into(), transformed(c, node, transform, scores)?.into()]);
    };
    // Two classes with one score: that of the second. Probabilities are what positive weights add up to.
    let is_probability = forest.weights.iter().all(|row| row.2 >= 0.0);
    forest.weights.iter_mut().for_each(|row| row.1 = 0);
    forest.targets = 1;
    let mut score = forest.scores(c, node, "SUM")?;
    if let Some(&start) = numbers(c, node, "base_values")?.last() {
        score = c.with_number(OpKind::Add, score, start);
    }
    let label = above(c, score, if is_probability { 0.5 } else { 0.0 }, [labels[0], labels[1]]);
    let minus = c.b.unary(OpKind::Negate, score);
    let both = match is_probability {
        true => {
            let other = c.with_number(OpKind::Add, minus, 1.0);
            c.b.concatenate(&[other, score], 1)
        }
        false => {
            let both = c.b.concatenate(&[minus, score], 1);
            // Of one score the other transforms give none.
            if transform == "LOGISTIC" { transformed(c, node, transform, both)? } else { both }
        }
    };
    Ok(vec![label.into(), both.into()])
}

/// The operator of version 5: leaves have a table of their own.
fn ensemble(c: &mut Converter, node: &Node) -> Result<ValueId> {
    let list = |name: &str| node.ints(name).unwrap_or_default();
    let tensor = |c: &mut Converter, name: &str| match node.tensor(name) {
        Some(tensor) => tensor_numbers(c, node, tensor),
        None => Err(node.broken(format!("`{name}` is missing"))),
    };
    let (edges, modes) = (tensor(c, "nodes_splits")?, tensor(c, "nodes_modes")?);
    let weights = tensor(c, "leaf_weights")?;
    let (features, targets) = (list("nodes_featureids"), list("leaf_targetids"));
    let ways = [("nodes_trueleafs", "nodes_truenodeids"), ("nodes_falseleafs", "nodes_falsenodeids")];
    let count = edges.len();
    let ways = ways.map(|(leaf, to)| (list(leaf), list(to)));
    let fits = |n: usize| n == count;
    if ![modes.len(), features.len()].into_iter().chain(ways.iter().flat_map(|w| [w.0.len(), w.1.len()])).all(fits)
        || targets.len() != weights.len()
    {
        return Err(node.broken("the lists of nodes or leaves have several lengths"));
    }
    let place = |(leaf, to): (&[i64], &[i64]), k: usize| -> Result<usize> {
        let to = usize::try_from(to[k]).map_err(|_| node.broken("a branch leads to no node"))?;
        Ok(if leaf[k] != 0 { count.saturating_add(to) } else { to })
    };
    let wanted = usize::try_from(node.int_or("n_targets", 1)).unwrap_or(0);
    let mut forest = Forest { targets: wanted, ..Forest::default() };
    let missing = list("nodes_missing_value_tracks_true");
    let mut sets = match node.tensor("membership_values") {
        Some(tensor) => tensor_numbers(c, node, tensor)?.into_iter(),
        None => Vec::new().into_iter(),
    };
    // Members of a set but its first are nodes of their own, behind the leaves.
    let mut members = Vec::new();
    for k in 0..count {
        let (yes, no) = (place(ways[0], k)?, place(ways[1], k)?);
        let missing_is_yes = missing.get(k) == Some(&1);
        let one = |mode, edge, no| Place { mode: Some(mode), feature: features[k], edge, yes, no, missing_is_yes };
        let mode = modes[k] as usize;
        if mode < MODES.len() {
            forest.places.push(one(mode, edges[k], no));
            continue;
        }
        if mode > MODES.len() {
            return Err(node.broken(format!("mode {mode} of a node")));
        }
        let set: Vec<f64> = sets.by_ref().take_while(|number| !number.is_nan()).collect();
        let next = |at: usize| if at + 1 < set.len() { count + weights.len() + members.len() + at } else { no };
        let mut chain = (0..set.len()).map(|at| one(EQUAL, set[at], next(at))).collect::<Vec<_>>().into_iter();
        forest.places.push(chain.next().ok_or_else(|| node.broken("a set without members"))?);
        members.extend(chain);
    }
    for (k, weight) in weights.into_iter().enumerate() {
        let target = usize::try_from(targets[k]).map_err(|_| node.broken("a leaf of no target"))?;
        forest.weights.push((forest.places.len(), target, weight));
        forest.places.push(Place::default());
    }
    forest.places.extend(members);
    for &root in list("tree_roots") {
        forest.roots.push(usize::try_from(root).map_err(|_| node.broken("a root that is no node"))?);
    }
    let named = |name: &str, default: i64, names: &[&'static str]| {
        let number = node.int_or(name, default);
        let known = usize::try_from(number).ok().and_then(|at| names.get(at).copied());
        known.ok_or_else(|| node.unsupported(format!("{name} {number}")))
    };
    let sum = named("aggregate_function", 1, &["AVERAGE", "SUM", "MIN", "MAX"])?;
    let transform = named("post_transform", 0, &["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])?;
    let element = node.input(0).map(|a| c.b.element(a))?;
    let scores = forest.scores(c, node, sum)?;
    let scores = transformed(c, node, transform, scores)?;
    Ok(c.b.convert(scores, element))
}
