//! Layouts of arrays: all are row-major. Callers get them as XLA writes them, `{1,0}`: the fastest dimension first.

use crate::api::layouts::*;
use crate::api::{Extension, Handle, Owned, entries::entry};
use crate::error::Result;

/// A layout as callers hold it.
pub struct MemoryLayout(String);

impl MemoryLayout {
    /// That of an array of this rank.
    pub fn of_rank(rank: usize) -> MemoryLayout {
        let dims: Vec<String> = (0..rank).rev().map(|dim| dim.to_string()).collect();
        MemoryLayout(format!("{{{}}}", dims.join(",")))
    }
}

/// Layouts of a program's inputs or outputs, and handles of them.
pub struct Layouts {
    _layouts: Vec<MemoryLayout>,
    pub handles: Vec<Handle<MemoryLayout>>,
}

impl Layouts {
    pub fn of_ranks(ranks: impl Iterator<Item = usize>) -> Layouts {
        let layouts: Vec<MemoryLayout> = ranks.map(MemoryLayout::of_rank).collect();
        let handles = layouts.iter().map(Handle::lend).collect();
        Layouts { _layouts: layouts, handles }
    }
}

/// The extension, a link of the table's list.
pub static EXTENSION: LayoutsExtension = LayoutsExtension {
    link: Extension { size: size_of::<LayoutsExtension>(), kind: KIND, next: &crate::shardings::EXTENSION.link },
    entries: [
        entry!(Layouts_MemoryLayout_Destroy(destroy)),
        entry!(Layouts_MemoryLayout_Serialize(serialize)),
        entry!(Layouts_PJRT_Client_GetDefaultLayout(of_client)),
        entry!(Layouts_PJRT_Buffer_MemoryLayout(of_buffer)),
        entry!(Layouts_PJRT_Topology_GetDefaultLayout(of_topology)),
        entry!(Layouts_PJRT_Executable_GetOutputLayouts(of_outputs)),
        entry!(Layouts_PJRT_Executable_GetParameterLayouts(of_parameters)),
    ],
};

fn destroy(args: &mut LayoutArgs) -> Result<()> {
    drop(args.layout.take());
    Ok(())
}

fn serialize(args: &mut OwnedArgs) -> Result<()> {
    args.owned = Owned::new(args.layout.get()?.0.clone().into_bytes());
    Ok(())
}

fn of_client(args: &mut ClientArgs) -> Result<()> {
    args.layout = Handle::give(MemoryLayout::of_rank(args.dims.get().len()));
    Ok(())
}

fn of_topology(args: &mut TopologyArgs) -> Result<()> {
    args.layout = Handle::give(MemoryLayout::of_rank(args.dims.get().len()));
    Ok(())
}

fn of_buffer(args: &mut BufferArgs) -> Result<()> {
    args.layout = Handle::give(MemoryLayout::of_rank(args.buffer.get()?.ty.shape.len()));
    Ok(())
}

fn of_outputs(args: &mut ExecutableArgs) -> Result<()> {
    let layouts = &args.executable.get()?.0.output_layouts.handles;
    (args.count, args.layouts) = (layouts.len(), layouts.as_ptr());
    Ok(())
}

fn of_parameters(args: &mut ExecutableArgs) -> Result<()> {
    let layouts = &args.executable.get()?.0.input_layouts.handles;
    (args.count, args.layouts) = (layouts.len(), layouts.as_ptr());
    Ok(())
}
