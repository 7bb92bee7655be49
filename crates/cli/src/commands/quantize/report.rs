//! What a conversion lost: a table, or JSON.

use fornax_checkpoint::convert::Loss;
use serde_json::json;

#[cfg(feature = "text")]
pub use crate::commands::perplexity::Perplexity;

/// Without a build that could measure one.
#[cfg(not(feature = "text"))]
pub enum Perplexity {}

/// A tensor.
pub struct Row {
    pub name: String,
    pub shape: Vec<u64>,
    pub from: String,
    pub to: String,
    /// Before and after.
    pub bytes: [u64; 2],
    /// `None` where the bytes are the same.
    pub loss: Option<Loss>,
}

#[derive(Default)]
pub struct Report {
    pub rows: Vec<Row>,
    /// By the checkpoint before and after.
    pub perplexity: Option<[Perplexity; 2]>,
}

impl Report {
    fn bytes(&self, at: usize) -> u64 {
        self.rows.iter().filter_map(|row| row.bytes.get(at)).sum()
    }

    fn total(&self) -> Loss {
        let mut total = Loss::default();
        self.rows.iter().filter_map(|row| row.loss.as_ref()).for_each(|loss| total.add(loss));
        total
    }

    /// Lines of a table: a row a tensor, then the sum.
    pub fn table(&self) -> Vec<String> {
        let width = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0).max(6);
        let mut lines = vec![format!(
            "{:width$}  {:>13}  {:>12}  {:>12}  {:>11}",
            "tensor", "kind", "bytes", "relative RMS", "largest"
        )];
        for row in &self.rows {
            let kind = format!("{} > {}", row.from, row.to);
            let [relative, most] = match &row.loss {
                Some(loss) => [format!("{:.3e}", loss.relative()), format!("{:.3e}", loss.most)],
                None => ["-".to_string(), "-".to_string()],
            };
            lines.push(format!("{:width$}  {kind:>13}  {:>12}  {relative:>12}  {most:>11}", row.name, row.bytes[1]));
        }
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let elements: u64 = self.rows.iter().map(|row| row.shape.iter().product::<u64>()).sum();
        lines.push(format!(
            "{} tensors, {:.1} MiB before, {:.1} MiB after, {:.2} bits an element, relative RMS {:.3e}",
            self.rows.len(),
            mib(self.bytes(0)),
            mib(self.bytes(1)),
            8.0 * self.bytes(1) as f64 / elements.max(1) as f64,
            self.total().relative()
        ));
        lines.extend(self.perplexity_line());
        lines
    }

    pub fn json(&self) -> serde_json::Value {
        let row = |row: &Row| {
            json!({
                "name": row.name, "shape": row.shape, "from": row.from, "to": row.to, "bytes": row.bytes[1],
                "bytes_before": row.bytes[0], "relative_rms": row.loss.map_or(0.0, |loss| loss.relative()),
                "largest": row.loss.map_or(0.0, |loss| loss.most),
            })
        };
        json!({
            "tensors": self.rows.iter().map(row).collect::<Vec<_>>(), "bytes_before": self.bytes(0),
            "bytes": self.bytes(1), "relative_rms": self.total().relative(), "perplexity": self.perplexity_json(),
        })
    }

    #[cfg(feature = "text")]
    fn perplexity_line(&self) -> Option<String> {
        let [before, after] = self.perplexity.as_ref()?;
        let (tokens, before, after) = (before.tokens, before.value(), after.value());
        Some(format!("perplexity of {tokens} tokens: {before:.4} before, {after:.4} after"))
    }

    #[cfg(feature = "text")]
    fn perplexity_json(&self) -> serde_json::Value {
        let Some([before, after]) = &self.perplexity else { return serde_json::Value::Null };
        json!({"tokens": before.tokens, "before": before.value(), "after": after.value()})
    }

    #[cfg(not(feature = "text"))]
    fn perplexity_line(&self) -> Option<String> {
        None
    }

    #[cfg(not(feature = "text"))]
    fn perplexity_json(&self) -> serde_json::Value {
        serde_json::Value::Null
    }
}
