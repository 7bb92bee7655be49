//! Files that are no models in MLIR, told by their first bytes, and how to get one from them.

/// What a file is, and the way from it to a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// `a NumPy array`.
    pub what: &'static str,
    /// What to do instead, one sentence.
    pub way: &'static str,
}

/// How a kind of file begins.
struct Kind {
    magic: &'static [u8],
    foreign: Foreign,
}

const fn kind(magic: &'static [u8], what: &'static str, way: &'static str) -> Kind {
    Kind { magic, foreign: Foreign { what, way } }
}

/// Of the protocols 2 to 5.
const PICKLE: &str = "a Python pickle, as torch.save may write it";
const EXPORT: &str =
    "export the model it belongs to as StableHLO (docs/use/from-jax.md, from-pytorch.md, from-keras.md)";

const KINDS: &[Kind] = &[
    kind(b"\x89FNX", "a module, which is compiled already", "run it: fornax run-module --module=FILE"),
    kind(b"\x93NUMPY", "a NumPy array", "arrays are inputs of a run: fornax run-module --module=MODULE --input=@FILE"),
    kind(b"GGUF", "a GGUF file: weights without a graph", EXPORT),
    kind(b"\x89HDF\r\n\x1a\n", "an HDF5 file: weights without a graph", EXPORT),
    kind(b"\x80\x02", PICKLE, EXPORT),
    kind(b"\x80\x03", PICKLE, EXPORT),
    kind(b"\x80\x04", PICKLE, EXPORT),
    kind(b"\x80\x05", PICKLE, EXPORT),
    kind(b"HloModule", "XLA's HLO text", "export StableHLO instead: jax.jit(f).lower(x).as_text()"),
    kind(b"BC\xc0\xde", "LLVM bitcode", EXPORT),
    kind(b"\x7fELF", "an ELF file", EXPORT),
];

const SAFETENSORS: Foreign = Foreign {
    what: "a safetensors file: weights without a graph",
    way: "compile the graph, and give the weights to the run: fornax run-module --parameters=FILE \
          (docs/use/weights.md)",
};
const TFLITE: Foreign = Foreign { what: "a TensorFlow Lite model", way: EXPORT };
const TENSORFLOW: Foreign =
    Foreign { what: "a TensorFlow graph", way: "export it as StableHLO (docs/use/from-tensorflow.md)" };
const PYTHON: Foreign =
    Foreign { what: "a Python program", way: "run it, and export its model (docs/use/from-jax.md, from-pytorch.md)" };
const PYTORCH: Foreign = Foreign {
    what: "a PyTorch file (torch.export or torch.save)",
    way: "turn the exported program into MLIR with torch-mlir (docs/use/from-pytorch.md)",
};
const KERAS: Foreign =
    Foreign { what: "a Keras model", way: "load it in Python and export it (docs/use/from-keras.md)" };
const NPZ: Foreign = Foreign {
    what: "an archive of NumPy arrays",
    way: "arrays are inputs or parameters of a run: fornax run-module --input=@FILE:NAME, --parameters=FILE",
};
const ZIP: Foreign = Foreign { what: "a zip archive", way: "unpack it, and give the model in it" };

/// Parts of names of members of zip archives, and whose archive that is.
const MEMBERS: &[(&str, Foreign)] = &[
    ("model.weights.h5", KERAS),
    ("config.json", KERAS),
    ("metadata.json", KERAS),
    ("data.pkl", PYTORCH),
    ("archive_format", PYTORCH),
    ("byteorder", PYTORCH),
    (".npy", NPZ),
];

/// Length of what is looked at of an archive: the name of its first member is there.
const START: usize = 512;
/// Wire types and numbers of the fields that follow the version in ONNX files: producer, its version, domain, version
/// of the model, its description, the graph, the sets of operators.
const ONNX_FIELDS: [u8; 7] = [0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42];
/// The newest version of ONNX's format that is looked for: those so far are 1 to 12.
const ONNX_VERSION_MAX: u8 = 31;

/// What a file is that is no MLIR.
pub fn recognise(bytes: &[u8], file_name: &str) -> Option<Foreign> {
    if let Some(kind) = KINDS.iter().find(|kind| bytes.starts_with(kind.magic)) {
        return Some(kind.foreign);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        let start = String::from_utf8_lossy(bytes.get(..START.min(bytes.len())).unwrap_or_default());
        return Some(MEMBERS.iter().find(|row| start.contains(row.0)).map_or(ZIP, |row| row.1));
    }
    if bytes.get(4..8) == Some(b"TFL3") {
        return Some(TFLITE);
    }
    // The length of the JSON header, then the header.
    if let Some((length, rest)) = bytes.split_first_chunk::<8>() {
        let length = u64::from_le_bytes(*length);
        if rest.starts_with(b"{\"") && length <= rest.len() as u64 {
            return Some(SAFETENSORS);
        }
    }
    if begins_as_onnx(bytes) && file_name.ends_with(".pb") {
        return Some(TENSORFLOW);
    }
    let is_python =
        |line: &str| ["import ", "from ", "def ", "#!/usr/bin/env python"].iter().any(|w| line.starts_with(w));
    let first = bytes.split(|b| *b == b'\n').find(|line| !line.trim_ascii().is_empty());
    first.and_then(|line| std::str::from_utf8(line).ok()).filter(|line| is_python(line)).map(|_| PYTHON)
}

/// Whether a file is an ONNX model: by its name, or as such files begin.
pub fn is_onnx(bytes: &[u8], file_name: &str) -> bool {
    file_name.ends_with(".onnx") || begins_as_onnx(bytes)
}

fn begins_as_onnx(bytes: &[u8]) -> bool {
    matches!(*bytes, [0x08, version, field, ..]
        if (1..=ONNX_VERSION_MAX).contains(&version) && ONNX_FIELDS.contains(&field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_by_their_first_bytes() {
        let zip = |name: &str| [b"PK\x03\x04".as_slice(), &[0; 26], name.as_bytes()].concat();
        let header = br#"{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}"#;
        let weights = [(header.len() as u64).to_le_bytes().as_slice(), header].concat();
        for (bytes, name, what) in [
            (b"\x89FNX\r\n\x1a\n".to_vec(), "m.fnx", "a module"),
            (b"\x93NUMPY\x01".to_vec(), "x", "a NumPy array"),
            (b"GGUF\x03\0\0\0".to_vec(), "llama", "a GGUF"),
            (b"\x80\x04\x95".to_vec(), "net.pkl", "a Python pickle"),
            (zip("net/data.pkl"), "net.pt", "a PyTorch"),
            (zip("archive_format"), "net.pt2", "a PyTorch"),
            (zip("config.json"), "m.keras", "a Keras"),
            (zip("x.npy"), "x.npz", "an archive of NumPy"),
            (zip("readme"), "x.zip", "a zip"),
            (b"\x1c\0\0\0TFL3".to_vec(), "m.tflite", "a TensorFlow Lite"),
            (weights, "w", "a safetensors"),
            (b"\x08\x01\x12\x07".to_vec(), "saved_model.pb", "a TensorFlow graph"),
            (b"\n\nimport jax\n".to_vec(), "m.py", "a Python"),
            (b"HloModule jit_f".to_vec(), "m.txt", "XLA's HLO"),
        ] {
            let found = recognise(&bytes, name).map(|foreign| foreign.what).unwrap_or_default();
            assert!(found.starts_with(what), "{name}: {found}");
        }
    }

    #[test]
    fn models_are_not_foreign() {
        for text in [
            "module {}",
            "// import\nfunc.func @f() { return }",
            "#loc = loc(unknown)",
            "",
            "\"builtin.module\"() ({}) : () -> ()",
        ] {
            assert_eq!(recognise(text.as_bytes(), "m.mlir"), None, "{text}");
        }
        assert_eq!(recognise(crate::bytecode::MAGIC, "m.mlirbc"), None);
    }
}
