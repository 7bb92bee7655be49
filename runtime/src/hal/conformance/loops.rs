//! Branches and loops with kernels of a device: whether its driver decides them or the host, the results are the same.

use super::*;

/// A `While` of 1000 rounds, a `While` in a `While`, branches and a long `Repeat`.
///
/// Kernel 0 of the executable is `add_one(in, out, count)` on f32; kernel 1 is `below(x, flag, distance)`, which sets a
/// byte to `x[0] < x[distance]`.
pub(super) fn branches_and_loops(device: &Device, executable: &Executable) {
    // Floats: counter at 0, limit at 16, inner counter at 32, inner limit at 48; predicates at 64 and 80.
    let state = device.allocate(256, Place::Device).unwrap();
    let launch = |kernel: usize, spans: [(u64, u64, bool); 2], count: i64| Command::Dispatch {
        executable: executable.clone(),
        kernel,
        grid: [1; 3],
        bindings: spans.map(|(at, bytes, writes)| Binding { slice: state.slice(at, bytes), writes }).to_vec(),
        constants: vec![count],
    };
    let bump = |at: u64| launch(0, [(at, 4, false), (at, 4, true)], 1);
    let below = |at: u64, flag: u64| launch(1, [(at, 20, false), (flag, 1, true)], 4);
    let reset = Command::Fill { target: state.slice(32, 4), pattern: 0, pattern_bytes: 4 };
    let inner = Command::While {
        condition: vec![below(32, 80)],
        predicate: state.slice(80, 1),
        body: vec![bump(32), bump(112)],
        guarded: false,
    };
    let outer = |body| {
        let (condition, predicate) = (vec![below(0, 64)], state.slice(64, 1));
        Command::While { condition, predicate, body, guarded: false }
    };
    let branch = Command::If { predicate: state.slice(64, 1), then: vec![bump(128)], otherwise: vec![bump(144)] };
    let lists = [
        (vec![outer(vec![bump(0)])], [1000.0f32, 0.0, 0.0, 0.0, 0.0]),
        (vec![outer(vec![bump(0), reset.clone(), inner])], [1000.0, 7.0, 7000.0, 0.0, 0.0]),
        (vec![branch.clone(), outer(vec![bump(0), branch.clone()]), branch], [1000.0, 0.0, 0.0, 1000.0, 2.0]),
        (vec![Command::Repeat { count: 20_000, body: vec![bump(0)] }], [20_000.0, 0.0, 0.0, 0.0, 0.0]),
    ];
    for (case, (commands, wanted)) in lists.into_iter().enumerate() {
        let list = device.record(&commands).unwrap();
        for (round, limit) in [1000.0f32, 0.0, 1000.0].into_iter().enumerate() {
            let mut bytes = vec![0u8; 256];
            bytes[16..20].copy_from_slice(&limit.to_le_bytes());
            bytes[48..52].copy_from_slice(&7f32.to_le_bytes());
            device.upload(&state.all(), &bytes).unwrap();
            device.submit(&list).unwrap();
            let out = read(device, &state.all());
            let number = |at: usize| f32::from_le_bytes(out[at..at + 4].try_into().unwrap());
            let found = [0, 32, 112, 128, 144].map(number);
            match (limit == 0.0, case) {
                (false, _) | (true, 3) => assert_eq!(found, wanted, "case {case}, round {round}"),
                (true, 2) => assert_eq!(found, [0.0, 0.0, 0.0, 0.0, 2.0], "case {case}"),
                (true, _) => assert_eq!(found, [0.0; 5], "case {case}"),
            }
        }
    }
}
