//! Attention of few rows over keys and values in pages: every way of the stream, odd numbers of heads, texts and pages,
//! lengths around the edges of pages and tiles, tables with numbers outside of the pool.

use fornax_graph::ElementType::{Bf16, F16, F32, I32, I64};
use fornax_kernels::attention::candidates;
use fornax_kernels::attention::schedule::AttentionSchedule;
use fornax_plan::attention::{Attention, Band, Side};
use fornax_plan::{Binary, Body, Compare, KernelPlan, Node, Precision, Store, Unscheduled};
use fornax_targets::{Backend, resolve};

use super::emit_plans::{Maker, Random};
use super::run::check;

const DEVICE: &str = "sm_90a";

/// Sizes of a cache in pages.
#[derive(Clone, Copy)]
struct Sizes {
    texts: i64,
    heads: i64,
    /// Rows of queries that share a head's keys.
    rows: i64,
    features: i64,
    pages: i64,
    page: i64,
    /// Pages of a text.
    entries: i64,
}

/// softmax(q·kᵀ / 8, columns up to a text's position) · v; keys and values as a table names them.
fn decode(element: fornax_graph::ElementType, s: Sizes) -> KernelPlan {
    let mut p = Maker::default();
    let (b, h, r, f) = (p.var(s.texts), p.var(s.heads), p.var(s.rows), p.var(s.features));
    let (c, d) = (p.var(s.entries * s.page), p.var(s.features));
    let elements = s.texts * s.heads * s.rows * s.features;
    let query = p.input(element, elements);
    let pool = s.pages * s.heads * s.page * s.features;
    let (keys, values) = (p.input(element, pool), p.input(element, pool));
    let (table, positions) = (p.input(I32, s.texts * s.entries), p.input(I32, s.texts));
    let output = p.output(element, elements);
    let of_query = [(b, s.heads * s.rows * s.features), (h, s.rows * s.features), (r, s.features)];
    let query = p.load_at(query, &[&of_query[..], &[(d, 1)]].concat());

    let text = p.at(&[(b, s.entries)]);
    let column = p.at(&[(c, 1)]);
    let entry = p.exprs.indices.floor_div(column, s.page);
    let start = p.exprs.indices.scale(entry, s.page);
    let row = p.exprs.indices.sub(column, start);
    let place = p.exprs.indices.add(text, entry);
    let number = p.load(table, place);
    let (zero, last) = (p.constant(I32, 0), p.constant(I32, (s.pages - 1) as u64));
    let number = p.exprs.binary(Binary::Maximum, number, zero);
    let number = p.exprs.binary(Binary::Minimum, number, last);
    let number = p.exprs.indices.value(number, 0, s.pages - 1);
    let lies = |p: &mut Maker, buffer, inner| {
        let page = p.exprs.indices.scale(number, s.heads * s.page * s.features);
        let row = p.exprs.indices.scale(row, s.features);
        let rest = p.at(&[(h, s.page * s.features), (inner, 1)]);
        let place = p.exprs.indices.add(page, row);
        let place = p.exprs.indices.add(place, rest);
        p.load(buffer, place)
    };
    let (key, value) = (lies(&mut p, keys, d), lies(&mut p, values, f));

    let position = p.load_at(positions, &[(b, 1)]);
    let position = p.exprs.convert(I64, position);
    let one = p.constant(I64, 1);
    let bound = p.exprs.binary(Binary::Add, position, one);
    let whole = p.exprs.add(Node::FromIndex { element: I64, index: column });
    let seen = p.exprs.compare(Compare::Lt, whole, bound);
    let (inside, hidden) = (p.reduced(0, F32), p.f32(f32::NEG_INFINITY));
    let score = p.exprs.select(seen, inside, hidden);
    let result = p.reduced(1, F32);
    let result = p.exprs.convert(element, result);
    let offset = p.at(&[&of_query[..], &[(f, 1)]].concat());
    let body = Attention {
        rows: vec![r],
        feature: f,
        reduction: [c, d],
        query,
        key,
        value,
        score,
        inside,
        bands: vec![Band { side: Side::High, bound }],
        masked: f32::NEG_INFINITY.to_bits(),
        scale: 0.125f32.to_bits(),
        weight: element,
        precision: Precision::Ieee,
        empty_is_zero: false,
        part: None,
        stores: vec![Store { buffer: output, offset, value: result }],
    };
    p.plan(vec![b, h, r, f], Body::Attention(Box::new(body)), Unscheduled)
}

/// Queries, pool, tables with pages in no order, some of which are none, and positions.
fn inputs(plan: &KernelPlan, s: Sizes, positions: &[i32], random: &mut Random) -> Vec<Vec<u8>> {
    let small =
        |at: usize, random: &mut Random| random.small(plan.buffers[at].element, plan.buffers[at].elements as usize);
    let mut all: Vec<Vec<u8>> = (0..3).map(|at| small(at, random)).collect();
    let entry = |number: u64| match number % 9 {
        0 => -1,
        1 => i32::MAX,
        _ => (number / 9 % s.pages as u64) as i32,
    };
    all.push((0..s.texts * s.entries).flat_map(|_| entry(random.next()).to_le_bytes()).collect());
    all.push((0..s.texts as usize).flat_map(|text| positions[text % positions.len()].to_le_bytes()).collect());
    all
}

#[test]
fn pages_are_read_where_they_lie() {
    let target = resolve(Backend::Cuda, DEVICE).expect("a target").target;
    let mut random = Random(71);
    let sizes = |texts, heads, rows, features| Sizes { texts, heads, rows, features, pages: 7, page: 16, entries: 3 };
    let mut bulk = 0;
    for (element, s) in [
        (Bf16, sizes(3, 2, 4, 64)),
        (F16, Sizes { page: 32, ..sizes(1, 3, 1, 128) }),
        (Bf16, Sizes { entries: 5, page: 8, ..sizes(2, 1, 9, 64) }),
    ] {
        let plan = decode(element, s);
        for (first, positions) in [[0, 15, 16], [17, 31, 32], [39, 14, 33]].into_iter().enumerate() {
            let given = inputs(&plan, s, &positions, &mut random);
            let all = candidates::candidates(&plan, &target);
            assert!(all.len() >= 4, "{} ways", all.len());
            // Every fifth, others each time: clusters of each size, copies by lanes and by rows.
            for (seed, plan) in all.into_iter().enumerate().skip(first).step_by(5) {
                let stream = plan.schedule_as::<AttentionSchedule>().and_then(|s| s.stream.clone()).expect("a stream");
                bulk += usize::from(stream.bulk);
                check(&plan, DEVICE, &given, 4.0, seed as u64);
                // What no kernel of a call writes: first tiles are asked for before the wait.
                let mut early = plan.clone();
                early.early = early.schedule.early(&plan, &[false, false, false, true, true, false]);
                assert_eq!(early.early.is_empty(), stream.bulk);
                if !early.early.is_empty() {
                    check(&early, DEVICE, &given, 4.0, seed as u64);
                }
                assert!(plan.schedule.early(&plan, &[false, false, false, false, true, false]).is_empty());
            }
        }
    }
    assert!(bulk > 0, "no way by the copy engine");
}
