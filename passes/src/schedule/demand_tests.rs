//! Demanded schedules, from models.

use fornax_plan::KernelPlan;
use fornax_targets::Target;

use super::Options;
use crate::errors::PassError;

const PRODUCT: &str = "func.func @main(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] \
      : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}";

fn planned(target: &str, demand: &str) -> Result<Vec<String>, PassError> {
    let graph = fornax_import::import_text(PRODUCT, "m.mlir", &Default::default()).unwrap();
    let fused = crate::fuse::fuse(&graph).unwrap();
    let schedule = Options { demand: Some(demand.into()), ..Options::default() };
    let options = crate::program::Options { schedule, ..Default::default() };
    let planned = crate::plan(&fused, &Target::from_spec(target).unwrap(), &options)?;
    Ok(planned.kernels.iter().map(KernelPlan::way).collect())
}

#[test]
fn families_by_name() {
    for (target, demand) in [
        ("cuda:sm_90a", "wgmma"),
        ("cuda:sm_90a", "mma"),
        ("cuda:sm_90a", "tile"),
        ("cuda:sm_80", "mma"),
        ("rocm:gfx942", "mma"),
        ("rocm:gfx942", "tile"),
        ("cpu:x86-64-v3", "panel"),
    ] {
        let ways = planned(target, demand).unwrap_or_else(|e| panic!("{demand} on {target}: {e}"));
        assert!(ways.iter().any(|way| way.starts_with(demand)), "{demand} on {target}: {ways:?}");
    }
}

#[test]
fn a_whole_name_is_that_way() {
    let ways = planned("cuda:sm_80", "mma").unwrap();
    let way = ways.iter().find(|way| way.starts_with("mma")).unwrap();
    assert!(planned("cuda:sm_80", way).unwrap().contains(way));
}

#[test]
fn what_is_not_there_says_what_was_tried() {
    let error = planned("cuda:sm_80", "wgmma").unwrap_err();
    assert_eq!(error.code(), "FX0320");
    let text = error.to_string();
    for part in ["m.mlir:2:", "NoScheduleFound", "`wgmma`", "of `mma` (up to", "101376 bytes", "--target=cpu"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn a_schedule_above_the_limits_says_which() {
    let demand = "mma m16n8k16.bf16 128x128x64 warps 2x4 stages 4";
    let text = planned("cuda:sm_80", demand).unwrap_err().to_string();
    assert!(text.contains("takes 131072 bytes of shared memory, 101376 are there"), "{text}");
    let ways = planned("cuda:sm_90a", demand).unwrap();
    assert!(matches!(ways.as_slice(), [way] if way.starts_with(demand)), "{ways:?}");
}
