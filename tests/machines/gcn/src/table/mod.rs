//! The tables: one row a mnemonic, with the types of its operands and what it computes.
//!
//! Input: a mnemonic without its encoding. Output: its row. Lane loops stand in the rows, so that each compiles to
//! vector code. Worked example: `narrow!("v_add_f32", (a: f32, b: f32) -> f32, a + b)`.

mod bits;
mod compare;
mod convert;
pub mod division;
pub mod float;
mod integer;
mod names;
mod packed;
pub mod scalar;
mod scalar_float;
pub mod small;
mod trig;

use crate::inst::Alu;
use crate::value::Type;

pub use compare::compare;
pub use names::canonical;

/// A vector instruction that computes each lane by itself.
pub struct Row {
    pub name: &'static str,
    pub dst: Type,
    pub src: &'static [Type],
    pub alu: Alu,
}

/// A row of operands of at most 32 bits.
macro_rules! narrow {
    ($name:expr, ($($a:ident : $t:ty),*) -> $r:ty, $body:expr) => {
        $crate::table::Row {
            name: $name,
            dst: <$r as $crate::value::Value>::TYPE,
            src: &[$(<$t as $crate::value::Value>::TYPE),*],
            alu: {
                #[allow(unused_assignments)]
                fn go(s: &[&$crate::value::Lanes; 3], d: &mut $crate::value::Lanes) {
                    for i in 0..64 {
                        let mut at = 0;
                        $(
                            let $a = <$t as $crate::value::Value>::get(u64::from(s[at][i]));
                            at += 1;
                        )*
                        let result: $r = $body;
                        d[i] = $crate::value::Value::put(result) as u32;
                    }
                }
                $crate::inst::Alu::Narrow(go)
            },
        }
    };
}

/// A row where an operand has 64 bits.
macro_rules! wide {
    ($name:expr, ($($a:ident : $t:ty),*) -> $r:ty, $body:expr) => {
        $crate::table::Row {
            name: $name,
            dst: <$r as $crate::value::Value>::TYPE,
            src: &[$(<$t as $crate::value::Value>::TYPE),*],
            alu: {
                #[allow(unused_assignments)]
                fn go(s: &[&$crate::value::Wide; 3], d: &mut $crate::value::Wide) {
                    for i in 0..64 {
                        let mut at = 0;
                        $(
                            let $a = <$t as $crate::value::Value>::get(s[at][i]);
                            at += 1;
                        )*
                        let result: $r = $body;
                        d[i] = $crate::value::Value::put(result);
                    }
                }
                $crate::inst::Alu::Wide(go)
            },
        }
    };
}
pub(crate) use {narrow, wide};

const TABLES: &[&[&[Row]]] =
    &[float::ROWS, division::ROWS, integer::ROWS, bits::ROWS, convert::ROWS, packed::ROWS, trig::ROWS];

/// The row of a canonical mnemonic.
pub fn row(name: &str) -> Option<&'static Row> {
    use std::collections::HashMap;
    use std::sync::OnceLock;
    static ROWS: OnceLock<HashMap<&'static str, &'static Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        TABLES.iter().flat_map(|file| file.iter()).flat_map(|table| table.iter()).map(|row| (row.name, row)).collect()
    })
    .get(name)
    .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mnemonic_stands_twice() {
        let mut names: Vec<&str> =
            TABLES.iter().flat_map(|file| file.iter()).flat_map(|table| table.iter()).map(|row| row.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 200, "{count}");
    }
}
