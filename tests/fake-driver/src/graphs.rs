//! Recorded work: captures of streams, graphs built node by node, instances of graphs.
//!
//! A graph is a list of operations; an instance is a copy of it. The body of a conditional node is a graph of its own
//! that goes with its parent; it never runs, since nothing sets conditions where kernels are not executed.

use crate::code;
use crate::queue::Operation;
use crate::world::{Object, World};

impl World {
    pub fn begin_capture(&mut self, stream: u64) -> Result<(), i32> {
        self.device()?;
        let stream = self.stream(stream)?;
        if stream.capture.is_some() {
            return Err(code::CAPTURE_UNSUPPORTED);
        }
        stream.capture = Some(Vec::new());
        Ok(())
    }

    /// Ends a capture; one that fails gives no graph.
    pub fn end_capture(&mut self, stream: u64) -> Result<u64, i32> {
        let device = self.device()?;
        let operations = self.stream(stream)?.capture.take().ok_or(code::CAPTURE_UNSUPPORTED)?;
        if self.failing {
            return Ok(0);
        }
        Ok(self.insert(Object::Graph { device, operations, parent: None }))
    }

    /// An empty graph; the body of a conditional node of `parent`, where one is given.
    pub fn new_graph(&mut self, parent: Option<u64>) -> Result<u64, i32> {
        let device = self.device()?;
        if let Some(parent) = parent
            && !matches!(self.object(parent, "a graph")?, Object::Graph { .. })
        {
            return Err(code::INVALID_HANDLE);
        }
        Ok(self.insert(Object::Graph { device, operations: Vec::new(), parent }))
    }

    /// Appends a node to a graph and gives its handle, its number from 1. Bodies of conditional nodes take them and
    /// never run: nothing sets their conditions.
    pub fn add_node(&mut self, graph: u64, operation: Operation) -> Result<u64, i32> {
        self.device()?;
        match self.object(graph, "a graph")? {
            Object::Graph { operations, .. } => {
                operations.push(operation);
                Ok(operations.len() as u64)
            }
            _ => Err(code::INVALID_HANDLE),
        }
    }

    /// Changes a node of an instance; it stays of its kind.
    pub fn set_node(&mut self, exec: u64, node: u64, operation: Operation) -> Result<(), i32> {
        self.device()?;
        let Object::GraphExec { operations, .. } = self.object(exec, "a graph")? else {
            return Err(code::INVALID_HANDLE);
        };
        let at = usize::try_from(node).ok().and_then(|node| node.checked_sub(1));
        let found = at.and_then(|at| operations.get_mut(at)).ok_or(code::INVALID_HANDLE)?;
        if std::mem::discriminant(found) != std::mem::discriminant(&operation) {
            return Err(code::INVALID_VALUE);
        }
        *found = operation;
        Ok(())
    }

    pub fn instantiate(&mut self, graph: u64) -> Result<u64, i32> {
        let device = self.device()?;
        let Object::Graph { operations, .. } = self.object(graph, "a graph")? else { return Err(code::INVALID_HANDLE) };
        let operations = operations.clone();
        Ok(self.insert(Object::GraphExec { device, operations }))
    }

    pub fn launch_graph(&mut self, exec: u64, stream: u64) -> Result<(), i32> {
        self.device()?;
        let Object::GraphExec { operations, .. } = self.object(exec, "a graph")? else {
            return Err(code::INVALID_HANDLE);
        };
        let operations = operations.clone();
        operations.into_iter().try_for_each(|operation| self.enqueue(stream, operation))
    }

    /// Removes a graph or an instance of one.
    pub fn destroy_graph(&mut self, handle: u64) -> Result<(), i32> {
        self.device()?;
        if !matches!(self.object(handle, "a graph")?, Object::Graph { .. } | Object::GraphExec { .. }) {
            return Err(code::INVALID_HANDLE);
        }
        let mut gone = vec![handle];
        while let Some(graph) = gone.pop() {
            self.objects.remove(&graph);
            let inside =
                |row: &(&u64, &Object)| matches!(row.1, Object::Graph { parent, .. } if *parent == Some(graph));
            gone.extend(self.objects.iter().filter(inside).map(|(body, _)| *body));
        }
        Ok(())
    }
}
