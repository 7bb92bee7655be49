//! Every promise with the tests that keep it. `docs/measured/seeds.md` is printed from this table.

/// One promise.
pub struct Row {
    /// Number of the document and of the promise in it.
    pub id: &'static str,
    /// What a user of such a tool expects.
    pub promise: &'static str,
    pub kept: Kept,
}

pub enum Kept {
    /// `file: function` of each test that runs it.
    By(&'static [&'static str]),
    /// Not kept yet, and why.
    Open(&'static str),
}

use Kept::{By, Open};

/// The documents, by the first part of the ids.
pub const DOCUMENTS: &[(&str, &str)] = &[
    ("S1", "GPU acceleration of a compiler with a Python front"),
    ("S2", "deployment on CUDA, newer flags"),
    ("S3", "GPU overview of a Rust inference library"),
    ("S4", "moving sin(2x + 1) to a GPU"),
    ("S5", "deployment on CUDA and ROCm, older flags"),
    ("C", "where the documents contradict each other"),
];

const fn row(id: &'static str, promise: &'static str, kept: Kept) -> Row {
    Row { id, promise, kept }
}

#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    row("S1.1", "a module for a GPU is an error where that GPU is missing: exit code 3, the driver, what is needed, \
                 what is here; `--fallback=cpu` runs it and says so", By(&[
        "tests/cli/devices.rs: a_missing_device_is_an_error_that_says_what_is_needed_and_what_is_here",
        "tests/cli/devices.rs: the_processor_stands_in_only_where_that_is_asked_for",
    ])),
    row("S1.2", "a table says which ops, types and targets are supported; data frames are not", By(&[
        "tests/cli/seeds/lines.rs: the_support_matrix_is_a_page",
    ])),
    row("S1.3", "a search for a schedule that fails has a name and says the limits tried and the way out \
                 (`NoScheduleFound`, `--schedule=`)", By(&[
        "tests/cli/compatible.rs: the_demanded_schedule_or_none",
        "passes/src/schedule/demand_tests.rs: a_schedule_above_the_limits_says_which",
    ])),
    row("S1.4", "`bench --device=cuda,cpu` prints both times and their ratio, and why the GPU loses if it does", By(&[
        "tests/cli/bench.rs: a_gpu_and_the_processor_in_one_run",
    ])),
    row("S1.5", "`fornax --version` lists the backends of the build", By(&[
        "tests/cli/devices.rs: the_version_lists_what_is_built_in",
    ])),
    row("S1.6", "`check_gpu_enabled()` and `check_gpu_available()` are two questions; `doctor` prints `GPU enabled: ` \
                 and `GPU available: `", By(&[
        "tests/cli/devices.rs: doctor_and_list_drivers_tell_the_truth",
        "runtime/src/backends/gpu.rs: enabled_is_a_question_to_the_build",
    ])),
    row("S1.7", "`compile --device=cuda`; quantised models import", By(&[
        "tests/cli/seeds/lines.rs: a_device_to_compile_for_and_a_quantised_model",
    ])),
    row("S1.8", "inference on encrypted data", Open("not begun")),

    row("S2.1", "`doctor` shows the driver's version and says that no toolkit is needed", By(&[
        "tests/cli/seeds/lines.rs: a_driver_is_enough",
    ])),
    row("S2.2", "`list-drivers` and `run-module --list_drivers` have the known layout", By(&[
        "tests/cli/commands.rs: list_drivers_has_the_known_layout",
    ])),
    row("S2.3", "`run-module --list_devices` prints one URI a line, `cuda://GPU-…`, `local-sync://`, \
                 `local-task://`", By(&[
        "tests/cli/seeds/lines.rs: devices_one_uri_a_line",
    ])),
    row("S2.4", "devices are `cuda`, `cuda:0`, `cuda://0`, `cuda://GPU-…`, `cuda:0-3`, `rocm`, `hip`, `cpu`, \
                 `local-task`", By(&[
        "runtime/src/registry.rs: device_names",
        "tests/cli/devices.rs: a_range_means_one_of_its_devices",
    ])),
    row("S2.5", "`iree-compile --iree-hal-target-backends=cuda --iree-cuda-target=… mobilenet_iree_input.mlir -o \
                 mobilenet_cuda.vmfb`, several backends in one module", By(&[
        "tests/cli/seeds/lines.rs: the_line_of_the_cuda_page",
        "tests/cli/compile.rs: one_module_holds_many_targets",
    ])),
    row("S2.6", "without an architecture the default is `sm_60`, named with a warning", By(&[
        "tests/cli/compile.rs: defaults_are_named_with_a_warning",
    ])),
    row("S2.7", "P100 to RTX40 resolve by product, code name and `sm_`", By(&[
        "targets/tests/names.rs: the_seed_tables_hold_in_all_columns",
        "tests/cli/compile.rs: every_cuda_row_compiles_the_probes",
    ])),
    row("S2.8", "all three schemes of names in any case; a wrong one is answered with the nearest", By(&[
        "targets/tests/names.rs: every_collected_name_resolves_and_survives_its_text_form",
        "targets/tests/names.rs: mutated_names_never_panic",
        "targets/tests/names.rs: a_wrong_name_is_answered_with_the_nearest",
    ])),
    row("S2.9", "product names become canonical: modules record `sm_80`; `compile --print-target`", By(&[
        "tests/cli/seeds/lines.rs: products_become_canonical",
    ])),
    row("S2.10", "`iree-run-module --device=cuda --module=mobilenet_cuda.vmfb --function=predict \
                  --input=\"1x224x224x3xf32=0\"`; another name where the module has one function", By(&[
        "tests/cli/seeds/lines.rs: the_line_of_the_cuda_page",
        "tests/cli/devices.rs: the_only_function_is_called_whatever_it_is_called",
    ])),
    row("S2.11", "forms of inputs: numbers, lists, one value that fills, files", By(&[
        "runtime/src/tensor/parse.rs: the_forms_of_the_grammar",
        "runtime/src/tensor/roundtrip.rs: print_then_parse_is_the_identity",
        "tests/cli/types.rs: literals_printing_and_files_of_every_type",
    ])),
    row("S2.12", "`EXEC @predict`, `result[0]: hal.buffer_view` under the name iree-run-module", By(&[
        "tests/cli/compatible.rs: results_have_the_layout_of_the_name_called",
    ])),
    row("S2.13", "`--expected_output`, `--output=@y.npy`, `+y.npy`, `-`, `--output_max_element_count`, tolerances by \
                  type", By(&[
        "tests/cli/seeds/lines.rs: outputs_are_written_compared_and_cut",
        "runtime/src/tensor/compare.rs: tolerances_by_type",
    ])),
    row("S2.14", "backends are build switches; `--iree-hal-list-target-backends`", By(&[
        "tests/cli/seeds/lines.rs: backends_are_features",
    ])),
    row("S2.15", "every flag has its line of help; the flags of others stand in one block", By(&[
        "tests/cli/compatible.rs: help_has_examples_and_the_flags_of_others",
    ])),

    row("S3.1", "how much faster is said only with a number, its device and its date", By(&[
        "tests/cli/seeds/lines.rs: speed_has_a_device_and_a_date",
    ])),
    row("S3.2", "matmul, rmsnorm, softmax, silu, rope and attention on every backend", By(&[
        "tests/cli/seeds/lines.rs: six_kernels_on_every_backend",
        "tests/cli/numeric.rs: goldens_on_the_cpu",
        "passes/tests/machine/emulated_models.rs: models_and_cases_in_the_emulator",
    ])),
    row("S3.3", "one `to_device` and `to_host` for tensors of any rank, type and size", By(&[
        "tests/backends/main.rs: tensors_go_to_every_device_and_back",
    ])),
    row("S3.4", "`cargo build --release --features \"cuda,simd,parallel\"`, and so for rocm and opencl", By(&[
        "tests/cli/seeds/lines.rs: backends_are_features",
    ])),
    row("S3.5", "`init_backend(BackendPreference::Auto)?.name()`", By(&[
        "tests/backends/main.rs: auto_takes_the_first_that_is_there_and_others_never_fall_back",
    ])),
    row("S3.6", "Auto: CUDA, ROCm, Metal, OpenCL, CPU", By(&[
        "tests/backends/main.rs: auto_takes_the_first_that_is_there_and_others_never_fall_back",
        "tests/cli/devices.rs: auto_takes_the_first_device_that_the_module_has_an_image_for",
    ])),
    row("S3.7", "an explicit preference never falls back", By(&[
        "tests/backends/main.rs: auto_takes_the_first_that_is_there_and_others_never_fall_back",
    ])),
    row("S3.8", "`discover_backends()`, `print_backend_summary()` in the known form, also `doctor --backends`", By(&[
        "tests/backends/main.rs: the_summary_has_the_known_form",
        "tests/cli/devices.rs: doctor_and_list_drivers_tell_the_truth",
    ])),
    row("S3.9", "the reason why a backend is absent: `CUDA feature not enabled at compile time` and its kin", By(&[
        "runtime/src/registry.rs: reasons_of_builds_without_a_driver",
        "tests/backends/main.rs: the_summary_has_the_known_form",
    ])),
    row("S3.10", "`estimate_inference_memory(4096, 14336, 32, 32000, 32, 8, 4096, 4)` is 27.98 GB", By(&[
        "runtime/src/backends/memory.rs: mistral_7b_in_f32",
    ])),
    row("S3.11", "`init_backend_with_memory_check`: the first device with room, or the known words", By(&[
        "tests/backends/main.rs: the_device_that_has_the_memory_is_taken",
        "runtime/src/backends/memory.rs: what_does_not_fit_is_refused_in_the_known_words",
    ])),
    row("S3.12", "a decoder's tokens a second, of prompt and of generation apart", By(&[
        "tests/cli/seeds/lines.rs: tokens_a_second_of_prompt_and_of_generation",
    ])),
    row("S3.13", "no BLAS and no run-time compiler is loaded", By(&[
        "tests/cli/seeds/lines.rs: no_library_of_a_vendor_is_needed",
    ])),
    row("S3.14", "devices below compute capability 5.0 are refused when running, with both numbers", By(&[
        "tests/cli/seeds/lines.rs: old_cards_are_compiled_for_and_refused",
    ])),
    row("S3.15", "Metal", Open("features and preferences know its name and say that no build runs on it")),

    row("S4.1", "sin(2x + 1) of 4000x4000 is one kernel with 16-byte accesses", By(&[
        "tests/cli/compile.rs: sine_of_an_affine_is_one_kernel_with_wide_accesses",
    ])),
    row("S4.2", "`CPU Time: … seconds`, `GPU Time: … seconds`", By(&[
        "tests/cli/bench.rs: a_gpu_and_the_processor_in_one_run",
    ])),
    row("S4.3", "transfers are explicit and timed apart", By(&[
        "tests/cli/bench.rs: one_device_with_inputs_that_bench_makes",
        "tests/backends/main.rs: tensors_go_to_every_device_and_back",
    ])),
    row("S4.4", "clocks stop after the device has finished, and the page says why", By(&[
        "runtime/src/session/tests.rs: clocks_of_bench_stop_after_the_wait",
        "tests/cli/pages.rs: measuring",
    ])),
    row("S4.5", "any shape: 4001x3999, 1x1, 0xn", By(&["tests/cli/seeds/lines.rs: the_sine_of_any_shape"])),
    row("S4.6", "sine within its documented bound, large arguments and f64 too", By(&[
        "crates/backend/tests/llvm/emit_math.rs: every_function_is_within_its_bound_of_the_table",
        "crates/backend/tests/llvm/emit_math.rs: f32_functions_are_within_their_bounds_over_the_whole_range",
    ])),
    row("S4.7", "random inputs are made by name, the same on every device", By(&[
        "runtime/src/tensor/generate.rs: the_rule_gives_these_numbers",
        "tests/cli/seeds/lines.rs: the_sine_of_any_shape",
    ])),
    row("S4.8", "both devices are measured in one run", By(&[
        "tests/cli/bench.rs: a_gpu_and_the_processor_in_one_run",
    ])),

    row("S5.1", "PTX for CUDA, hsaco for ROCm, from one pipeline", By(&[
        "tests/cli/compile.rs: one_module_holds_many_targets",
    ])),
    row("S5.2", "command buffers: direct, stream, graph on CUDA; direct on ROCm; `--cuda_use_streams`", By(&[
        "tests/faults/command_buffers.rs: kinds_of_command_buffers_make_other_calls",
        "tests/rocm/commands.rs: command_buffers_of_rocm_are_direct",
        "tests/cli/seeds/lines.rs: flags_of_streams_are_taken",
    ])),
    row("S5.3", "`doctor` shows ROCm's library, version, devices", By(&[
        "tests/cli/devices.rs: doctor_and_list_drivers_tell_the_truth",
    ])),
    row("S5.4", "`--iree-hal-cuda-llvm-target-arch=`", By(&["tests/cli/compatible.rs: flags_of_older_pages"])),
    row("S5.5", "K80 to A100 resolve", By(&[
        "targets/tests/names.rs: the_seed_tables_hold_in_all_columns",
        "tests/cli/compile.rs: every_cuda_row_gives_ptx_for_its_architecture",
    ])),
    row("S5.6", "`--iree-hal-target-backends=rocm --iree-rocm-target-chip=… --iree-rocm-link-bc=true \
                 --iree-rocm-bc-dir=…`", By(&[
        "tests/cli/seeds/lines.rs: the_line_of_the_rocm_page",
        "tests/rocm/device_library.rs: functions_of_the_library_are_called_and_linked",
    ])),
    row("S5.7", "the default chip is `gfx908`", By(&["tests/cli/compile.rs: defaults_are_named_with_a_warning"])),
    row("S5.8", "AMD's bitcode is not needed; where it is asked for and missing, the file and the folder are \
                 named", By(&[
        "tests/cli/compatible.rs: flags_of_older_pages",
        "tests/rocm/device_library.rs: a_library_that_is_missing_or_lacks_something_is_an_error",
    ])),
    row("S5.9", "MI25 to MI100 resolve by product and chip", By(&[
        "tests/cli/compile.rs: every_rocm_row_gives_an_hsaco_that_llvm_reads",
        "tests/rocm/goldens.rs: goldens_on_four_chips",
    ])),
    row("S5.10", "`iree-run-module --device=rocm --module=mobilenet_rocm.vmfb --function=predict \
                  --input=\"1x224x224x3xf32=0\"`", By(&[
        "tests/cli/seeds/lines.rs: the_line_of_the_rocm_page",
    ])),
    row("S5.11", "a page says how to install", By(&["tests/cli/install.rs: the_demo_runs_as_installed"])),
    row("S5.12", "ROCm needs no kit, neither to build nor to start", By(&[
        "tests/cli/seeds/lines.rs: no_library_of_a_vendor_is_needed",
    ])),

    row("C1", "`sm_60` by default, with the old flag's name too", By(&[
        "tests/cli/compatible.rs: flags_of_older_pages",
    ])),
    row("C2", "K80 is compiled for with a warning; a device of 3.7 is refused", By(&[
        "tests/cli/seeds/lines.rs: old_cards_are_compiled_for_and_refused",
    ])),
    row("C3", "ROCm is direct: `stream` maps to it, `graph` is an error", By(&[
        "tests/rocm/commands.rs: command_buffers_of_rocm_are_direct",
    ])),
    row("C4", "only `auto` falls through a list of devices", By(&[
        "tests/cli/devices.rs: auto_takes_the_first_device_that_the_module_has_an_image_for",
    ])),
    row("C5", "`ampere` is sm_80, `rtx3090` is sm_86", By(&[
        "targets/tests/names.rs: the_spellings_people_use_resolve",
    ])),
    row("C6", "ptxas adds a cubin where it is found and is never needed", By(&[
        "crates/backend/tests/llvm/nvptx.rs: a_demanded_cubin_without_ptxas_is_an_error",
        "tests/cli/seeds/lines.rs: the_line_of_the_cuda_page",
    ])),
    row("C7", "`_` and `-` are equal in flags", By(&[
        "crates/cli/src/compat.rs: underscores_are_dashes_in_names_not_in_values",
    ])),
    row("C8", "`hip` is `rocm`", By(&["runtime/src/registry.rs: device_names"])),
    row("C9", "`--target=cuda,cpu` is `--target-backends=cuda,cpu`", By(&[
        "tests/cli/compatible.rs: targets_in_a_list",
    ])),
    row("C10", "`local-sync://` and `local-task://` under iree-run-module, `cpu://` in `list-devices`", By(&[
        "tests/cli/commands.rs: list_devices_prints_uris_only",
    ])),
];
