//! A first walk over the manifest's JSON that refuses what the typed reader would let pass: duplicate keys (the
//! last one would silently win), huge objects, too many values, too deep nesting (128, serde_json's own limit).

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use crate::limits::LIMITS;

/// Checks that `text` is one JSON document within the limits and without duplicate keys.
pub fn check(text: &[u8]) -> Result<(), serde_json::Error> {
    let left = Cell::new(LIMITS.manifest_values);
    let mut reader = serde_json::Deserializer::from_slice(text);
    Walk { left: &left }.deserialize(&mut reader)?;
    reader.end()
}

/// Visits one value and everything in it; `left` counts down the values still allowed.
#[derive(Clone, Copy)]
struct Walk<'a> {
    left: &'a Cell<u64>,
}

impl Walk<'_> {
    fn count<E: Error>(self) -> Result<(), E> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or_else(|| E::custom(format!("more than {} JSON values", LIMITS.manifest_values)))?);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        self.count()?;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.len() as u64 >= LIMITS.manifest_keys {
                return Err(A::Error::custom(format!("an object with more than {} keys", LIMITS.manifest_keys)));
            }
            map.next_value_seed(self)?;
            if let Some(twice) = keys.replace(key) {
                return Err(A::Error::custom(format!("duplicate key {twice:?}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn duplicates_depth_and_rubbish_are_refused() {
        assert!(check(br#"{"a":1,"b":[{"a":2},{"a":3}]}"#).is_ok());
        assert!(check(br#"{"a":1,"b":{"c":1,"\u0063":2}}"#).unwrap_err().to_string().contains("duplicate key \"c\""));
        assert!(check(b"{} {}").is_err());
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(check(deep(127).as_bytes()).is_ok());
        assert!(check(deep(129).as_bytes()).is_err());
        let many = format!("[{}1]", "1,".repeat(1 << 19));
        assert!(check(many.as_bytes()).unwrap_err().to_string().contains("JSON values"));
    }
}
