//! The text of every kernel, through NVIDIA's assembler where one is in PATH.

use std::process::Command;

use fornax_module::collective::{Reducer, combines};
use fornax_types::ElementType;

use super::ptx::{Kernel, Way, Work, pad_bytes};

fn kernels(ranks: u32) -> Vec<Kernel> {
    let mut works: Vec<Work> = [1, 2, 4, 8, 16].map(Work::Gather).to_vec();
    for element in ElementType::all().filter(|element| combines(*element) && element.is_kernel_type()) {
        // Floats have no bits to combine.
        let bits = [Reducer::And, Reducer::Or];
        let reducers = Reducer::ALL.iter().filter(|by| !element.is_float() || !bits.contains(by));
        works.extend(reducers.map(|by| Work::Combine(element, *by)));
    }
    let ways = [Way::Push { parts: false }, Way::Push { parts: true }, Way::Pull { sources: ranks as usize }];
    let ways = ways.into_iter().chain([Way::Pull { sources: 1 }, Way::Pull { sources: 0 }]);
    let all = ways.flat_map(|way| works.iter().map(move |work| (way, *work)));
    let group: Box<[u32]> = (0..ranks).rev().collect();
    let kernel = |(way, work)| Kernel { work, group: group.clone(), rank: ranks as usize / 2, way };
    let sums = |way, work| matches!(work, Work::Combine(..)) && matches!(way, Way::Pull { sources } if sources < 2);
    all.filter(|(way, work)| !sums(*way, *work)).map(kernel).collect()
}

#[test]
fn every_kernel_has_a_text() {
    for ranks in [2, 3, 8, 16] {
        for kernel in kernels(ranks) {
            let text = kernel.text().unwrap_or_else(|| panic!("{kernel:?}"));
            assert!(text.ends_with("}\n\0") && text.is_ascii(), "{kernel:?}");
            assert_eq!(text.matches('{').count(), text.matches('}').count(), "{kernel:?}");
        }
    }
    let small = Work::Combine(ElementType::F8E4M3FN, Reducer::Add);
    let kernel = Kernel { work: small, group: Box::new([0, 1]), rank: 0, way: Way::Push { parts: false } };
    assert_eq!(kernel.text(), None);
    assert_eq!(pad_bytes(2), 16384 + 2 * 2 * 2048 * 1024);
}

#[test]
fn the_assembler_takes_them() {
    if Command::new("ptxas").arg("--version").output().is_err() {
        println!("skipped: no ptxas in PATH");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // One file: the assembler starts slowly. Every kernel of two devices, and the widest of many.
    let mut kernels = kernels(2);
    let sum = Work::Combine(ElementType::Bf16, Reducer::Add);
    let way = Way::Pull { sources: 8 };
    kernels.push(Kernel { work: sum, group: (0..8).collect(), rank: 7, way });
    let head = kernels[0].text().unwrap().split(".visible").next().unwrap().to_string();
    let bodies = kernels.iter().enumerate().map(|(at, kernel)| {
        let text = kernel.text().unwrap();
        let body = text.split_once(".visible").unwrap().1.trim_end_matches('\0');
        format!(".visible{}", body.replacen("exchange(", &format!("exchange{at}("), 1))
    });
    let text = std::iter::once(head).chain(bodies).collect::<Vec<_>>().join("\n");
    let file = folder.path().join("all.ptx");
    std::fs::write(&file, text).unwrap();
    let flags = ["-arch=sm_90", "-v", "-o", "/dev/null"];
    let run = Command::new("ptxas").args(flags).arg(&file).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert!(said.contains("Used "), "{said}");
    let spills = said.lines().filter(|line| line.contains("spill stores") && !line.contains(" 0 bytes spill stores"));
    assert_eq!(spills.count(), 0, "{said}");
}
