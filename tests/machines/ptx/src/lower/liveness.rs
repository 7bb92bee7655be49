//! Which operation uses a value last, at the level of the block that defines it.
//!
//! Input: a function's tree of lines. Output: for every name the serial number of the operation after which its slots
//! are free. A use inside of a region counts as a use by the operation that holds the region. Operations that only name
//! a part of another value (`extractvalue`) share its slots: their uses count for that value too.

use std::collections::HashMap;

use crate::text::{Line, Region, values};
use crate::types;

#[derive(Debug, Default)]
pub struct Liveness {
    /// Last use of a name, as the serial number of an operation in its block.
    last: HashMap<String, u32>,
    block_of: HashMap<String, u32>,
    root: HashMap<String, String>,
    ending: HashMap<u32, Vec<String>>,
    next: u32,
    blocks: u32,
}

/// The operand whose slots the operation's result shares.
pub fn shares(line: &Line) -> Option<&str> {
    let same_width = || {
        let (from, to) = line.signature.split_once(" to ")?;
        let (from, to) = (types::parse(from).ok()?, types::parse(to).ok()?);
        (from.slots() == to.slots() && from.element()?.bits() == to.element()?.bits()).then_some(())
    };
    match line.name.as_str() {
        "llvm.extractvalue" => {}
        "vector.extract" if line.operands().len() == 1 => {}
        "arith.bitcast" | "llvm.bitcast" => same_width()?,
        _ => return None,
    }
    line.operands().first().copied()
}

/// Names that an operation's results get.
pub fn result_names(line: &Line) -> Vec<String> {
    let mut names = Vec::new();
    for (name, count) in &line.results {
        match count {
            1 => names.push(name.clone()),
            _ => names.extend((0..*count).map(|at| format!("{name}#{at}"))),
        }
    }
    names
}

/// Names that an operation defines inside of its first region: induction variable and carried values.
pub fn inner_names(line: &Line) -> Vec<&str> {
    let operands = line.operands();
    match line.name.as_str() {
        "scf.for" => {
            let carried = operands.get(4..).unwrap_or(&[]).iter().step_by(2).copied();
            operands.first().copied().into_iter().chain(carried).collect()
        }
        "scf.while" => operands.iter().step_by(2).copied().collect(),
        _ => Vec::new(),
    }
}

impl Liveness {
    pub fn of(body: &Region) -> Liveness {
        let mut made = Liveness { next: 1, ..Liveness::default() };
        made.region(body, &mut Vec::new(), &[]);
        for (name, &last) in &made.last {
            made.ending.entry(last).or_default().push(name.clone());
        }
        // In the order of names: slots must not depend on the hasher.
        made.ending.values_mut().for_each(|names| names.sort());
        made
    }

    /// Names whose last use is that operation; they are not asked for again.
    pub fn ending(&mut self, serial: u32) -> Vec<String> {
        self.ending.remove(&serial).unwrap_or_default()
    }

    /// The serial number after which the name's slots are free.
    pub fn last(&self, name: &str) -> Option<u32> {
        self.last.get(name).copied()
    }

    fn define(&mut self, name: &str, block: u32, at: u32) {
        self.block_of.insert(name.to_string(), block);
        let last = self.last.entry(name.to_string()).or_insert(at);
        *last = at.max(*last);
    }

    fn used(&mut self, name: &str, stack: &[(u32, u32)]) {
        let mut name = name.trim_end_matches("#0").to_string();
        if !self.block_of.contains_key(&name) {
            name.push_str("#0");
        }
        loop {
            if let Some(block) = self.block_of.get(&name)
                && let Some((_, op)) = stack.iter().find(|(b, _)| b == block)
                && let Some(last) = self.last.get_mut(&name)
            {
                *last = (*last).max(*op);
            }
            match self.root.get(&name) {
                Some(root) => name = root.clone(),
                None => return,
            }
        }
    }

    fn region(&mut self, region: &Region, stack: &mut Vec<(u32, u32)>, arguments: &[&str]) {
        self.blocks += 1;
        let block = self.blocks;
        stack.push((block, self.next));
        for name in arguments.iter().copied().chain(region.arguments.iter().map(String::as_str)) {
            self.define(name, block, self.next);
        }
        for line in &region.lines {
            let serial = self.next;
            self.next += 1;
            if let Some(top) = stack.last_mut() {
                *top = (block, serial);
            }
            let inner = inner_names(line);
            for name in values(&line.body).into_iter().filter(|name| !inner.contains(name)) {
                self.used(name, stack);
            }
            for (at, inside) in line.regions.iter().enumerate() {
                self.region(inside, stack, if at == 0 { &inner } else { &[] });
            }
            for name in result_names(line) {
                self.define(&name, block, serial);
                if let Some(root) = shares(line) {
                    self.root.insert(name, root.to_string());
                }
            }
        }
        stack.pop();
    }
}

impl Liveness {
    /// Whether the name's slots are another value's.
    pub fn is_part(&self, name: &str) -> bool {
        self.root.contains_key(name)
    }
}
