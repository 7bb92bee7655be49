//! Names that an exporter gave to arguments and results: the path of each in the tree that the user's function takes
//! and returns.
//!
//! | the model has | the name |
//! | --- | --- |
//! | `jax.result_info = "result['logits']"` | `logits` |
//! | `jax.result_info = "result['aux'][0]"` | `aux[0]` |
//! | `jax.arg_info = "params['dense'].kernel"` | `params.dense.kernel` |
//! | `jax.result_info = "result"` or `""` | none: there is nothing to tell it from |
//! | `fornax.name = "keys.0"` | `keys.0` |
//! | `tf_saved_model.index_path = ["x", 1]` | `x[1]` |

use fornax_graph::{Attr, AttrMap};

/// Attributes of arguments and results that hold a path as Python writes it, and the word that stands for the whole
/// result.
const PATHS: &[&str] = &[fornax_import::NAME, "jax.arg_info", "jax.result_info"];
const WHOLE: &str = "result";
/// Attributes that hold the path as a list.
const LISTS: &[&str] = &["tf_saved_model.index_path", "ml_program.identifier"];
/// Bytes of a name, at most: a longer one is of no use to a reader.
const NAME_BYTES_MAX: usize = 200;

/// The name of an argument or result with these attributes.
pub fn of(attrs: Option<&AttrMap>) -> Option<String> {
    let attrs = attrs?;
    let path = PATHS.iter().find_map(|name| match attrs.get(name) {
        Some(Attr::String(text)) => Some(plain(text)),
        _ => None,
    });
    let list = || LISTS.iter().find_map(|name| listed(attrs.get(name)?));
    let is_name =
        |name: &String| !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.chars().any(char::is_control);
    path.or_else(list).filter(is_name)
}

/// `result['aux'][0]` → `aux[0]`.
fn plain(path: &str) -> String {
    let path = match path.strip_prefix(WHOLE) {
        Some(rest) if rest.is_empty() || rest.starts_with(['[', '.']) => rest,
        _ => path,
    };
    let mut name = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find(['[']) {
        let (before, bracket) = rest.split_at(at);
        name.push_str(before);
        let quote = bracket.get(1..2).unwrap_or_default();
        let end = format!("{quote}]");
        let is_quoted = quote == "'" || quote == "\"";
        match bracket.get(2..).and_then(|inner| inner.split_once(&end)).filter(|_| is_quoted) {
            Some((key, after)) => {
                name.push('.');
                name.push_str(key);
                rest = after;
            }
            None => {
                name.push('[');
                rest = bracket.get(1..).unwrap_or_default();
            }
        }
    }
    name.push_str(rest);
    name.trim_start_matches('.').to_string()
}

/// `["x", 1]` → `x[1]`.
fn listed(attr: &Attr) -> Option<String> {
    let Attr::Array(parts) = attr else { return None };
    let mut name = String::new();
    for part in parts {
        match part {
            Attr::String(key) if name.is_empty() => name.push_str(key),
            Attr::String(key) => name.push_str(&format!(".{key}")),
            Attr::Int(index, _) => name.push_str(&format!("[{index}]")),
            _ => return None,
        }
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_names() {
        for (path, name) in [
            ("result['logits']", "logits"),
            ("result['aux'][0]", "aux[0]"),
            ("result[1]", "[1]"),
            ("result.hidden", "hidden"),
            ("results", "results"),
            ("params['dense'].kernel", "params.dense.kernel"),
            ("params[\"a\"][2]['b']", "params.a[2].b"),
            ("x", "x"),
            ("x['", "x['"),
            ("x[", "x["),
            ("result", ""),
            ("", ""),
        ] {
            assert_eq!(plain(path), name, "{path}");
        }
    }

    #[test]
    fn only_attributes_that_name_something_count() {
        let attrs = |name: &str, attr: Attr| AttrMap(vec![(name.into(), attr)]);
        let text = |text: &str| Attr::String(text.into());
        assert_eq!(of(Some(&attrs("jax.arg_info", text("x")))).as_deref(), Some("x"));
        assert_eq!(
            of(Some(&attrs("tf_saved_model.index_path", Attr::Array(vec![text("a"), text("b")])))).as_deref(),
            Some("a.b")
        );
        assert_eq!(of(Some(&attrs("jax.result_info", text("result")))), None);
        assert_eq!(of(Some(&attrs("mhlo.sharding", text("{replicated}")))), None);
        assert_eq!(of(Some(&attrs("jax.arg_info", text(&"x".repeat(500))))), None);
        assert_eq!(of(None), None);
    }
}
