//! Every reason for which fusion does not join two ops, and for which a kernel cannot have a schedule. Codes are stable.

use super::Reason;

macro_rules! reasons {
    ($($name:ident $code:literal $text:literal)*) => {
        $(pub const $name: &Reason = &Reason { code: $code, text: $text };)*
        /// All of them, by code.
        pub const REASONS: &[&Reason] = &[$($name),*];
    };
}

#[rustfmt::skip]
reasons! {
    // Why a value is stored, whoever reads it.
    IN_MEMORY           "FUSE01" "it must be in memory: the function returns it, or a loop, a branch, an attention or the host reads it"
    HERO_ONCE           "FUSE02" "a reduction, product, sort or scatter is computed once, by the kernel that stores it"
    RESHAPES            "FUSE03" "{0} reshapes lie between it and the kernel's elements, and {1} are followed"
    INDEX_MAPS          "FUSE04" "the kernel would evaluate it through {0} different index maps, and may through {1}"
    OPS_FULL            "FUSE05" "the kernel has {0} ops, and may have {1}"
    EVALUATIONS_FULL    "FUSE06" "the kernel evaluates ops {0} times through different index maps, and may {1} times"
    INPUTS_FULL         "FUSE07" "the kernel would read {0} buffers, and may read {1}"
    FOLLOWS_HERO        "FUSE08" "it follows from a reduction or product and has several readers: it is stored with that, once"
    BEFORE_PRODUCT      "FUSE09" "a product reads its operands many times: only moves and conversions stand before it"
    PRODUCT_DIVIDES     "FUSE10" "a product's inner loop would divide to find its operand's elements"
    PRODUCT_NARROWED    "FUSE11" "a product reads its operands many times: what is made narrower is stored narrow"
    IMAGE_TRANSPOSED    "FUSE12" "a convolution would read an image of {0} elements with its channels apart, and may up to {1}"
    RECOMPUTE           "FUSE13" "{0} evaluations for {1} elements, at {2} times the work of an addition, cost more than a trip through memory"
    CARRIED             "FUSE14" "the reader may write a loop's value where it is: what it reads of other elements is stored before"
    // Why a stored value is not stored by the kernel of its reader.
    NOT_ONE_TO_ONE      "FUSE20" "the reader's elements are not its elements one to one, nor its rows"
    READ_OFTEN          "FUSE21" "the reader reads it through {0} different index maps, not one"
    READER_IS_CONTROL   "FUSE22" "the reader is a loop or a branch, which reads memory"
    READER_IS_ATTENTION "FUSE23" "the reader is an attention, which reads its operands from memory"
    READER_UPDATES      "FUSE24" "the reader updates memory in place: nothing joins it"
    HERO_TAKEN          "FUSE25" "the reader's kernel has a reduction or product already, and not over the same rows"
    OUTPUTS_FULL        "FUSE26" "the kernel would store {0} results, and may store {1}"
    ONLY_FOLDED         "FUSE27" "what the reader stores sees it through a reduction only: no element has it at hand to store it"
    CYCLE               "FUSE28" "the reader needs another kernel that needs this value"
    UPDATES_ALONE       "FUSE29" "a scatter that updates memory in place is a kernel of its own"
    ONE_NAME            "FUSE30" "no kernel computes it: it is another name of the same memory"
    STORED_ELSEWHERE    "FUSE31" "another kernel that reads it stores it, and this one reads it from there"
    ATTENTION           "FUSE32" "it is computed within an attention, which nothing else joins"
    // Why a kernel has not a kind of schedule.
    NEEDS_GPU           "SCHED01" "only GPUs have such kernels"
    NO_PRODUCT          "SCHED02" "the kernel is no product of two operands, summed up"
    NO_WGMMA            "SCHED03" "the target has no warpgroup matrix instructions fed by tensor copies (sm_90a has)"
    NO_WGMMA_TYPES      "SCHED04" "no warpgroup instruction takes these element types with the accuracy that is asked for"
    SIZE_OF_ONE         "SCHED05" "a size known only at run time may be no more than 1"
    NO_TENSOR_COPY      "SCHED06" "tensor copies cannot fetch both operands from where they lie"
    NO_TILE             "SCHED07" "no tile fits the target"
    COPY_DEARER         "SCHED08" "an operand would go through registers: at {0} cycles that gains too little over the warps' matrix instructions"
    MANY_OUTPUTS        "SCHED09" "the shorter side has {0} outputs, and may have {1}"
    OPERAND_COMPUTED    "SCHED10" "the long operand is computed or masked, not plainly loaded"
    OPERAND_APART       "SCHED11" "neighbouring elements of the long operand lie apart in memory"
    READS_BESIDE        "SCHED12" "something else is read for every element of the long operand"
    FEW_STEPS           "SCHED13" "{0} bytes along the steps are too few, {1} are enough"
    NO_MATRIX           "SCHED20" "matrix instructions cannot be used"
    STORES_APART        "SCHED30" "neighbouring stores lie apart in memory"
    NONE_CROSSING       "SCHED31" "no load runs across the stores: nothing is transposed"
    MOSTLY_STRAIGHT     "SCHED32" "{0} loads run along the stores, and {1} across"
    SMALL_TRANSPOSE     "SCHED33" "{0} by {1} elements are too few"
    SHARED_FULL         "SCHED34" "its rectangle takes {0} bytes of shared memory, and may take {1}"
    IN_ORDER            "SCHED40" "the order of folding must be kept"
    SHORT_ROWS          "SCHED41" "{0} elements are no row, {1} are"
    ROWS_MASKED         "SCHED42" "rows are read with masks, or not at all"
    NO_PANELS           "SCHED44" "only processors have panels, and only for products whose sums are f32, f64 or i32 and whose columns are known"
    NO_COPIES           "SCHED45" "copies of its operands, made before, do not pay or cannot be fetched either"
    STREAM_DEARER       "SCHED46" "cut so that all units have equal work it takes {0} cycles, whole {1}: that gains too little"
    STREAM_SHORT        "SCHED47" "{0} cycles are too few to be cut, or no cut gives units equal work"
    NO_WINDOW           "SCHED43" "no window slides over an operand so that outputs could share what they read"
}
