//! Examples behind the help of each command. Tests parse every line.

/// A command line, and what it does.
pub type Example = (&'static str, &'static str);

/// Path of a command (empty for `fornax` itself), its examples.
#[rustfmt::skip]
pub const EXAMPLES: &[(&str, &[Example])] = &[
    ("", &[
        ("fornax compile model.mlir --target=cuda:a100,cpu -o model.fnx",
         "compile a model for an A100 and for processors into one module"),
        ("fornax run-module --module=model.fnx --device=cuda --input=@x.npy", "run it"),
        ("fornax doctor", "what of this machine can run modules"),
    ]),
    ("compile", &[
        ("fornax compile model.mlir", "for x86-64 with AVX2, and an image for AVX-512; writes model.fnx"),
        ("fornax compile model.mlir --target=cuda:a100,rocm:mi300x,cpu -o model.fnx",
         "one module for three kinds of device"),
        ("fornax compile model.mlir --target=cuda:native", "for the GPU of this machine"),
        ("fornax compile model.mlir --weights=1..",
         "arguments from 1 on are weights: what depends on them alone is prepared once, at load"),
        ("fornax compile model.mlir --parameters-from=args.json",
         "weights stay outside: give them with run-module --parameters=FILE"),
        ("fornax compile SmolLM2-135M-Instruct.Q4_1.gguf -o smollm.fnx", "a language model of its checkpoint"),
        ("fornax compile model.mlir --compile-to=fuse", "print the model after fusion"),
        ("fornax compile model.mlir --print-ir-after-change", "print it after each pass that changed it"),
        ("cat model.mlir | fornax compile - -o model.fnx", "from a pipe"),
        ("fornax compile --iree-hal-target-backends=cuda --iree-cuda-target=sm_80 model.mlir -o model.vmfb",
         "flags of iree-compile work too"),
    ]),
    ("import", &[
        ("fornax import --emit-mlir SmolLM2-135M-Instruct.Q4_1.gguf", "a checkpoint as StableHLO"),
    ]),
    ("generate", &[
        ("fornax generate --module=smollm.fnx --parameters=SmolLM2.gguf --prompt='Why is the sky blue?'",
         "answer a question"),
        ("fornax generate --module=smollm.fnx --parameters=SmolLM2.gguf --raw --prompt='The sky is' \
--temperature=0.7 --top-p=0.9 --seed=1 --format=json", "continue a text; one JSON object"),
    ]),
    ("chat", &[
        ("fornax chat --module=smollm.fnx --parameters=SmolLM2.gguf --system='Be brief.' --temperature=0.7",
         "talk with it"),
        ("cat questions.txt | fornax chat --module=smollm.fnx --parameters=SmolLM2.gguf",
         "one conversation, a message a line"),
    ]),
    ("embed", &[
        ("fornax embed --module=minilm.fnx --parameters=all-MiniLM-L6-v2 --text='A text.' --text='Another one.'",
         "a vector a line"),
        ("cat texts.txt | fornax embed --module=minilm.fnx --parameters=all-MiniLM-L6-v2 --text-file=- \
--truncate --format=json", "a text a line, long ones cut; one JSON object"),
    ]),
    ("serve", &[
        ("fornax serve --module=smollm.fnx --parameters=SmolLM2.gguf --port=8000",
         "at http://127.0.0.1:8000/v1, for this machine alone"),
        ("fornax serve --module=smollm.fnx --parameters=SmolLM2.gguf --host=0.0.0.0 --api-key=KEY \
--max-sequences=8", "for others too, who must have the key"),
    ]),
    ("quantize", &[
        ("fornax quantize SmolLM2-135M-Instruct.BF16.gguf --type=q4_k -o smollm.Q4_K.gguf",
         "4 bits an element; a table of errors"),
        ("fornax quantize Llama-3.2-1B --type=q8_0 -o llama.Q8_0.gguf --text-file=wiki.txt",
         "a folder as a GGUF file; the perplexity of a text before and after"),
        ("fornax quantize Llama-3.2-1B --type=fp8 -o Llama-3.2-1B-FP8 --format=json", "a folder with floats of 8 bits"),
    ]),
    ("perplexity", &[
        ("fornax perplexity --module=smollm.fnx --parameters=SmolLM2.gguf --text-file=wiki.txt",
         "of a text, on the processor"),
    ]),
    ("run-module", &[
        ("fornax run-module --module=model.fnx --input=2x3xf32=1,2,3,4,5,6", "on the processor; prints the outputs"),
        ("fornax run-module --module=model.fnx --device=cuda --input=@x.npy --output=@y.npy",
         "on a GPU, arrays from and to files"),
        ("fornax run-module --module=model.fnx --parameters=weights.safetensors --input=@x.npy",
         "with weights of a file"),
        ("fornax run-module --module=model.fnx --input=@x.npy --expected-output=@y.npy",
         "compare with known outputs; exit code 6 if they differ"),
        ("fornax run-module --module=model.fnx --input=@x.npy --format=json", "outputs and times as one JSON object"),
    ]),
    ("bench", &[
        ("fornax bench --module=model.fnx --device=cuda --input=@x.npy", "time of a call"),
        ("fornax bench --module=model.fnx --device=cuda --input=@x.npy --kernels",
         "time of each kernel, against the device's limits"),
        ("fornax bench --module=model.fnx --input=@x.npy --format=json", "the same for programs"),
    ]),
    ("tune", &[
        ("fornax tune prepare model.mlir --target=cuda:h200 -o candidates.fnx", "first step of three"),
    ]),
    ("tune prepare", &[
        ("fornax tune prepare model.mlir --target=cuda:h200 -o candidates.fnx", "where the compiler is"),
    ]),
    ("tune measure", &[
        ("fornax tune measure candidates.fnx --device=cuda -o times.json", "where the device is"),
    ]),
    ("tune apply", &[
        ("fornax tune apply times.json -o tuning.lock",
         "then: fornax compile model.mlir --target=cuda:h200 --tuning=tuning.lock"),
    ]),
    ("verify", &[
        ("fornax verify model.mlir --device=cuda", "every kernel against the reference evaluator, on random inputs"),
        ("fornax verify model.mlir --device=cuda --input=@x.npy --tolerance=f32=1e-5", "with an input and a tolerance"),
    ]),
    ("verify prepare", &[
        ("fornax verify prepare model.mlir --target=cuda:h200 -o check.fnx", "where the compiler is"),
    ]),
    ("verify measure", &[
        ("fornax verify measure check.fnx --device=cuda --reproducer=DIR",
         "where the device is; keeps the first dispatch that differs"),
    ]),
    ("list-devices", &[
        ("fornax list-devices", "the URIs that --device takes"),
        ("fornax list-devices cuda --format=json", "names, architectures and memory of NVIDIA GPUs"),
    ]),
    ("list-drivers", &[
        ("fornax list-drivers", "drivers of this build, and why one has no device"),
    ]),
    ("doctor", &[
        ("fornax doctor", "what can run modules here, and what is missing for the rest"),
        ("fornax doctor --format=json", "the same for programs"),
    ]),
    ("list-targets", &[
        ("fornax list-targets", "a line a generation"),
        ("fornax list-targets hopper", "every name of a generation"),
        ("fornax list-targets rtx30 --format=json", "every name of what has rtx30 in a name"),
    ]),
    ("inspect", &[
        ("fornax inspect model.fnx", "signature, kernels, memory"),
        ("fornax inspect model.fnx --report=model.html",
         "a page with the graph, the time of each kernel, the memory plan"),
        ("fornax inspect model.fnx --format=json", "the same for programs"),
        ("fornax inspect model.mlir --why --target=cuda:h200", "why ops are fused or not, and kernels as they are"),
    ]),
    ("check", &[
        ("fornax check model.fnx", "will it run here: image, driver, memory"),
        ("fornax check model.fnx --device=cuda --input-size=batch=32", "on one device, at one size"),
        ("fornax check model.fnx --device=auto", "where run-module --device=auto would run it"),
    ]),
    ("diff", &[
        ("fornax diff old.fnx new.fnx",
         "what changed: signature, kernels, bytes, time; and both run on the same random inputs"),
        ("fornax diff old.fnx new.fnx --device=cuda --tolerance=f32=1e-5",
         "on one device, with a tolerance; exit code 6 if they differ"),
        ("fornax diff old.fnx new.fnx --no-run --format=json", "without running anything, for programs"),
    ]),
    ("verify-file", &[
        ("fornax verify-file model.fnx", "after copying: is every byte what the compiler wrote"),
    ]),
    ("explain", &[
        ("fornax explain FX0501", "what an error code means and what to do"),
    ]),
    ("completions", &[
        ("fornax completions bash > /etc/bash_completion.d/fornax", "also zsh, fish, elvish, powershell"),
    ]),
    ("man", &[
        ("fornax man /usr/local/share/man/man1", "write the manual pages: fornax.1, fornax-compile.1, …"),
    ]),
    ("install-links", &[
        ("fornax install-links /usr/local/bin", "scripts that call iree-compile and iree-run-module then call Fornax"),
    ]),
];
