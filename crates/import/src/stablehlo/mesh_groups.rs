//! Groups of devices that are said by axes of a mesh become tables of numbers, as every other module has them.
//!
//! Worked example: on `<["x"=2, "y"=2]>` the axes `["y"]` are the groups `[[0, 1], [2, 3]]`. What names no axes of a
//! mesh of the module stays, and is refused where groups are read.

use fornax_graph::sharding::{AxisRef, Mesh};
use fornax_graph::{Attr, AttrMap, Constant, ElementType, Graph, TensorType};

const GROUPS: &str = "replica_groups";

/// Rewrites the groups of every op.
pub fn resolve(graph: &mut Graph) {
    for at in 0..graph.ops.len() {
        let said = graph.ops.get(at).and_then(|op| op.attrs.get(GROUPS));
        let Some(Attr::Struct(name, fields)) = said else { continue };
        if name != "stablehlo.replica_group_mesh_axes" {
            continue;
        }
        let Some(groups) = groups(graph, fields) else { continue };
        let shape = [groups.len() as i64, groups.first().map_or(0, |group| group.len() as i64)];
        let bytes = groups.iter().flatten().flat_map(|device| device.to_le_bytes()).collect();
        let table = graph.add_constant(Constant::dense(TensorType::new(&shape, ElementType::I64), bytes));
        if let Some(op) = graph.ops.get_mut(at) {
            op.attrs.set(GROUPS, Attr::Dense(table));
        }
    }
}

fn groups(graph: &Graph, fields: &AttrMap) -> Option<Vec<Vec<i64>>> {
    let mesh = match fields.get("mesh")? {
        Attr::Struct(_, fields) => inlined(fields)?,
        Attr::Symbol(path) => named(graph, path.last()?)?,
        Attr::String(name) => named(graph, name)?,
        _ => return None,
    };
    let Attr::Array(axes) = fields.get("axes")? else { return None };
    let axes: Vec<AxisRef> = axes.iter().map(axis).collect::<Option<_>>()?;
    mesh.groups(&axes).ok()
}

fn named(graph: &Graph, name: &str) -> Option<Mesh> {
    let meshes = graph.module_ops.iter().filter_map(|text| Mesh::parse(text)?.ok());
    meshes.into_iter().find(|mesh| mesh.name == name)
}

/// `#stablehlo.mesh<axes = […]>`, whose devices count up.
fn inlined(fields: &AttrMap) -> Option<Mesh> {
    let Attr::Array(axes) = fields.get("axes")? else { return None };
    let axis = |attr: &Attr| match attr {
        Attr::Struct(_, fields) => Some((text(fields.get("name")?)?, fields.int("size").filter(|&size| size > 0)?)),
        _ => None,
    };
    if fields.get("device_ids").is_some() {
        return None;
    }
    Some(Mesh { name: String::new(), axes: axes.iter().map(axis).collect::<Option<_>>()?, device_ids: None })
}

/// `#stablehlo.axis_ref<name = "x">`; one of a part of an axis is not read.
fn axis(attr: &Attr) -> Option<AxisRef> {
    match attr {
        Attr::Struct(_, fields) if fields.get("sub_axis_info").is_none() => {
            Some(AxisRef { name: text(fields.get("name")?)?, part: None })
        }
        _ => None,
    }
}

fn text(attr: &Attr) -> Option<String> {
    match attr {
        Attr::String(text) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn table(mesh: &str, axes: &str) -> Option<Vec<i64>> {
        let source = format!(
            "module {{\n  sdy.mesh @m = <[\"x\"=2, \"y\"=2]> {{stablehlo.mesh = {{axes = []}}}}\n  func.func @main(%a: \
             tensor<2xf32>) -> tensor<8xf32> {{\n    %0 = \"stablehlo.all_gather\"(%a) <{{all_gather_dim = 0 : i64, \
             channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = \
             #stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [{axes}]>, use_global_device_ids}}> : \
             (tensor<2xf32>) -> tensor<8xf32>\n    return %0 : tensor<8xf32>\n  }}\n}}\n"
        );
        let graph = parse(&source, "test").unwrap();
        let found = graph.ops.iter().find_map(|op| op.attrs.get(GROUPS)).unwrap();
        let Attr::Dense(id) = found else { return None };
        let numbers = graph.constant(*id).to_bytes();
        Some(numbers.chunks_exact(8).map(|bytes| i64::from_le_bytes(bytes.try_into().unwrap())).collect())
    }

    #[test]
    fn axes_of_a_mesh_are_tables() {
        let (x, y) = ("#stablehlo.axis_ref<name = \"x\">", "#stablehlo.axis_ref<name = \"y\">");
        assert_eq!(table("@m", y).unwrap(), [0, 1, 2, 3]);
        assert_eq!(table("@m", x).unwrap(), [0, 2, 1, 3]);
        assert_eq!(table("@m", &format!("{y}, {x}")).unwrap(), [0, 2, 1, 3]);
        let inlined = "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 4>]>";
        assert_eq!(table(inlined, x).unwrap(), [0, 1, 2, 3]);
        assert_eq!((table("@other", x), table(inlined, y)), (None, None));
    }
}
