//! What a compilation decided about the kernels of one target, and why: for people and `fornax inspect --why`.
//!
//! A module holds them, one a target, as JSON in a debug section, where `fornax compile --remarks` asked for them.

use serde::{Deserialize, Serialize};

/// Name of the debug section.
pub const REMARKS: &str = "remarks";

/// The remarks of one target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remarks {
    /// `cuda:sm_90a`.
    pub target: String,
    /// The kernels, in the program's order.
    pub kernels: Vec<Schedules>,
    /// Every two neighbouring ops.
    pub pairs: Vec<Neighbours>,
    /// What is copied whole, by a command or by a kernel that changes a part.
    #[serde(default)]
    pub copies: Vec<Copied>,
    /// Kernels that do not depend on one another, and are launched apart.
    #[serde(default)]
    pub launches: Vec<Apart>,
}

/// Two kernels that could be one launch, and why they are not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    pub first: String,
    pub second: String,
    pub why: Why,
}

/// A value that is copied, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// As a [`Site`]'s op, or `input 0`.
    pub value: String,
    /// `None` where they are known only at run time.
    pub bytes: Option<u64>,
    pub why: Why,
}

/// Two ops of which the second reads a result of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbours {
    pub producer: Site,
    pub consumer: Site,
    /// Why the second's kernels do not compute the first; empty where they do.
    pub refused: Vec<Why>,
}

/// An op and the kernels that compute it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Name, result type and place: `stablehlo.add tensor<4xf32> at m.mlir:3:10`.
    pub op: String,
    pub kernels: Vec<String>,
}

/// A kernel and the schedules that were tried for it, in the order of the tries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedules {
    pub kernel: String,
    pub tried: Vec<Tried>,
}

/// A schedule that a kernel has, could have or cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// The schedule's whole name; of one that was refused its first word.
    pub schedule: String,
    /// The kernel has it.
    pub chosen: bool,
    /// What the kind's cost model predicts, where it has one.
    pub cycles: Option<u64>,
    pub refused: Option<Why>,
}

/// A reason with a stable code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    pub code: String,
    pub text: String,
}

/// Remarks as the debug section's bytes.
pub fn encode(remarks: &[Remarks]) -> Vec<u8> {
    serde_json::to_vec(remarks).unwrap_or_default()
}

/// Remarks of a debug section; `None` where they are no such.
pub fn decode(bytes: &[u8]) -> Option<Vec<Remarks>> {
    serde_json::from_slice(bytes).ok()
}

impl Remarks {
    /// What concerns the kernels in whose names `name` occurs; `None` where there is none.
    pub fn of_kernel(&self, name: &str) -> Option<Remarks> {
        let exact = self.kernels.iter().any(|of| of.kernel == name);
        let meant = |kernel: &String| if exact { kernel == name } else { kernel.contains(name) };
        let kernels: Vec<Schedules> = self.kernels.iter().filter(|of| meant(&of.kernel)).cloned().collect();
        let pairs = self.pairs.iter().filter(|pair| pair.sites().any(|site| site.kernels.iter().any(meant)));
        let pairs = pairs.cloned().collect();
        let copies = Vec::new();
        let launches = self.launches.iter().filter(|apart| meant(&apart.first) || meant(&apart.second));
        let launches = launches.cloned().collect();
        (!kernels.is_empty()).then(|| Remarks { target: self.target.clone(), kernels, pairs, copies, launches })
    }

    /// For people: what was tried for a kernel.
    pub fn tried<'a>(&'a self, kernel: &'a str) -> impl Iterator<Item = String> + 'a {
        let of = self.kernels.iter().filter(move |of| of.kernel == kernel);
        of.flat_map(|of| &of.tried).map(Tried::line)
    }

    /// For people: every pair of which the kernel computes one op and another kernel the other, and why.
    pub fn apart<'a>(&'a self, kernel: &'a str) -> impl Iterator<Item = String> + 'a {
        let computes = move |site: &Site| site.kernels.iter().any(|name| name == kernel);
        let apart = self.pairs.iter().filter(|pair| !pair.refused.is_empty());
        apart.filter(move |pair| pair.sites().any(computes)).map(|pair| {
            let why: Vec<String> = pair.refused.iter().map(Why::line).collect();
            format!("Not fused: {} → {}. {}.", pair.producer.text(), pair.consumer.text(), why.join("; "))
        })
    }

    /// The remarks as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("why on {}", self.target)];
        lines.push(format!("kernels: {}", self.kernels.len()));
        for of in &self.kernels {
            lines.push(format!("  {}", of.kernel));
            lines.extend(of.tried.iter().map(|tried| format!("    {}", tried.line())));
        }
        let (apart, fused): (Vec<_>, Vec<_>) = self.pairs.iter().partition(|pair| !pair.refused.is_empty());
        for (title, pairs) in [("fused", fused), ("not fused", apart)] {
            lines.push(format!("{title}: {} of {} pairs of neighbouring ops", pairs.len(), self.pairs.len()));
            for pair in pairs {
                lines.push(format!("  {} -> {}", pair.producer.text(), pair.consumer.text()));
                lines.extend(pair.refused.iter().map(|why| format!("    {}", why.line())));
            }
        }
        if !self.copies.is_empty() {
            lines.push(format!("copies: {}", self.copies.len()));
        }
        for copied in &self.copies {
            let bytes = copied.bytes.map_or("bytes known at run time".to_string(), |bytes| format!("{bytes} bytes"));
            lines.push(format!("  {}: {bytes}", copied.value));
            lines.push(format!("    {}", copied.why.line()));
        }
        if !self.launches.is_empty() {
            lines.push(format!("launched apart: {}", self.launches.len()));
        }
        for apart in &self.launches {
            lines.push(format!("  {} and {}", apart.first, apart.second));
            lines.push(format!("    {}", apart.why.line()));
        }
        lines
    }
}

impl Tried {
    /// `could be   matrix 64x64x32 …: 5210 cycles by its model`.
    pub fn line(&self) -> String {
        let cycles = self.cycles.map_or(String::new(), |cycles| format!(": {cycles} cycles by its model"));
        match (&self.refused, self.chosen) {
            (Some(why), _) => format!("refused    {}: {}", self.schedule, why.line()),
            (None, true) => format!("chosen     {}{cycles}", self.schedule),
            (None, false) => format!("could be   {}{cycles}", self.schedule),
        }
    }
}

impl Neighbours {
    fn sites(&self) -> impl Iterator<Item = &Site> {
        [&self.producer, &self.consumer].into_iter()
    }
}

impl Site {
    fn text(&self) -> String {
        if self.kernels.is_empty() { self.op.clone() } else { format!("{} [{}]", self.op, self.kernels.join(", ")) }
    }
}

impl Why {
    /// `FUSE09: a product reads …`.
    pub fn line(&self) -> String {
        format!("{}: {}", self.code, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(op: &str, kernel: &str) -> Site {
        Site { op: op.into(), kernels: vec![kernel.into()] }
    }

    fn tried() -> Vec<Tried> {
        let why = Why { code: "SCHED01".into(), text: "only GPUs".into() };
        let row =
            |schedule: &str, chosen, cycles, refused| Tried { schedule: schedule.into(), chosen, cycles, refused };
        vec![row("gemv", false, None, Some(why)), row("tile 4x4", true, Some(7), None), row("loop", false, None, None)]
    }

    fn remarks() -> Remarks {
        let why = Why { code: "FUSE09".into(), text: "moves only".into() };
        let apart = Neighbours { producer: site("a", "loop_0_a"), consumer: site("b", "row_1_b"), refused: vec![why] };
        let fused = Neighbours { producer: site("b", "row_1_b"), consumer: site("c", "row_1_b"), refused: Vec::new() };
        let told = |kernel: &str| Schedules { kernel: kernel.into(), tried: tried() };
        let kernels = ["loop_0_a", "row_1_b", "row_10"].map(told).to_vec();
        let kept = Why { code: "COPY01".into(), text: "kept".into() };
        let copies = vec![Copied { value: "input 0".into(), bytes: Some(64), why: kept }];
        let large = Why { code: "BNDL04".into(), text: "large".into() };
        let launches = vec![Apart { first: "loop_0_a".into(), second: "row_10".into(), why: large }];
        Remarks { target: "cpu:x".into(), kernels, pairs: vec![apart, fused], copies, launches }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(decode(&encode(&[remarks()])), Some(vec![remarks()]));
        assert_eq!(decode(b"{"), None);
    }

    #[test]
    fn a_kernel_has_its_own_pairs() {
        let of = |name: &str| remarks().of_kernel(name).map(|r| (r.kernels.len(), r.pairs.len()));
        assert_eq!(
            [of("loop_0_a"), of("row_1_b"), of("row_1"), of("x")],
            [Some((1, 1)), Some((1, 2)), Some((2, 2)), None]
        );
        let lines = remarks().lines();
        let kernel = ["  loop_0_a", "    refused    gemv: SCHED01: only GPUs"];
        assert_eq!(lines[2..4], kernel);
        assert_eq!(lines[4..6], ["    chosen     tile 4x4: 7 cycles by its model", "    could be   loop"]);
        assert_eq!(lines[14..16], ["fused: 1 of 2 pairs of neighbouring ops", "  b [row_1_b] -> c [row_1_b]"]);
        assert_eq!(lines[18], "    FUSE09: moves only");
        assert_eq!(lines[19..22], ["copies: 1", "  input 0: 64 bytes", "    COPY01: kept"]);
        assert_eq!(lines[22..], ["launched apart: 1", "  loop_0_a and row_10", "    BNDL04: large"]);
    }
}
