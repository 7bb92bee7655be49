//! A schedule in a few words, for people and for tuning locks: schedules of one plan that differ have different names.
//!
//! Worked example: `warpgroup 128x256x64 rows of 0 consumers 2 stages 4 split 1 group 8`.

use std::fmt::Write;

use crate::kernel::{KernelPlan, Schedule};

impl KernelPlan {
    /// The schedule in a few words.
    pub fn way(&self) -> String {
        match &self.schedule {
            Schedule::Loop(s) => {
                format!("loop vector {} threads {} items {}", s.vector, s.threads, s.items_per_thread)
            }
            Schedule::Tile(s) => {
                let unroll: Vec<String> = s.unroll.iter().map(|(_, count)| count.to_string()).collect();
                format!(
                    "tile vector {} unroll {} threads {} by {} tiles {}",
                    s.vector.map_or(1, |v| v.1),
                    if unroll.is_empty() { "1".to_string() } else { unroll.join("x") },
                    s.reduce_threads,
                    s.tile_threads,
                    s.tiles_per_workgroup
                )
            }
            Schedule::Warpgroup(s) => {
                let buffer = self.tensor_maps.get(s.row_operand.map as usize).map_or(0, |map| map.buffer);
                format!(
                    "warpgroup {}x{}x{} rows of {buffer} consumers {} stages {} split {} group {}",
                    s.tile_rows(),
                    s.tile_columns(),
                    s.block(),
                    s.consumers,
                    s.stages,
                    s.split,
                    s.group
                )
            }
            Schedule::Matrix(s) => {
                let ahead = if s.ahead { " ahead" } else { "" };
                format!(
                    "matrix {} {}x{}x{} warps {}x{} stages {} group {}{ahead}",
                    s.atom.row().name,
                    s.rows,
                    s.columns,
                    s.steps,
                    s.down,
                    s.across,
                    s.stages,
                    s.group
                )
            }
            Schedule::Skinny(s) => {
                let (lanes, tile, depth, across, down) = (s.lanes, s.tile, s.depth, s.across, s.down);
                let (matrix, cluster) = (if s.matrix { " matrix" } else { "" }, s.cluster);
                format!(
                    "skinny{matrix} lanes {lanes} tile {tile} depth {depth} threads {across}x{down} cluster {cluster}"
                )
            }
            Schedule::Row(s) => {
                let held = if s.held { " held" } else { "" };
                let packed = if s.packed { " packed" } else { "" };
                let cluster = if s.cluster > 1 { format!(" cluster {}", s.cluster) } else { String::new() };
                let ahead = if s.ahead > 0 { format!(" ahead by {}", s.ahead) } else { String::new() };
                format!(
                    "row vector {} threads {} chunks {} rows {}{held}{packed}{cluster}{ahead}",
                    s.vector.1, s.threads, s.chunks, s.rows
                )
            }
            Schedule::AttentionLanes(s) => format!(
                "attention {}x{} columns {} of {} features {} tiles {}",
                s.vectors, s.lanes, s.columns, s.block, s.features, s.tiles
            ),
            Schedule::Panel(s) => {
                let depth = s.depth.map_or("all".to_string(), |d| d.1.to_string());
                format!(
                    "panel {}x{} tiles {}x{} depth {depth}{}{}",
                    s.row.map_or(1, |r| r.1),
                    s.lanes * s.vectors,
                    s.row_tiles,
                    s.column_tiles,
                    if s.panel.is_some() { " packed" } else { "" },
                    if s.copy_rows { " rows copied" } else { "" }
                )
            }
            Schedule::Sort(s) => format!("sort threads {} items {}", s.threads, s.items),
            Schedule::Scan(s) => {
                format!("scan {} lanes {} items {} threads {}", s.way.name(), s.lanes, s.items, s.threads)
            }
            Schedule::Team(s) => format!("team threads {} together {}", s.threads, s.together),
            Schedule::Sized(s) => format!("sized lanes {} threads {} items {}", s.lanes, s.threads, s.items),
            Schedule::Radix(s) => format!("radix threads {}", s.threads),
            Schedule::Segment(s) => {
                format!("segment lanes {} share {} threads {} items {}", s.lanes, s.share, s.threads, s.items)
            }
            Schedule::Window(s) => {
                let counts: Vec<String> = s.pairs.iter().map(|(_, count)| count.to_string()).collect();
                format!(
                    "window vector {} outputs {} threads {}",
                    s.vector.map_or(1, |v| v.1),
                    counts.join("x"),
                    s.threads
                )
            }
            Schedule::Attention(s) => {
                let mut name = format!("attention {}x{}", s.rows(), s.columns);
                if let Some(stream) = &s.stream {
                    let _ =
                        write!(name, " stream warps {} stages {} cluster {}", s.warps, stream.stages, stream.cluster);
                    name.push_str(if stream.bulk { " rows" } else { "" });
                }
                if let Some(bulk) = s.bulk.as_deref() {
                    let _ = write!(name, " bulk stages {}", bulk.stages);
                    let marks = [
                        (bulk.ahead, " ahead"),
                        (bulk.turns, " turns"),
                        (bulk.lazy, " lazy"),
                        (bulk.resident.is_some(), " resident"),
                    ];
                    name.extend(marks.into_iter().filter(|m| m.0).map(|m| m.1));
                    if bulk.computed > 0 {
                        let _ = write!(name, " computed {}", bulk.computed);
                    }
                }
                name
            }
            Schedule::Exchange(s) => {
                let phase = if s.phase > 1 { format!(" phase {}", s.phase) } else { String::new() };
                format!(
                    "exchange {}x{} lanes {} to {} threads {}{phase}",
                    s.height, s.width, s.load_lanes, s.store_lanes, s.threads
                )
            }
        }
    }

    /// Workgroups of a cluster along x; 1 where there are none.
    pub fn cluster(&self) -> u32 {
        match &self.schedule {
            Schedule::Warpgroup(s) => s.split.max(1),
            Schedule::Row(s) => s.cluster.max(1),
            Schedule::Skinny(s) => s.cluster.max(1),
            Schedule::Attention(s) => s.cluster(),
            _ => 1,
        }
    }
}
