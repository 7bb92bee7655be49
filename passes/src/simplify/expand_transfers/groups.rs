//! Channels that belong together: each one's `send` comes behind the `recv` of every other, and of its own.
//!
//! Worked example: channel 0 sends what it computes of channels 0 and 1, channel 1 what it computes of channel 0,
//! channel 2 what it computes of channel 1: the groups are {0, 1} and {2}; the first is a pipeline, the second is not.

/// The strongly connected components of a graph, and of each whether it has a cycle. `before[at]` are the nodes that
/// `at` depends on.
pub(super) fn groups(before: &[Vec<usize>]) -> Vec<(Vec<usize>, bool)> {
    let mut behind = vec![Vec::new(); before.len()];
    for (at, others) in before.iter().enumerate() {
        others.iter().for_each(|&other| behind[other].push(at));
    }
    let all: Vec<usize> = (0..before.len()).collect();
    let mut seen = vec![false; before.len()];
    let mut order = Vec::with_capacity(before.len());
    all.iter().for_each(|&at| order.extend(walk(at, &behind, &mut seen)));
    let mut seen = vec![false; before.len()];
    let parts = order.iter().rev().map(|&at| walk(at, before, &mut seen)).filter(|part| !part.is_empty());
    let with_cycle = |mut part: Vec<usize>| {
        part.sort_unstable();
        let has_cycle = part.len() > 1 || part.iter().any(|&at| before[at].contains(&at));
        (part, has_cycle)
    };
    parts.map(with_cycle).collect()
}

/// What is reached from a node and was not seen before, each behind all that is reached from it.
fn walk(from: usize, next: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    let mut done = Vec::new();
    if std::mem::replace(&mut seen[from], true) {
        return done;
    }
    let mut path = vec![(from, 0)];
    while let Some((at, taken)) = path.last_mut() {
        match next[*at].get(*taken) {
            Some(&other) => {
                *taken += 1;
                if !std::mem::replace(&mut seen[other], true) {
                    path.push((other, 0));
                }
            }
            None => {
                done.push(*at);
                path.pop();
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn what_depends_on_each_other_is_one_group() {
        let mut found = groups(&[vec![0, 1], vec![0], vec![1], vec![], vec![4]]);
        found.sort();
        assert_eq!(found, [(vec![0, 1], true), (vec![2], false), (vec![3], false), (vec![4], true)]);
        assert_eq!(groups(&[vec![2], vec![0], vec![1]]), [(vec![0, 1, 2], true)]);
        assert!(groups(&[]).is_empty());
    }

    /// A long chain, each node of which depends on all before it.
    #[test]
    fn many_channels_are_no_burden() {
        let before: Vec<Vec<usize>> = (0..2000).map(|at| (0..at).collect()).collect();
        assert!(groups(&before).iter().all(|(part, has_cycle)| part.len() == 1 && !has_cycle));
    }
}
