//! Collectives on every driver that joins devices: what each device gets, and that nobody waits for ever.

use std::time::{Duration, Instant};

use fornax_module::collective::{Collective as Operation, CollectiveKind, Reducer};
use fornax_types::ElementType;

use super::*;
use crate::hal::Collective;

/// So many devices of each driver that joins some; the others must say that they have no collectives. One device may be
/// several of a team.
fn each_team(count: usize, timeout: Duration, test: impl Fn(Vec<(Device, Collective)>)) {
    for row in DRIVERS {
        let driver = row.driver();
        // Where there are fewer, one is several of the team.
        let usable: Vec<_> = driver.devices().into_iter().filter(|info| info.unusable.is_none()).collect();
        let options = OpenOptions { cpu_threads: Some(1), ..OpenOptions::default() };
        let open = |info: &DeviceInfo| Device::new(driver.open(info.ordinal, &options).unwrap());
        let devices: Vec<Device> = usable.iter().cycle().take(count).map(open).collect();
        if devices.is_empty() {
            continue;
        }
        match Collective::join(&devices, timeout) {
            Ok(places) => test(devices.into_iter().zip(places).collect()),
            Err(error) => assert_eq!(error.kind(), HalErrorKind::Unsupported, "{error}"),
        }
    }
}

const LONG: Duration = Duration::from_secs(60);

fn operation(kind: CollectiveKind, reducer: Option<Reducer>, groups: &[&[u32]]) -> Operation {
    let groups = groups.iter().map(|group| group.to_vec()).collect();
    Operation { kind, reducer, element: ElementType::F32, groups }
}

/// Runs an operation on every device at the same time, `times` times; device `d` has `n` numbers `start(d, i)`.
fn run_all(
    team: &[(Device, Collective)],
    operation: &Operation,
    (n, times): (usize, usize),
    start: fn(usize, usize) -> f32,
) -> Vec<HalResult<Vec<f32>>> {
    let target_bytes = operation.target_bytes(4 * n as u64).unwrap();
    std::thread::scope(|scope| {
        let threads: Vec<_> = team
            .iter()
            .enumerate()
            .map(|(d, (device, with))| {
                scope.spawn(move || {
                    let bytes: Vec<u8> = (0..n).flat_map(|i| start(d, i).to_le_bytes()).collect();
                    let source = device.upload_new(&bytes)?.all();
                    let target = device.allocate(target_bytes, Place::Device)?.all();
                    let (with, operation) = (with.clone(), Arc::new(operation.clone()));
                    let command =
                        Command::Collective { with, operation, source: source.clone(), target: target.clone() };
                    let list = device.record(&[command])?;
                    for _ in 0..times {
                        device.submit(&list)?;
                    }
                    let out = read(device, &target);
                    Ok(out.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn every_kind_gives_each_device_what_it_should() {
    let start: fn(usize, usize) -> f32 = |d, i| (10 * d + i) as f32;
    each_team(4, LONG, |team| {
        let of = |operation: &Operation, n| -> Vec<Vec<f32>> {
            run_all(&team, operation, (n, 3), start).into_iter().map(Result::unwrap).collect()
        };
        let halves: &[&[u32]] = &[&[2, 0], &[1, 3]];
        let sum = of(&operation(CollectiveKind::AllReduce, Some(Reducer::Add), halves), 2);
        assert_eq!(sum, [[20.0, 22.0], [40.0, 42.0], [20.0, 22.0], [40.0, 42.0]]);
        let most = of(&operation(CollectiveKind::AllReduce, Some(Reducer::Maximum), &[&[0, 1, 2], &[3]]), 1);
        assert_eq!(most.concat(), [20.0, 20.0, 20.0, 30.0]);
        let all = of(&operation(CollectiveKind::AllGather, None, halves), 1);
        assert_eq!(all, [[20.0, 0.0], [10.0, 30.0], [20.0, 0.0], [10.0, 30.0]]);
        let pieces = of(&operation(CollectiveKind::ReduceScatter, Some(Reducer::Add), halves), 4);
        assert_eq!(pieces, [[24.0, 26.0], [40.0, 42.0], [20.0, 22.0], [44.0, 46.0]]);
        let swapped = of(&operation(CollectiveKind::AllToAll, None, halves), 2);
        assert_eq!(swapped, [[21.0, 1.0], [10.0, 30.0], [20.0, 0.0], [11.0, 31.0]]);
        let first = of(&operation(CollectiveKind::Broadcast, None, &[&[3, 1]]), 1);
        assert_eq!(first.concat(), [0.0, 30.0, 0.0, 30.0]);
        let ring = of(&operation(CollectiveKind::Permute, None, &[&[0, 1], &[1, 2], &[3, 0]]), 1);
        assert_eq!(ring.concat(), [30.0, 0.0, 10.0, 0.0]);
    });
}

/// Sums whose bits depend on the order, small and in two steps, on 2, 4 and 8 devices: the same bits on all, each time.
#[test]
fn sums_have_the_same_bits_everywhere_and_again() {
    let start: fn(usize, usize) -> f32 = |d, i| ((d * 7919 + i * 31) % 1009) as f32 * 0.1 + 1e7 / (1 + d) as f32;
    for count in [2usize, 4, 8] {
        each_team(count, LONG, |team| {
            let all: Vec<u32> = (0..count as u32).collect();
            let sum = operation(CollectiveKind::AllReduce, Some(Reducer::Add), &[&all]);
            for n in [1usize, 1000, 40_003] {
                let wanted: Vec<f32> =
                    (0..n).map(|i| (1..count).fold(start(0, i), |sum, d| sum + start(d, i))).collect();
                for _ in 0..5 {
                    for (d, found) in run_all(&team, &sum, (n, 1), start).into_iter().enumerate() {
                        assert!(found.unwrap() == wanted, "{count} devices, {n} numbers, device {d}");
                    }
                }
            }
        });
    }
}

/// Long broadcasts of a size that no number of devices divides.
#[test]
fn long_broadcasts_reach_all() {
    let start: fn(usize, usize) -> f32 = |d, i| ((d * 131 + i) % 65_521) as f32;
    let n = (5 << 20) / 4 + 1;
    for (count, group) in [(3usize, &[2u32, 0, 1][..]), (4, &[1, 3, 0, 2]), (4, &[3, 0, 1])] {
        each_team(count, LONG, |team| {
            let operation = operation(CollectiveKind::Broadcast, None, &[group]);
            let root = group[0] as usize;
            for (d, found) in run_all(&team, &operation, (n, 2), start).into_iter().enumerate() {
                let is_in = group.contains(&(d as u32));
                let wanted = |i: usize| if is_in { start(root, i) } else { 0.0 };
                let wrong = found.unwrap().iter().enumerate().find(|&(i, &value)| value != wanted(i)).map(|(i, _)| i);
                assert_eq!(wrong, None, "device {d} of {group:?}");
            }
        });
    }
}

/// How a device ends its part.
type End = fn(Collective);

/// Seconds that a sum takes with devices that were just opened, those of the slowest driver.
fn first_sum(sum: &Operation) -> Duration {
    let slowest = std::sync::Mutex::new(Duration::ZERO);
    each_team(3, LONG, |team| {
        let began = Instant::now();
        run_all(&team, sum, (4, 1), |_, _| 1.0).into_iter().for_each(|found| assert_eq!(found.unwrap(), [3.0; 4]));
        let mut slowest = slowest.lock().unwrap();
        *slowest = began.elapsed().max(*slowest);
    });
    slowest.into_inner().unwrap()
}

/// Who waits for a device that never comes has to be there in time itself, first calls and all: so its patience is
/// several times what these take here.
#[test]
fn a_device_that_fails_leaves_or_does_not_come_ends_the_others() {
    let sum = operation(CollectiveKind::AllReduce, Some(Reducer::Add), &[&[0, 1, 2]]);
    let patience = Duration::from_millis(300).max(5 * first_sum(&sum));
    let cases: [(&str, End, Duration); 3] = [
        ("device 1 failed: out of ideas", |with| with.fail("out of ideas"), LONG),
        ("device 1 is done", drop, LONG),
        ("no sign of device(s) [1]", std::mem::forget, patience),
    ];
    for (words, end, timeout) in cases {
        each_team(3, timeout, |team| {
            let began = Instant::now();
            std::thread::scope(|scope| {
                for (d, (device, with)) in team.into_iter().enumerate() {
                    let sum = &sum;
                    scope.spawn(move || {
                        if d == 1 {
                            std::thread::sleep(Duration::from_millis(30));
                            return end(with);
                        }
                        let one = [(device, with)];
                        let error = run_all(&one, sum, (4, 1), |_, _| 1.0).remove(0).unwrap_err();
                        assert!(error.kind() == HalErrorKind::Peer && error.to_string().contains(words), "{error}");
                    });
                }
            });
            assert!(began.elapsed() < Duration::from_secs(20) + 2 * patience);
        });
    }
}

#[test]
fn devices_at_different_collectives_are_told_so() {
    each_team(2, LONG, |team| {
        let add = operation(CollectiveKind::AllReduce, Some(Reducer::Add), &[&[0, 1]]);
        let multiply = operation(CollectiveKind::AllReduce, Some(Reducer::Multiply), &[&[0, 1]]);
        let errors: Vec<String> = std::thread::scope(|scope| {
            let both = [(&team[0], &add), (&team[1], &multiply)];
            let threads = both.map(|(one, operation)| {
                let one = one.clone();
                scope.spawn(move || run_all(&[one], operation, (4, 1), |_, _| 1.0).remove(0).unwrap_err().to_string())
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(errors.iter().all(|error| error.contains("while device")), "{errors:?}");
    });
}

#[test]
fn a_collective_is_checked_when_it_is_recorded() {
    each_team(2, LONG, |team| {
        let (device, with) = &team[0];
        let buffer = device.allocate(256, Place::Device).unwrap();
        let record = |operation: Operation, source: (u64, u64), target: (u64, u64), with: &Collective| {
            let [source, target] = [source, target].map(|(at, bytes)| buffer.slice(at, bytes));
            let command = Command::Collective { with: with.clone(), operation: Arc::new(operation), source, target };
            device.record(&[command]).map(|_| ()).map_err(|error| error.kind())
        };
        let sum = |groups: &[&[u32]]| operation(CollectiveKind::AllReduce, Some(Reducer::Add), groups);
        let both: &[&[u32]] = &[&[0, 1]];
        assert_eq!(record(sum(both), (0, 16), (64, 16), with), Ok(()));
        let wrong = Err(HalErrorKind::InvalidArgument);
        assert_eq!(record(sum(both), (0, 16), (64, 32), with), wrong, "lengths");
        assert_eq!(record(sum(both), (0, 16), (8, 16), with), wrong, "overlap");
        assert_eq!(record(sum(both), (0, 16), (68, 16), with), wrong, "alignment");
        assert_eq!(record(sum(&[&[0]]), (0, 16), (64, 16), with), wrong, "not all devices");
        assert_eq!(record(sum(&[&[0, 2]]), (0, 16), (64, 16), with), wrong, "a device that is not there");
        assert_eq!(record(sum(both), (0, 16), (64, 16), &team[1].1), wrong, "another device's place");
        let half = Operation { element: ElementType::Bf16, ..operation(CollectiveKind::AllToAll, None, both) };
        assert_eq!(record(half, (0, 3), (64, 3), with), wrong, "half an element");
    });
}
