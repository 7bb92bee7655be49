//! How HLO's text says that tensors lie on devices (`mhlo.sharding`), as a mesh and axes: JAX before Shardy writes it.
//!
//! Worked example: `{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}` is a tensor of two dimensions whose first
//! one is cut in two; four devices have the same part. Its tiles are a mesh of their own, `<["t0"=2, "t1"=1, "t2"=4],
//! device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>`, and the sharding is `[{"t0"}, {"t1"}]`. Devices that a program itself
//! addresses (`last_tile_dims={manual}`) are an axis like any other, with its name in a list of its own. What does not
//! begin with a brace is bytes (`bytes`).

mod bytes;

use crate::devices::DEVICES_MAX;
use crate::reader::Reader;
use crate::sharding::{AxisRef, DimAxes, Mesh, Sharding};

/// What the devices along a tile dimension behind those of the tensor have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Replicated,
    Manual,
    Unreduced,
}

/// A sharding of HLO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloSharding {
    /// The grid of tiles; none where the tensor is not cut.
    tiles: Vec<i64>,
    /// The devices of the tiles in their order; `None` where they count up.
    devices: Option<Vec<i64>>,
    behind: Vec<Behind>,
    /// Whether every device has a tensor of its own.
    all_manual: bool,
}

impl Reader<'_> {
    /// `1,2,3`
    fn numbers(&mut self) -> Result<Vec<i64>, String> {
        let mut all = vec![self.number()?];
        while self.eat(",") {
            all.push(self.number()?);
        }
        Ok(all)
    }

    /// `[1,2,3]`
    fn list(&mut self) -> Result<Vec<i64>, String> {
        self.expect("[")?;
        let all = self.numbers()?;
        self.expect("]")?;
        Ok(all)
    }

    /// `{…}`, whatever is in it.
    fn skip_braces(&mut self) -> Result<(), String> {
        self.expect("{")?;
        let mut depth = 1;
        let end = self.left.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        self.left = self.left.get(end.ok_or("`}` is missing")? + 1..).unwrap_or_default();
        Ok(())
    }

    /// `{replicated}`, `{devices=…}` and the like, behind the brace.
    fn tiles(&mut self) -> Result<HloSharding, String> {
        let mut found = HloSharding { tiles: Vec::new(), devices: None, behind: Vec::new(), all_manual: false };
        while !self.eat("}") {
            if self.eat("devices=") {
                found.tiles = self.list()?;
                found.devices = self.devices(&found.tiles)?;
            } else if self.eat("maximal device=") {
                // One device has it; here all of them do.
                if self.number().is_err() {
                    self.list()?;
                }
            } else if self.eat("last_tile_dim_replicate") {
                found.behind = vec![Behind::Replicated];
            } else if self.eat("last_tile_dims=") {
                found.behind = self.behind()?;
            } else if self.eat("metadata=") {
                self.skip_braces()?;
            } else if self.eat("manual") {
                found.all_manual = true;
            } else if self.eat("shard_as") || self.eat("shard_like") {
                self.number()?;
            } else if !self.eat("replicated") && !self.eat("unknown") {
                let at: String = self.left.chars().take(20).collect();
                return Err(format!("`{at}` is no part of a sharding"));
            }
            self.eat(",");
        }
        if found.behind.len() > found.tiles.len() {
            return Err("it has more kinds of tiles than tiles".into());
        }
        Ok(found)
    }

    /// `{manual, replicated}`
    fn behind(&mut self) -> Result<Vec<Behind>, String> {
        self.expect("{")?;
        let mut all = Vec::new();
        while !self.eat("}") {
            all.push(match () {
                _ if self.eat("manual") => Behind::Manual,
                _ if self.eat("replicated") => Behind::Replicated,
                _ if self.eat("unreduced") => Behind::Unreduced,
                _ => return Err("`last_tile_dims` names manual, replicated or unreduced".into()),
            });
            self.eat(",");
        }
        Ok(all)
    }

    /// `<=[4,2]T(1,0)` or `0,1,2,3` behind the tiles; `None` where the devices count up.
    fn devices(&mut self, tiles: &[i64]) -> Result<Option<Vec<i64>>, String> {
        let count = product(tiles)?;
        if !self.eat("<=") {
            return listed(self.numbers()?, count);
        }
        let grid = self.list()?;
        if !self.eat("T") {
            return counted(&grid, None, count);
        }
        self.expect("(")?;
        let order = self.numbers()?;
        self.expect(")")?;
        counted(&grid, Some(order), count)
    }
}

/// Devices in an order that is given; `None` where they count up.
fn listed(devices: Vec<i64>, count: i64) -> Result<Option<Vec<i64>>, String> {
    if devices.len() as i64 != count {
        return Err(format!("it lists {} devices for {count} tiles", devices.len()));
    }
    Ok(Some(devices).filter(|devices| !devices.iter().copied().eq(0..count)))
}

/// Devices that count up in a grid whose dimensions are taken in an order; `None` where they count up.
fn counted(grid: &[i64], order: Option<Vec<i64>>, count: i64) -> Result<Option<Vec<i64>>, String> {
    if product(grid)? != count {
        return Err(format!("{} devices have {count} tiles", product(grid)?));
    }
    let Some(order) = order else { return Ok(None) };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..grid.len() as i64) {
        return Err("`T` does not name each dimension once".into());
    }
    let strides: Vec<i64> = (0..grid.len()).map(|d| grid[d + 1..].iter().product()).collect();
    let mut ids = vec![0];
    for dim in order.into_iter().map(|d| d as usize) {
        let (size, stride) = (grid[dim], strides[dim]);
        let along = |&at: &i64| (0..size).map(move |n| at + n * stride);
        ids = ids.iter().flat_map(along).collect();
    }
    Ok(Some(ids).filter(|ids| !ids.iter().copied().eq(0..count)))
}

fn product(sizes: &[i64]) -> Result<i64, String> {
    let all = sizes.iter().try_fold(1i64, |n, &size| n.checked_mul(size).filter(|&n| n > 0 && n <= DEVICES_MAX.into()));
    all.ok_or_else(|| "it has no devices, or too many".into())
}

/// The shardings of a text, or of bytes that stand as one: one, or those of a tuple's elements.
///
/// # Errors
/// What of it cannot be read.
pub fn parse_hlo_shardings(text: &str) -> Result<Vec<HloSharding>, String> {
    if !text.trim_start().starts_with('{') {
        return bytes::read(text.as_bytes());
    }
    let mut reader = Reader { left: text };
    reader.expect("{")?;
    if !reader.left.trim_start().starts_with('{') {
        return Ok(vec![reader.tiles()?]);
    }
    let mut all = Vec::new();
    while !reader.eat("}") {
        reader.expect("{")?;
        all.push(reader.tiles()?);
        reader.eat(",");
    }
    Ok(all)
}

impl HloSharding {
    /// The mesh of its tiles, by another name; of `devices` in a row where it has none.
    pub fn mesh(&self, name: &str, devices: i64) -> Mesh {
        let tiles = if self.tiles.is_empty() { &[devices][..] } else { &self.tiles };
        let axes = tiles.iter().enumerate().map(|(at, &size)| (axis(at), size)).collect();
        Mesh { name: name.to_string(), axes, device_ids: self.devices.clone() }
    }

    /// Whether it says how the devices have parts, and not only which the program addresses itself.
    pub fn speaks(&self) -> bool {
        !self.all_manual && (self.manual().is_empty() || self.tiles.len() > self.behind.len())
    }

    /// The axes that the program addresses itself.
    pub fn manual(&self) -> Vec<AxisRef> {
        if self.all_manual { vec![AxisRef { name: axis(0), part: None }] } else { self.of(Behind::Manual) }
    }

    fn of(&self, kind: Behind) -> Vec<AxisRef> {
        let first = self.tiles.len() - self.behind.len();
        let named = self.behind.iter().enumerate().filter(|(_, own)| **own == kind);
        named.map(|(at, _)| AxisRef { name: axis(first + at), part: None }).collect()
    }

    /// The axes of a tensor's dimensions; those in `open` may be cut further.
    ///
    /// # Errors
    /// Where the tensor has another number of dimensions.
    pub fn sharding(&self, mesh: &str, rank: usize, open: &[i64]) -> Result<Sharding, String> {
        let cut = self.tiles.len() - self.behind.len();
        if !self.tiles.is_empty() && cut != rank {
            return Err(format!("it has {cut} dimensions, the tensor {rank}"));
        }
        let of = |at: usize| DimAxes {
            axes: (at < cut).then(|| AxisRef { name: axis(at), part: None }).into_iter().collect(),
            open: open.contains(&(at as i64)),
        };
        Ok(Sharding { mesh: mesh.into(), dims: (0..rank).map(of).collect(), unreduced: self.of(Behind::Unreduced) })
    }
}

fn axis(at: usize) -> String {
    format!("t{at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> HloSharding {
        let [one] = parse_hlo_shardings(text).unwrap().try_into().unwrap();
        one
    }

    #[test]
    fn texts_of_jax_are_meshes_and_axes() {
        let of = |text: &str, rank| {
            let read = one(text);
            (read.mesh("m", 8).to_string(), read.sharding("m", rank, &[]).unwrap().to_string())
        };
        let said = |mesh: &str, sharding: &str| (format!("sdy.mesh @m = <{mesh}>"), format!("<@m, {sharding}>"));
        assert_eq!(of("{devices=[4,2]<=[8]}", 2), said(r#"["t0"=4, "t1"=2]"#, r#"[{"t0"}, {"t1"}]"#));
        let turned = r#"["t0"=2, "t1"=1, "t2"=4], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]"#;
        let text = "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}";
        assert_eq!(of(text, 2), said(turned, r#"[{"t0"}, {"t1"}]"#));
        assert_eq!(of("{replicated}", 1), said(r#"["t0"=8]"#, "[{}]"));
        assert_eq!(of("{maximal device=3}", 1), said(r#"["t0"=8]"#, "[{}]"));
        let listed = "{devices=[2,2]0,2,1,3 metadata={op_name=\"{x}\"}}";
        assert_eq!(of(listed, 2), said(r#"["t0"=2, "t1"=2], device_ids=[0, 2, 1, 3]"#, r#"[{"t0"}, {"t1"}]"#));
        let sums = "{devices=[2,4]<=[8] last_tile_dims={unreduced}}";
        assert_eq!(of(sums, 1), said(r#"["t0"=2, "t1"=4]"#, r#"[{"t0"}], unreduced={"t1"}"#));
    }

    #[test]
    fn what_the_program_addresses_itself_is_named() {
        let names = |text: &str| one(text).manual().into_iter().map(|axis| axis.name).collect::<Vec<_>>();
        assert_eq!(names("{manual}"), ["t0"]);
        let partly = "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}";
        assert_eq!(names(partly), ["t2"]);
        assert!(one(partly).speaks() && !one("{manual}").speaks() && names("{replicated}").is_empty());
        let open = one(partly).sharding("m", 2, &[1]).unwrap();
        assert_eq!(open.to_string(), r#"<@m, [{"t0"}, {"t1", ?}]>"#);
    }

    #[test]
    fn tuples_have_one_each() {
        let all = parse_hlo_shardings("{{devices=[2]<=[2]}, {replicated}}").unwrap();
        assert_eq!((all.len(), all[1].tiles.len()), (2, 0));
    }

    #[test]
    fn what_is_not_read_says_so() {
        let why = |text: &str| parse_hlo_shardings(text).unwrap_err();
        assert!(why("\u{8}").contains("does not end"));
        assert!(why("{devices=[2,2]<=[8]}").contains("4 tiles"));
        assert!(why("{devices=[2,2]0,1,2}").contains("3 devices"));
        assert!(why("{devices=[0]<=[0]}").contains("no devices"));
        assert!(why("{devices=[4294967296,4294967296]<=[8]}").contains("too many"));
        assert!(why("{devices=[2,2]<=[2,2]T(0,0)}").contains("once"));
        assert!(why("{devices=[8]<=[8] last_tile_dims={manual,manual}}").contains("more kinds"));
        assert!(why("{somewhere}").contains("somewhere"));
        assert!(why("{devices=[2]<=[2]").contains("no part") && why("{{replicated}").contains("missing"));
        assert!(one("{devices=[2,4]<=[8]}").sharding("m", 1, &[]).unwrap_err().contains("2 dimensions"));
    }

    /// Numbers that seem random, by a linear congruence.
    fn draws(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        }
    }

    #[test]
    fn broken_shardings_are_read_or_refused() {
        let texts = [
            "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
            "{devices=[2,2]0,2,1,3 metadata={op_name=\"{x}\"}}",
            "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}",
            "{{devices=[2]<=[2]}, {maximal device=3}, {manual}}",
            "\u{8}\u{3}\u{1a}\u{2}\u{2}\u{4}J\u{2}\u{4}\u{2}R\u{2}\u{1}\u{0}",
            "\u{8}\u{2}*\u{9}\u{8}\u{3}\u{1a}\u{1}\u{2}\"\u{2}\u{0}\u{1}*\u{2}\u{8}\u{0}",
        ];
        let letters = b"{}[]<=>,T()019-\x01\x02\x03\x08\x1a\"*09BJR \x7f";
        let (mut read, mut refused) = (0, 0);
        let mut draw = draws(7);
        for _ in 0..60_000 {
            let mut bytes = texts[draw(texts.len())].as_bytes().to_vec();
            for _ in 0..1 + draw(3) {
                let (at, letter) = (draw(bytes.len() + 1), letters[draw(letters.len())]);
                match draw(4) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, letter),
                    2 if at < bytes.len() => drop(bytes.remove(at)),
                    _ => bytes.get_mut(at).into_iter().for_each(|byte| *byte = letter),
                }
            }
            let text = String::from_utf8(bytes).unwrap();
            let Ok(all) = parse_hlo_shardings(&text) else {
                refused += 1;
                continue;
            };
            for one in all {
                read += 1;
                let mesh = one.mesh("m", 8);
                let devices: i64 = mesh.axes.iter().map(|(_, size)| size).product();
                assert!(mesh.device_ids.is_none_or(|ids| ids.len() as i64 == devices), "{text:?}");
                let cut = one.tiles.len() - one.behind.len();
                assert!(one.sharding("m", cut, &[]).is_ok_and(|read| read.dims.len() == cut), "{text:?}");
                assert!(one.manual().iter().all(|axis| mesh.axes.iter().any(|(name, _)| *name == axis.name)));
            }
        }
        assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
    }
}
