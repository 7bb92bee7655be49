//! Every reason for which a kernel cannot have a schedule. Codes are stable.

pub use fornax_types::reasons::Because;

/// Why a plan cannot have a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Row(Because),
    /// Of matrix instructions, in their own words.
    Matrix(String),
}

impl From<Because> for Refusal {
    fn from(because: Because) -> Refusal {
        Refusal::Row(because)
    }
}

#[rustfmt::skip]
fornax_types::reasons! {
    // Why a kernel has not a kind of schedule.
    NEEDS_GPU           "SCHED01" "only GPUs have such kernels"
    NO_PRODUCT          "SCHED02" "the kernel is no product of two operands, summed up"
    NO_WGMMA            "SCHED03" "the target has no warpgroup matrix instructions fed by tensor copies (sm_90a has)"
    NO_WGMMA_TYPES      "SCHED04" "no warpgroup instruction takes these element types with the accuracy that is asked \
                                   for"
    SIZE_OF_ONE         "SCHED05" "a size known only at run time may be no more than 1"
    NO_TENSOR_COPY      "SCHED06" "tensor copies cannot fetch both operands from where they lie"
    NO_TILE             "SCHED07" "no tile fits the target"
    COPY_DEARER         "SCHED08" "an operand would go through registers: at {0} cycles that gains too little over the \
                                   warps' matrix instructions"
    MANY_OUTPUTS        "SCHED09" "the shorter side has {0} outputs, and may have {1}"
    OPERAND_COMPUTED    "SCHED10" "the long operand is computed or masked, not plainly loaded"
    OPERAND_APART       "SCHED11" "neighbouring elements of the long operand lie apart in memory"
    READS_BESIDE        "SCHED12" "something else is read for every element of the long operand"
    FEW_STEPS           "SCHED13" "{0} bytes along the steps are too few, {1} are enough"
    PRODUCTS_APART      "SCHED14" "its products do not have the same rows, columns and kind of loads"
    NEEDS_CPU           "SCHED15" "only processors have such kernels"
    OPERAND_PLAIN       "SCHED16" "the long operand is not computed from bytes that lanes share numbers with"
    SHORT_COMPUTED      "SCHED17" "the short operand is computed, and would be again for every tile"
    NO_MATRIX           "SCHED20" "matrix instructions cannot be used"
    STORES_APART        "SCHED30" "neighbouring stores lie apart in memory"
    NONE_CROSSING       "SCHED31" "no load runs across the stores: nothing is transposed"
    MOSTLY_STRAIGHT     "SCHED32" "{0} loads run along the stores, and {1} across"
    SMALL_TRANSPOSE     "SCHED33" "{0} by {1} elements are too few"
    SHARED_FULL         "SCHED34" "its rectangle takes {0} bytes of shared memory, and may take {1}"
    IN_ORDER            "SCHED40" "the order of folding must be kept"
    SHORT_ROWS          "SCHED41" "{0} elements are no row, {1} are"
    ROWS_MASKED         "SCHED42" "rows are read with masks, or not at all"
    NO_PANELS           "SCHED44" "only processors have panels, and only for products whose sums are f32, f64 or i32 \
                                   and whose columns are known"
    NO_COPIES           "SCHED45" "copies of its operands, made before, do not pay or cannot be fetched either"
    STREAM_DEARER       "SCHED46" "cut so that all units have equal work it takes {0} cycles, whole {1}: that gains \
                                   too little"
    STREAM_SHORT        "SCHED47" "{0} cycles are too few to be cut, or no cut gives units equal work"
    NO_WINDOW           "SCHED43" "no window slides over an operand so that outputs could share what they read"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_each_of_one_reason_and_figures_are_shown() {
        let mut codes: Vec<&str> = REASONS.iter().map(|reason| reason.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), REASONS.len());
        for reason in REASONS {
            let text = reason.of([7, 8, 9]).to_string();
            assert!(!text.contains('{') && !text.ends_with('.'), "{text}");
        }
    }
}
