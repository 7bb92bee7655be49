//! Where an op came from: the place in the source text and, when the text carried one, the location attribute.

/// Index into [`LocationTable`]; 0 is "unknown".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LocId(pub u32);

/// A place in the source file (1-based), and the framework's own name for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    pub line: u32,
    pub column: u32,
    /// The MLIR location as written (`"jit(f)/dot"(callsite(…))`), if any.
    pub name: Option<String>,
}

/// Interned locations of one graph and the source they refer to.
#[derive(Clone, Debug)]
pub struct LocationTable {
    /// File name as the user gave it, for messages.
    pub file: String,
    entries: Vec<Location>,
}

impl Default for LocationTable {
    fn default() -> Self {
        LocationTable { file: String::new(), entries: vec![Location::default()] }
    }
}

impl LocationTable {
    pub fn add(&mut self, location: Location) -> LocId {
        if self.entries.last() == Some(&location) {
            return LocId(self.entries.len() as u32 - 1);
        }
        self.entries.push(location);
        LocId(self.entries.len() as u32 - 1)
    }

    /// Sets the name of a location (the importer resolves aliases at the end of the file).
    pub fn set_name(&mut self, id: LocId, name: String) {
        if let Some(entry) = self.entries.get_mut(id.0 as usize)
            && id.0 != 0
        {
            entry.name = Some(name);
        }
    }

    pub fn get(&self, id: LocId) -> &Location {
        self.entries.get(id.0 as usize).unwrap_or(&self.entries[0])
    }
}
