//! Where values live: spaces, names of one buffer, and the time for which an intermediate needs its bytes.

use std::collections::HashMap;

use fornax_graph::{ConstId, ValueId};
use fornax_module::program::{ExprId, Space, Span};

use super::Planner;
use super::arena::Interval;
use super::sizes::Bytes;
use crate::errors::PassError;

/// Where the bytes of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Input(u32),
    Parameter(u32),
    Constant(ConstId),
    /// Bytes that a pass made, by number.
    Made(usize),
    Output(u32),
    /// Offset, written by the load block.
    Persistent(u64),
    /// Intermediate number.
    Arena(usize),
    /// Another place each round of a loop, by number.
    ByRound(usize),
}

/// Where a value is in each round of a loop that is written out.
#[derive(Clone, Debug)]
pub struct ByRound {
    /// The loop, by number.
    pub rounds_of: usize,
    /// By round, the last one for what follows the loop: a place, and bytes from its beginning.
    pub places: Vec<(Place, u64)>,
}

/// What a command reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A value of the graph, not a renamed one.
    Value(ValueId),
    /// A result of the function.
    Output(u32),
    /// A buffer that no value of the graph has: a packed copy, a saved loop variable.
    Temporary(usize),
}

/// Where bytes are: two names of one place are one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Input(u32),
    Output(u32),
    Parameter(u32),
    Constant(u32),
    Made(usize),
    Persistent(u64),
    Arena(usize),
    ByRound(usize),
    Source(Source),
}

impl From<Place> for Key {
    fn from(place: Place) -> Key {
        match place {
            Place::Input(n) => Key::Input(n),
            Place::Output(n) => Key::Output(n),
            Place::Parameter(n) => Key::Parameter(n),
            Place::Constant(id) => Key::Constant(id.0),
            Place::Made(n) => Key::Made(n),
            Place::Persistent(offset) => Key::Persistent(offset),
            Place::Arena(n) => Key::Arena(n),
            Place::ByRound(n) => Key::ByRound(n),
        }
    }
}

#[derive(Default)]
pub struct Storage {
    /// The value whose buffer a value uses: reshapes, arguments of loop bodies.
    alias: HashMap<ValueId, ValueId>,
    pub places: HashMap<Source, Place>,
    /// Bytes of each temporary, and the most that they can be.
    temporaries: Vec<(Bytes, Bytes)>,
    /// Time an intermediate is alive, in steps.
    pub intervals: Vec<Interval>,
    /// Intermediates that lie one behind the other, by number: each is in one row at most.
    pub rows: Vec<Vec<usize>>,
    /// Places that change from round to round.
    pub by_round: Vec<ByRound>,
    /// The round that commands are made for, by number of the loop that is written out; behind a loop, its rounds.
    pub rounds: Vec<usize>,
    /// Whether a round but the first is written out.
    pub again: bool,
    /// The present step.
    pub clock: usize,
}

impl Storage {
    /// The value whose buffer holds `value`.
    pub fn resolve(&self, value: ValueId) -> ValueId {
        self.alias.get(&value).copied().unwrap_or(value)
    }

    /// `name` is another name of the buffer of `value`.
    pub fn rename(&mut self, name: ValueId, value: ValueId) {
        let value = self.resolve(value);
        self.alias.insert(name, value);
    }

    pub fn temporary(&mut self, bytes: Bytes) -> Source {
        self.temporaries.push((bytes, bytes));
        Source::Temporary(self.temporaries.len() - 1)
    }

    /// A temporary for what another source holds.
    pub fn temporary_like(&mut self, planner: &mut Planner<'_>, source: Source) -> Result<Source, PassError> {
        let (bytes, room) = (self.bytes(planner, source)?, self.room(planner, source)?);
        self.temporaries.push((bytes, room));
        Ok(Source::Temporary(self.temporaries.len() - 1))
    }

    /// Gives a source its place before its first use.
    pub fn reserve(&mut self, source: Source, bytes: Bytes) {
        if self.place(source).is_none() {
            self.intervals.push(Interval { bytes, first: self.clock, last: self.clock });
            self.places.insert(source, Place::Arena(self.intervals.len() - 1));
        }
    }

    /// The most bytes that a source can have.
    fn room(&self, planner: &mut Planner<'_>, source: Source) -> Result<Bytes, PassError> {
        let room = match source {
            Source::Value(value) => planner.room(value, false)?,
            Source::Temporary(n) => self.temporaries.get(n).map(|t| t.1),
            Source::Output(_) => None,
        };
        room.map_or_else(|| self.bytes(planner, source), Ok)
    }

    pub fn place(&self, source: Source) -> Option<Place> {
        match source {
            Source::Output(n) => Some(Place::Output(n)),
            _ => self.places.get(&source).copied(),
        }
    }

    pub fn key(&self, source: Source) -> Key {
        self.place(source).map_or(Key::Source(source), Key::from)
    }

    /// Every value at one place is at places that change from round to round from now on.
    pub fn move_all(&mut self, from: Place, to: ByRound) {
        let number = Place::ByRound(self.by_round.len());
        self.places.values_mut().filter(|place| **place == from).for_each(|place| *place = number);
        // Loops within this one, not values that take turns in it.
        let inner = self.by_round.iter_mut().filter(|other| other.rounds_of != to.rounds_of);
        let places = inner.flat_map(|other| other.places.iter_mut());
        places.filter(|place| place.0 == from).for_each(|place| place.0 = number);
        self.by_round.push(to);
    }

    pub fn is_same_in_every_call(&self, source: Source) -> bool {
        let place = self.place(source);
        matches!(place, Some(Place::Parameter(_) | Place::Constant(_) | Place::Made(_) | Place::Persistent(_)))
    }

    pub fn bytes(&self, planner: &mut Planner<'_>, source: Source) -> Result<Bytes, PassError> {
        match source {
            Source::Value(value) => planner.bytes_of(value),
            Source::Temporary(n) => Ok(self.temporaries.get(n).map_or(Bytes::Fixed(0), |t| t.0)),
            Source::Output(n) => Err(PassError::broken(format!("result {n} has no size of its own"))),
        }
    }

    /// Bytes of a copy: those of the side that is no result of the function.
    pub fn bytes_or(&self, planner: &mut Planner<'_>, from: Source, to: Source) -> Result<Bytes, PassError> {
        match from {
            Source::Output(_) => self.bytes(planner, to),
            _ => self.bytes(planner, from),
        }
    }

    /// The present step uses the source; an intermediate gets its place with the first use.
    pub fn touch(&mut self, planner: &mut Planner<'_>, source: Source) -> Result<(), PassError> {
        match self.place(source) {
            None => {
                let bytes = self.room(planner, source)?;
                self.intervals.push(Interval { bytes, first: self.clock, last: self.clock });
                self.places.insert(source, Place::Arena(self.intervals.len() - 1));
            }
            Some(Place::Arena(n)) => self.intervals[n].last = self.clock,
            Some(_) => {}
        }
        Ok(())
    }

    /// A nested block ran from step `start` to now, perhaps again and again: what it used of before stays alive through
    /// all of it, and so do `results`.
    pub fn keep_through(&mut self, start: usize, results: &[Source]) {
        let end = self.clock;
        for interval in self.intervals.iter_mut().filter(|i| i.first < start && i.last >= start) {
            interval.last = end;
        }
        for &result in results {
            if let Some(Place::Arena(n)) = self.place(result) {
                self.intervals[n].last = end;
            }
        }
        self.clock += 1;
    }

    pub fn span(&self, planner: &mut Planner<'_>, source: Source, offsets: &[ExprId]) -> Result<Span, PassError> {
        let bytes = self.bytes(planner, source)?;
        self.span_of(planner, source, bytes, offsets)
    }

    /// The span of sources that lie one behind the other.
    pub fn row_span(
        &self,
        planner: &mut Planner<'_>,
        sources: &[Source],
        offsets: &[ExprId],
    ) -> Result<Span, PassError> {
        let &[first, ..] = sources else { return Err(PassError::broken("a row of no buffers")) };
        if sources.len() == 1 {
            return self.span(planner, first, offsets);
        }
        let number = |source: &Source| match self.place(*source) {
            Some(Place::Arena(n)) => Some(n),
            _ => None,
        };
        let row = sources.iter().map(number).collect::<Option<Vec<usize>>>();
        let row =
            row.filter(|row| self.rows.contains(row)).ok_or_else(|| PassError::broken("pieces that lie apart"))?;
        let bytes = row.iter().filter_map(|&n| self.intervals[n].bytes.fixed()).sum();
        self.span_of(planner, first, Bytes::Fixed(bytes), offsets)
    }

    /// The span of `bytes` at a source's place.
    pub fn span_of(
        &self,
        planner: &mut Planner<'_>,
        source: Source,
        bytes: Bytes,
        offsets: &[ExprId],
    ) -> Result<Span, PassError> {
        let place = self.place(source);
        let place = place.ok_or_else(|| PassError::broken(format!("{source:?} has no buffer")))?;
        self.span_at(planner, place, bytes, offsets)
    }

    fn span_at(
        &self,
        planner: &mut Planner<'_>,
        place: Place,
        bytes: Bytes,
        offsets: &[ExprId],
    ) -> Result<Span, PassError> {
        let (space, offset) = match place {
            Place::Input(n) => (Space::Input(n), 0),
            Place::Parameter(n) => (Space::Parameter(n), 0),
            Place::Output(n) => (Space::Output(n), 0),
            Place::Persistent(offset) => (Space::Persistent, offset),
            Place::Arena(n) => {
                let offset = match offsets.get(n) {
                    Some(&offset) => offset,
                    None => planner.size(0),
                };
                return Ok(Span { space: Space::Arena, offset, length: planner.length(bytes)? });
            }
            Place::ByRound(n) => {
                let known = self.by_round.get(n);
                let found = known.and_then(|known| known.places.get(*self.rounds.get(known.rounds_of)?));
                let &(place, first) = found.ok_or_else(|| PassError::broken("a place outside its loop"))?;
                let whole = self.span_at(planner, place, bytes, offsets)?;
                let first = planner.size(first);
                return Ok(Span { offset: planner.sum(whole.offset, first), ..whole });
            }
            Place::Constant(id) => {
                let graph = planner.graph;
                (Space::Constant, planner.pool.place(graph, id))
            }
            Place::Made(n) => (Space::Constant, planner.pool.place_made(n)),
        };
        Ok(Span { space, offset: planner.size(offset), length: planner.length(bytes)? })
    }
}
