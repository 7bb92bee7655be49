//! Shardings of HLO as bytes, the protocol buffer `OpSharding`, as JAX wrote them until 2023.
//!
//! | field | what |
//! | --- | --- |
//! | 1 | 0 replicated, 1 on one device, 2 a tuple, 3 tiles, 4 manual, 5 unknown, 6 unreduced |
//! | 3, 4 | the grid of tiles; the devices of the tiles |
//! | 5 | of a tuple, the shardings of its elements |
//! | 6, 8 | whether the last dimension of the grid holds copies; what its last dimensions hold, as field 1 |
//! | 9, 10 | the devices as a grid that counts up, and in which order its dimensions are taken |
//!
//! Other fields say nothing of where parts lie. Numbers of 128 and above reach here only in bytecode: text is UTF-8.
//!
//! Worked example: `08 03 1A 02 02 01 22 02 00 01` are tiles (3), a grid of `2, 1`, devices `0, 1`.

use super::{Behind, HloSharding, counted, listed, product};

/// Tuples in tuples, at most.
const DEPTH_MAX: usize = 4;

const TUPLE: i64 = 2;
const MANUAL: i64 = 4;
const UNREDUCED: i64 = 6;

/// A field's content.
enum Field<'b> {
    Number(i64),
    Bytes(&'b [u8]),
    /// Of a width that no field here has.
    Other,
}

/// Takes a number of seven bits a byte.
fn number(bytes: &mut &[u8]) -> Result<i64, String> {
    let mut value = 0u64;
    for at in 0..10 {
        let (&byte, left) = bytes.split_first().ok_or("a number does not end")?;
        *bytes = left;
        value |= u64::from(byte & 0x7f) << (7 * at).min(63);
        if byte < 0x80 {
            return i64::try_from(value).map_err(|_| "a number that is too large".to_string());
        }
    }
    Err("a number of more than ten bytes".into())
}

fn taken<'b>(bytes: &mut &'b [u8], count: i64) -> Result<&'b [u8], String> {
    let count = usize::try_from(count).ok().filter(|&count| count <= bytes.len());
    let (own, left) = bytes.split_at(count.ok_or("a field is longer than its text")?);
    *bytes = left;
    Ok(own)
}

fn field<'b>(bytes: &mut &'b [u8]) -> Result<(i64, Field<'b>), String> {
    let key = number(bytes)?;
    let content = match key & 7 {
        0 => Field::Number(number(bytes)?),
        1 => taken(bytes, 8).map(|_| Field::Other)?,
        2 => {
            let count = number(bytes)?;
            Field::Bytes(taken(bytes, count)?)
        }
        5 => taken(bytes, 4).map(|_| Field::Other)?,
        kind => return Err(format!("a field of kind {kind}")),
    };
    Ok((key >> 3, content))
}

/// Adds a number, or several in one field.
fn add(list: &mut Vec<i64>, field: &Field) -> Result<(), String> {
    match field {
        Field::Number(value) => list.push(*value),
        Field::Bytes(bytes) => {
            let mut left = *bytes;
            while !left.is_empty() {
                list.push(number(&mut left)?);
            }
        }
        Field::Other => return Err("a list of no numbers".into()),
    }
    Ok(())
}

/// The shardings of these bytes: one, or those of a tuple's elements.
///
/// # Errors
/// What of it cannot be read.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<HloSharding>, String> {
    let mut all = Vec::new();
    nested(bytes, 0, &mut all)?;
    Ok(all)
}

fn nested(mut bytes: &[u8], depth: usize, all: &mut Vec<HloSharding>) -> Result<(), String> {
    let (mut kind, mut copies) = (0, false);
    let (mut tiles, mut devices, mut last) = (Vec::new(), Vec::new(), Vec::new());
    let (mut grid, mut order) = (Vec::new(), Vec::new());
    let mut elements = Vec::new();
    while !bytes.is_empty() {
        match field(&mut bytes)? {
            (1, Field::Number(value)) => kind = value,
            (3, content) => add(&mut tiles, &content)?,
            (4, content) => add(&mut devices, &content)?,
            (5, Field::Bytes(element)) => elements.push(element),
            (6, Field::Number(value)) => copies = value != 0,
            (8, content) => add(&mut last, &content)?,
            (9, content) => add(&mut grid, &content)?,
            (10, content) => add(&mut order, &content)?,
            (1..=10, Field::Other) => return Err("a field of another kind".into()),
            _ => {}
        }
    }
    if kind == TUPLE {
        if depth == DEPTH_MAX {
            return Err("tuples in tuples in tuples".into());
        }
        return elements.into_iter().try_for_each(|element| nested(element, depth + 1, all));
    }
    let of = |&kind: &i64| match kind {
        0 => Ok(Behind::Replicated),
        MANUAL => Ok(Behind::Manual),
        UNREDUCED => Ok(Behind::Unreduced),
        other => Err(format!("tiles of kind {other}")),
    };
    let mut behind = last.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    if copies {
        behind.push(Behind::Replicated);
    }
    // Grids stand on what is cut alone; a tensor on one device is on all here.
    let cut = !matches!(kind, 0 | 1 | MANUAL | 5);
    let tiles = if cut { tiles } else { Vec::new() };
    let devices = if tiles.is_empty() {
        None
    } else if grid.is_empty() {
        listed(devices, product(&tiles)?)?
    } else {
        counted(&grid, Some(order).filter(|order| !order.is_empty()), product(&tiles)?)?
    };
    if behind.len() > tiles.len() {
        return Err("it has more kinds of tiles than tiles".into());
    }
    all.push(HloSharding { tiles, devices, behind, all_manual: kind == MANUAL });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::parse_hlo_shardings;
    use super::*;

    fn same(bytes: &[u8], text: &str) {
        let text = parse_hlo_shardings(text).unwrap();
        assert_eq!(read(bytes).unwrap(), text, "{bytes:?}");
        let as_text = String::from_utf8(bytes.to_vec()).unwrap();
        assert_eq!(parse_hlo_shardings(&as_text).unwrap(), text, "{bytes:?}");
    }

    #[test]
    fn bytes_say_what_texts_say() {
        same(&[8, 3, 26, 2, 2, 1, 34, 2, 0, 1], "{devices=[2,1]0,1}");
        // Numbers one by one.
        same(&[8, 3, 24, 2, 24, 1, 32, 1, 32, 0], "{devices=[2,1]1,0}");
        same(&[8, 3, 26, 2, 4, 2, 74, 1, 8], "{devices=[4,2]<=[8]}");
        same(&[8, 3, 26, 2, 2, 4, 74, 2, 4, 2, 82, 2, 1, 0], "{devices=[2,4]<=[4,2]T(1,0)}");
        same(&[8, 3, 26, 2, 2, 2, 34, 4, 0, 1, 2, 3, 48, 1], "{devices=[2,2]<=[4] last_tile_dim_replicate}");
        same(
            &[8, 3, 26, 3, 1, 2, 2, 66, 2, 4, 0, 74, 1, 4],
            "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}",
        );
        same(&[8, 0], "{replicated}");
        same(&[8, 4], "{manual}");
        same(&[8, 1, 26, 1, 1, 34, 1, 3], "{maximal device=3}");
        // A tuple of two, and metadata.
        same(&[8, 2, 42, 9, 8, 3, 26, 1, 2, 34, 2, 0, 1, 42, 2, 8, 0, 58, 1, 65], "{{devices=[2]0,1}, {replicated}}");
    }

    #[test]
    fn what_is_not_read_says_so() {
        let why = |bytes: &[u8]| read(bytes).unwrap_err();
        assert!(why(&[8]).contains("does not end"));
        assert!(why(&[26, 9, 1]).contains("longer"));
        assert!(why(&[8, 3, 26, 2, 2, 2, 34, 1, 0]).contains("1 devices for 4"));
        assert!(why(&[8, 3, 26, 1, 4, 74, 1, 2]).contains("4 tiles"));
        assert!(why(&[11]).contains("kind 3"));
        assert!(why(&[8, 3, 26, 1, 2, 34, 2, 0, 1, 66, 1, 9]).contains("kind 9"));
        assert!(why(&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]).contains("ten bytes"));
        let mut deep = vec![8, 0];
        for _ in 0..8 {
            deep = [vec![8, 2, 42, deep.len() as u8], deep].concat();
        }
        assert!(why(&deep).contains("tuples"));
    }
}
