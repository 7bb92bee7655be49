//! Every reason for which fusion does not join two ops. Codes are stable.

#[rustfmt::skip]
fornax_types::reasons! {
    // Why a value is stored, whoever reads it.
    IN_MEMORY           "FUSE01" "it must be in memory: the function returns it, or a loop, a branch, an attention or \
                                  the host reads it"
    HERO_ONCE           "FUSE02" "a reduction, product, sort or scatter is computed once, by the kernel that stores it"
    RESHAPES            "FUSE03" "{0} reshapes lie between it and the kernel's elements, and {1} are followed"
    INDEX_MAPS          "FUSE04" "the kernel would evaluate it through {0} different index maps, and may through {1}"
    OPS_FULL            "FUSE05" "the kernel has {0} ops, and may have {1}"
    EVALUATIONS_FULL    "FUSE06" "the kernel evaluates ops {0} times through different index maps, and may {1} times"
    INPUTS_FULL         "FUSE07" "the kernel would read {0} buffers, and may read {1}"
    FOLLOWS_HERO        "FUSE08" "it follows from a reduction or product and has several readers: it is stored with \
                                  that, once"
    BEFORE_PRODUCT      "FUSE09" "a product reads its operands many times: only moves and conversions stand before it"
    PRODUCT_DIVIDES     "FUSE10" "a product's inner loop would divide to find its operand's elements"
    PRODUCT_NARROWED    "FUSE11" "a product reads its operands many times: what is made narrower is stored narrow"
    IMAGE_TRANSPOSED    "FUSE12" "a convolution would read an image of {0} elements with its channels apart, and may \
                                  up to {1}"
    RECOMPUTE           "FUSE13" "{0} evaluations for {1} elements, at {2} times the work of an addition, cost more \
                                  than a trip through memory"
    CARRIED             "FUSE14" "the reader may write a loop's value where it is: what it reads of other elements is \
                                  stored before"
    SUM_OF_PARTS        "FUSE15" "it adds up products of weights that lie packed: one kernel makes all of them, and \
                                  reads each byte once"
    CUT_OUT             "FUSE16" "it cuts the weights of a product out of rows with other data: they are stored next \
                                  to each other"
    EPILOGUE_STREAMS    "FUSE44" "the reader moves {0} bytes an element beside this product's result, and an epilogue \
                                  may move {1}"
    LOADED_AGAIN        "FUSE48" "each of {0} kernels would load {1} bytes an element that it is made of; it has {2}, \
                                  and one of them has it at hand"
    NARROWED_FOR_ROWS   "FUSE45" "a product's result becomes narrower here: its kernel stores it, for rows that take \
                                  no product"
    // Why a stored value is not stored by the kernel of its reader.
    NOT_ONE_TO_ONE      "FUSE20" "the reader's elements are not its elements one to one, nor its rows"
    READ_OFTEN          "FUSE21" "the reader reads it through {0} different index maps, not one"
    READER_IS_CONTROL   "FUSE22" "the reader is a loop or a branch, which reads memory"
    READER_IS_ATTENTION "FUSE23" "the reader is an attention, which reads its operands from memory"
    READER_UPDATES      "FUSE24" "the reader updates memory in place: nothing joins it"
    HERO_TAKEN          "FUSE25" "the reader's kernel has a reduction or product already, and not over the same rows"
    OUTPUTS_FULL        "FUSE26" "the kernel would store {0} results, and may store {1}"
    PRODUCT_STORES      "FUSE47" "it follows from a product, whose kernel stores it: the reader's kernel \
                                  reduces it"
    ONLY_FOLDED         "FUSE27" "what the reader stores sees it through a reduction only: no element has it at hand \
                                  to store it"
    CYCLE               "FUSE28" "the reader needs another kernel that needs this value"
    UPDATES_ALONE       "FUSE29" "a scatter that updates memory in place is a kernel of its own"
    ONE_NAME            "FUSE30" "no kernel computes it: it is another name of the same memory"
    STORED_ELSEWHERE    "FUSE31" "another kernel that reads it stores it, and this one reads it from there"
    ATTENTION           "FUSE32" "it is computed within an attention, which nothing else joins"
    // Why what nearly is an attention is none.
    SUM_DIFFERS         "FUSE33" "no attention: what is divided by is not the sum of the exponentials that are divided"
    MAXIMUM_DIFFERS     "FUSE34" "no attention: what is subtracted before the exponential is not the row's maximum of \
                                  the same scores"
    MASKS_DIFFER        "FUSE35" "no attention: weights are masked by other conditions than scores, or hidden scores \
                                  are above {0}"
    VISIBLE_MINUS_INF   "FUSE36" "no attention: weights of hidden rows are 0, and scores that are visible may be minus \
                                  infinity, which gives NaN"
    NO_SCORE_PRODUCT    "FUSE37" "no attention: the scores are not of one product by elementwise ops"
    READ_BETWEEN        "FUSE38" "no attention: something else reads what lies between its products"
    ATTENTION_TYPES     "FUSE39" "no attention: queries, keys, values and weights are of 16 bits or f32"
    ATTENTION_FULL      "FUSE40" "no attention: it would have {0} ops, and may have {1}"
    NO_ATTENTION_KERNEL "FUSE41" "it is of an attention for which the target has no kernel"
    NO_COMPUTED_KERNEL  "FUSE46" "it is of a product that would compute its weights, for which the target has no \
                                  kernel, or one that takes longer than storing them"
    NO_PRODUCTS_KERNEL  "FUSE42" "it is of several products for which the target has no kernel"
    SCORES_TAKEN        "FUSE43" "no attention: its scores are the result of another one"
    // Why kernels that do not depend on one another are launched apart.
    LAUNCH_SIZED        "BNDL01" "their workgroups depend on sizes known only at run time"
    LAUNCH_TENSOR_COPIES "BNDL02" "a kernel with tensor copies that is no product by warpgroups is launched alone"
    LAUNCH_OWN          "BNDL03" "fused loops, sorts and attention are launched alone"
    LAUNCH_LARGE        "BNDL04" "a kernel of {0} predicted cycles is launched alone, from {1} on: a launch is little \
                                  of that"
    LAUNCH_THREADS      "BNDL05" "one has {0} threads a workgroup, the other {1}"
    LAUNCH_CLUSTERS     "BNDL06" "one has clusters of {0} workgroups, the other of {1}"
    LAUNCH_GUARDS       "BNDL07" "a loop's flag lets one of them run, and not the other"
    LAUNCH_FULL         "BNDL08" "one launch would do {0} kernels with {1} nodes, and that is too much code"
    LAUNCH_BUFFERS      "BNDL09" "one launch would have {0} buffers, and may have {1}"
    LAUNCH_KINDS        "BNDL10" "they are of two kinds, and of {0} workgroups {1} run at once: the registers of one \
                                  would slow the other"
    LAUNCH_LONG         "BNDL11" "a thread of one reads {0} elements one after another, of the other {1}: what waits \
                                  for the shorter would wait for both"
    LAUNCH_ROUNDS       "BNDL12" "their workgroups fill the device {0} times in one launch, and as often in two"
    // Why a product of few rows does not do the small kernel before it, workgroup by workgroup.
    LEAD_KIND           "LEAD01" "only products of few rows do the kernel before them"
    LEAD_READ           "LEAD02" "something else reads what it makes"
    LEAD_ORDER          "LEAD03" "something between them, or one of them, writes what the other reads"
    LEAD_LARGE          "LEAD04" "it hands on {0} bytes, and may hand on {1}"
    LEAD_AGAIN          "LEAD05" "{0} workgroups would read {1} bytes each"
    LEAD_WORKGROUPS     "LEAD06" "it has no schedule of one workgroup of {0} threads"
    LEAD_BESIDE         "LEAD07" "the product begins without it, and reads it behind its first steps"
    RESULT_COPIED "COPY01" "a result that is an argument, a constant or another result is copied"
    UPDATED_KEPT "COPY02" "the value is updated, and read later or kept by the caller (`--donate` gives it away)"
    WRITTEN_WHOLE "COPY03" "a kernel writes all of a value of which a slice changes: the caller keeps it (`--donate`), \
                            or it is read later"
    LOOP_BEGINS "COPY04" "a loop carries the value in a buffer of its own"
    ROUND_SAVES "COPY05" "a loop gives the value back in another place than it had"
    ROUND_ENDS "COPY06" "a round of a loop makes the value in another buffer than the next one reads"
    ROWS_KNOWN "COPY07" "rows of {0} bytes do not begin where tensor copies want them, and cannot lie {1} bytes apart: \
                         the caller, a loop, a sort or an update knows them"
    PIECE_COPIED "COPY08" "pieces that devices sum lie one behind the other, and something else reads this one"
}
