//! At which step of a pipeline each device has what it receives.
//!
//! A device that no pair names as a target is at level 0; others are one level behind their last source. Devices whose
//! data a collective between the `recv` and the `send` combines are at one level.
//!
//! Worked example: pairs 0 → 1, 1 → 2 of four devices: levels 0, 1, 2, 0.

/// Levels by id; for pairs that run in a cycle the ids on it.
pub(super) fn levels(count: usize, pairs: &[[u32; 2]], together: &[Vec<u32>]) -> Result<Vec<u32>, Vec<u32>> {
    let class = classes(count, together);
    let edges: Vec<[usize; 2]> = pairs.iter().map(|pair| pair.map(|id| class[id as usize])).collect();
    let (mut behind, mut waits) = (vec![Vec::new(); count], vec![0usize; count]);
    for &[from, to] in &edges {
        behind[from].push(to);
        waits[to] += 1;
    }
    let mut level = vec![0u32; count];
    let mut ready: Vec<usize> = (0..count).filter(|&id| class[id] == id && waits[id] == 0).collect();
    while let Some(from) = ready.pop() {
        for &to in &behind[from] {
            level[to] = level[to].max(level[from] + 1);
            waits[to] -= 1;
            if waits[to] == 0 {
                ready.push(to);
            }
        }
    }
    match waits.iter().position(|&left| left > 0) {
        None => Ok(class.iter().map(|&id| level[id]).collect()),
        Some(stuck) => Err(cycle(stuck, &edges, &waits).into_iter().map(|id| id as u32).collect()),
    }
}

/// By id the smallest id of its class.
fn classes(count: usize, together: &[Vec<u32>]) -> Vec<usize> {
    let mut of: Vec<usize> = (0..count).collect();
    fn root(of: &mut [usize], mut id: usize) -> usize {
        while of[id] != id {
            of[id] = of[of[id]];
            id = of[id];
        }
        id
    }
    for group in together {
        for pair in group.windows(2) {
            let (a, b) = (root(&mut of, pair[0] as usize), root(&mut of, pair[1] as usize));
            of[a.max(b)] = a.min(b);
        }
    }
    (0..count).map(|id| root(&mut of, id)).collect()
}

/// Back along the edges that are never over, from one that is stuck, to a cycle.
fn cycle(stuck: usize, edges: &[[usize; 2]], waits: &[usize]) -> Vec<usize> {
    let mut source: Vec<Option<usize>> = vec![None; waits.len()];
    for &[from, to] in edges.iter().filter(|[from, _]| waits[*from] > 0) {
        source[to] = Some(from);
    }
    let mut path = vec![stuck];
    let mut seen = vec![false; waits.len()];
    seen[stuck] = true;
    while let Some(from) = path.last().and_then(|&at| source[at]) {
        if seen[from] {
            let begin = path.iter().position(|&id| id == from).unwrap_or(0);
            path.drain(..begin);
            break;
        }
        seen[from] = true;
        path.push(from);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::levels;

    #[test]
    fn a_device_is_one_level_behind_its_last_source() {
        assert_eq!(levels(4, &[[0, 1], [1, 2]], &[]), Ok(vec![0, 1, 2, 0]));
        // Two channels: device 3 has a short way and a long one.
        assert_eq!(levels(4, &[[0, 3], [0, 1], [1, 3]], &[]), Ok(vec![0, 1, 0, 2]));
        assert_eq!(levels(3, &[], &[]), Ok(vec![0; 3]));
    }

    #[test]
    fn devices_of_a_group_are_at_one_level() {
        let stages = [vec![0, 1], vec![2, 3]];
        assert_eq!(levels(4, &[[0, 2], [1, 3]], &stages), Ok(vec![0, 0, 1, 1]));
        assert_eq!(levels(5, &[[4, 0], [0, 2]], &stages), Ok(vec![1, 1, 2, 2, 0]));
        assert_eq!(levels(4, &[[0, 1]], &stages), Err(vec![0]));
    }

    #[test]
    fn a_cycle_is_named_without_what_hangs_on_it() {
        let mut cycle = levels(5, &[[0, 1], [1, 2], [2, 0], [4, 3]], &[]).unwrap_err();
        cycle.sort_unstable();
        assert_eq!(cycle, [0, 1, 2]);
        let mut tail = levels(4, &[[1, 2], [2, 1], [3, 0]], &[]).unwrap_err();
        tail.sort_unstable();
        assert_eq!(tail, [1, 2]);
        assert_eq!(levels(2, &[[1, 1]], &[]), Err(vec![1]));
    }
}
