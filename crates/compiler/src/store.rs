//! The kernel store: compiled kernels kept in a folder, so that the next command compiles only what changed.
//!
//! An entry is a file. Its name is the hash of all that the code generator's answer depends on: the compiler's build
//! ([`Generator`]), the request as a worker gets it (target, name and text of the kernel, options), and the bytes of
//! AMD's device library where kernels may call it. Nothing else is read by what compiles one kernel: `ptxas` and the
//! linkers come later, and no variable is read. Kernels that are compiled in this process are kept too: the request and
//! the program are the same, and the processes that stay (`fornax model-worker`) compile so.
//!
//! An entry is a mark, a checksum and the answer as a worker sends it. One that is cut short, altered or unreadable is
//! no entry, and the next compilation replaces it. Errors are not kept. Nothing here fails: without the folder kernels
//! are compiled again, and one warning says so.
//!
//! Many processes may use a folder. Each writes a file of its own and renames it.
//!
//! The sum of the entries is kept below a limit. Those that were not used for the longest time go first.
//!
//! Limit: LLVM folds some functions of constants by the C library's, whose updates are not looked at.
//!
//! Example: `DIR/fornax-kernels/f552….kernel`, 9 KB for a softmax on x86-64-v4.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::SystemTime;

use fornax_backend::{CodegenOptions, DEVICE_LIBRARY_FILE, KernelBinary, KernelSource};
use fornax_targets::Target;

use crate::generator::Generator;
use crate::worker::{JobError, kernel_request};

/// First bytes of an entry: what it is, and the version of this form.
const MARK: &[u8; 16] = b"fornax kernel 1\n";
/// Bytes of a checksum.
const SUM: usize = blake3::OUT_LEN;
/// The folder inside the one that the user names: what else lies there is not ours to remove.
const FOLDER: &str = "fornax-kernels";
/// How entries' names end, and those of files that become one.
const ENDING: &str = "kernel";
const PARTIAL: &str = "part";

/// Bytes that all entries may take where nothing is said. The 14,000 kernels that the tests of the command line compile
/// take 6 KB each, and 230 KB with their LLVM IR and assembly (`--dump-ir-to`).
pub const STORE_BYTES: u64 = 1 << 30;
/// Most bytes of an entry: ten times those of the largest seen, a kernel of 6 MB with its LLVM IR and assembly.
const ENTRY_BYTES_MAX: u64 = 64 << 20;
/// Quarters of the limit that stay where something has to go: so that the next entry does not need room at once.
const QUARTERS_KEPT: u64 = 3;
/// The sum of all entries is looked at about so often while a whole limit's bytes are written. It costs 60 ms with
/// 15,000 entries, as much as two kernels; the folder is then as a rule less than two 64ths above its limit.
const LOOKS: u64 = 64;

/// Where kernels are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The user's folder; entries lie in one of their own inside it.
    pub folder: PathBuf,
    /// Bytes that all entries may take.
    pub bytes: u64,
    /// The program that the code generator is in: the worker's, or this one's where kernels are compiled in process.
    pub program: PathBuf,
}

/// The store of one compilation.
pub struct Store {
    folder: PathBuf,
    bytes: u64,
    generator: Generator,
    found: AtomicUsize,
    compiled: AtomicUsize,
    warned: AtomicBool,
}

/// The name of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key(blake3::Hash);

impl Store {
    /// The store in a folder, which need not exist; `None`, with a warning, where the program cannot be told from
    /// others.
    pub fn open(options: &StoreOptions) -> Option<Store> {
        let StoreOptions { folder, bytes, program } = options;
        let generator = Generator::of(program).inspect_err(|error| {
            tracing::warn!("compiled kernels are not kept: {}: {error}", program.display());
        });
        Some(Store {
            folder: folder.join(FOLDER),
            bytes: *bytes,
            generator: generator.ok()?,
            found: AtomicUsize::new(0),
            compiled: AtomicUsize::new(0),
            warned: AtomicBool::new(false),
        })
    }

    /// A compiled kernel: that of the store, else what `compile` makes, which is kept then.
    ///
    /// # Errors
    /// Those of `compile`.
    pub fn find_or_compile(
        &self,
        target: &Target,
        kernel: &KernelSource,
        options: CodegenOptions,
        compile: impl FnOnce() -> Result<KernelBinary, JobError>,
    ) -> Result<KernelBinary, JobError> {
        let key = self.key(target, kernel, options);
        if let Some(binary) = key.and_then(|key| self.get(key)) {
            self.found.fetch_add(1, Ordering::Relaxed);
            return Ok(binary);
        }
        let binary = compile()?;
        self.compiled.fetch_add(1, Ordering::Relaxed);
        // A compiler or a library that was replaced meanwhile may have made this.
        let unchanged = self.generator.is_unchanged() && self.key(target, kernel, options) == key;
        if let Some(key) = key.filter(|_| unchanged) {
            self.put(key, &binary);
        }
        Ok(binary)
    }

    /// How many kernels were found so far, and how many compiled.
    pub fn counts(&self) -> (usize, usize) {
        (self.found.load(Ordering::Relaxed), self.compiled.load(Ordering::Relaxed))
    }

    /// The entry of a kernel; `None` where its device library cannot be read.
    fn key(&self, target: &Target, kernel: &KernelSource, options: CodegenOptions) -> Option<Key> {
        let library = match &target.device_library {
            Some(folder) => fs::read(folder.join(DEVICE_LIBRARY_FILE)).ok()?,
            None => Vec::new(),
        };
        let request = kernel_request(target, kernel, options).ok()?;
        let mut hasher = blake3::Hasher::new();
        for part in [MARK, self.generator.build_id(), &library, &request] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Some(Key(hasher.finalize()))
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(key.0.to_hex().as_str()).with_extension(ENDING)
    }

    fn get(&self, key: Key) -> Option<KernelBinary> {
        let path = self.path(key);
        let bytes = match read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return self.no_entry(&path, &error),
            Ok(bytes) => bytes,
        };
        match decode(key, &bytes) {
            Some(binary) => Some(binary),
            None => self.no_entry(&path, &"it is not what was written"),
        }
    }

    fn no_entry(&self, path: &Path, why: &dyn std::fmt::Display) -> Option<KernelBinary> {
        tracing::info!("{}: {why}; the kernel is compiled again", path.display());
        None
    }

    fn put(&self, key: Key, binary: &KernelBinary) {
        if let Err(error) = self.try_put(key, binary)
            && !self.warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("compiled kernels are not kept: {}: {error}", self.folder.display());
        }
    }

    fn try_put(&self, key: Key, binary: &KernelBinary) -> io::Result<()> {
        let entry = encode(key, binary)?;
        let length = entry.len() as u64;
        if length > ENTRY_BYTES_MAX.min(self.bytes) {
            return Ok(());
        }
        create(&self.folder)?;
        let mut partial =
            tempfile::Builder::new().prefix("").suffix(&format!(".{PARTIAL}")).tempfile_in(&self.folder)?;
        partial.write_all(&entry)?;
        partial.persist(self.path(key)).map_err(|refused| refused.error)?;
        if is_turn(key, length, self.bytes) { trim(&self.folder, self.bytes) } else { Ok(()) }
    }
}

/// The bytes of an entry, which is used now.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Looked at before it is opened: a pipe would wait for a writer.
    let found = fs::metadata(path)?;
    if !found.is_file() || found.len() > ENTRY_BYTES_MAX {
        return Err(io::Error::other("it is no entry"));
    }
    let file = File::open(path)?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0));
    (&file).take(ENTRY_BYTES_MAX).read_to_end(&mut bytes)?;
    // Its turn to go comes later; no harm where the folder cannot be written.
    let _ = file.set_modified(SystemTime::now());
    Ok(bytes)
}

fn encode(key: Key, binary: &KernelBinary) -> io::Result<Vec<u8>> {
    let payload = serde_json::to_vec(binary)?;
    Ok([MARK.as_slice(), checksum(key, &payload).as_bytes(), &payload].concat())
}

fn decode(key: Key, entry: &[u8]) -> Option<KernelBinary> {
    let (sum, payload) = entry.strip_prefix(MARK)?.split_at_checked(SUM)?;
    if sum != checksum(key, payload).as_bytes() {
        return None;
    }
    serde_json::from_slice(payload).ok()
}

/// Of an entry under its own name: the file of another is none.
fn checksum(key: Key, payload: &[u8]) -> blake3::Hash {
    blake3::keyed_hash(key.0.as_bytes(), payload)
}

/// Makes the folder; others may not read it where the system knows that.
fn create(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Whether who writes this entry looks at the sum: with chance `LOOKS` · entry ÷ limit, drawn from the entry's name.
/// So no process has to know what others wrote, and small limits are looked after at once.
fn is_turn(key: Key, entry: u64, limit: u64) -> bool {
    let draw = key.0.as_bytes().iter().take(8).fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    u128::from(draw) * u128::from(limit) < (u128::from(entry) * u128::from(LOOKS)) << 64
}

/// Where entries take more than `limit` bytes, removes the longest unused until [`QUARTERS_KEPT`] of it are left.
fn trim(folder: &Path, limit: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_ours = path.extension().is_some_and(|ending| ending == ENDING || ending == PARTIAL);
        // A file may go while this looks.
        let Some(found) = is_ours.then(|| fs::metadata(&path).ok()).flatten().filter(fs::Metadata::is_file) else {
            continue;
        };
        files.push((found.modified().unwrap_or(SystemTime::UNIX_EPOCH), found.len(), path));
    }
    let mut sum: u64 = files.iter().map(|file| file.1).sum();
    if sum <= limit {
        return Ok(());
    }
    files.sort();
    for (_, bytes, path) in files {
        if sum <= limit / 4 * QUARTERS_KEPT {
            break;
        }
        // What another process removed is gone as well.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {}
            _ => sum -= bytes,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use fornax_backend::{BinaryFormat, Intermediates};

    use super::*;
    use crate::generator::program_of_tests;

    /// A folder with a program of build 1.
    fn folder() -> (tempfile::TempDir, StoreOptions) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, program_of_tests(b"build 1")).unwrap();
        let options = StoreOptions { folder: folder.path().join("made/anew"), bytes: STORE_BYTES, program };
        (folder, options)
    }

    fn target(spec: &str) -> Target {
        Target::from_spec(spec).unwrap()
    }

    fn source(name: &str) -> KernelSource {
        KernelSource { name: name.into(), mlir: "module {}".into() }
    }

    fn binary(name: &str, bytes: &[u8]) -> KernelBinary {
        KernelBinary { name: name.into(), format: BinaryFormat::Object, bytes: bytes.to_vec(), intermediates: None }
    }

    /// What the store of these options has for a kernel, if it has it.
    fn found(options: &StoreOptions, target: &Target, kernel: &KernelSource, how: CodegenOptions) -> Option<Vec<u8>> {
        let none = || Err(JobError::Unavailable { cause: "not there".into() });
        let store = Store::open(options).unwrap();
        store.find_or_compile(target, kernel, how, none).ok().map(|binary| binary.bytes)
    }

    /// Compiles a kernel to these bytes, and gives what the store answers.
    fn made(options: &StoreOptions, kernel: &KernelSource, bytes: &[u8]) -> Vec<u8> {
        let store = Store::open(options).unwrap();
        let how = CodegenOptions::default();
        let compile = || Ok(binary(&kernel.name, bytes));
        store.find_or_compile(&target("cpu:x86-64-v3"), kernel, how, compile).unwrap().bytes
    }

    /// The files of a store, oldest first.
    fn entries(options: &StoreOptions) -> Vec<PathBuf> {
        let Ok(listed) = fs::read_dir(options.folder.join(FOLDER)) else { return Vec::new() };
        let mut files: Vec<(SystemTime, PathBuf)> =
            listed.map(|e| e.unwrap()).map(|e| (e.metadata().unwrap().modified().unwrap(), e.path())).collect();
        files.sort();
        files.into_iter().map(|file| file.1).collect()
    }

    #[test]
    fn an_entry_is_of_one_build_request_and_library() {
        let (folder, options) = folder();
        let (cpu, kernel, how) = (target("cpu:x86-64-v3"), source("k"), CodegenOptions::default());
        assert_eq!(made(&options, &kernel, b"first"), b"first");
        assert_eq!(made(&options, &kernel, b"another"), b"first", "it is there");
        assert_eq!(found(&options, &cpu, &kernel, how).as_deref(), Some(&b"first"[..]));

        assert_eq!(found(&options, &target("cpu:x86-64-v4"), &kernel, how), None, "target");
        assert_eq!(found(&options, &target("cpu:x86-64-v3,+avx512f"), &kernel, how), None, "features");
        assert_eq!(found(&options, &cpu, &source("l"), how), None, "name");
        let text = KernelSource { mlir: "module { }".into(), ..kernel.clone() };
        assert_eq!(found(&options, &cpu, &text, how), None, "text");
        assert_eq!(found(&options, &cpu, &kernel, CodegenOptions { quick: true, ..how }), None, "quick");
        assert_eq!(found(&options, &cpu, &kernel, CodegenOptions::KEEP), None, "intermediates");

        let library = folder.path().join(DEVICE_LIBRARY_FILE);
        let with = Target { device_library: Some(folder.path().to_path_buf()), ..cpu.clone() };
        let compile = |bytes: &'static [u8]| move || Ok(binary("k", bytes));
        let store = Store::open(&options).unwrap();
        store.find_or_compile(&with, &kernel, how, compile(b"without library")).unwrap();
        assert_eq!(found(&options, &with, &kernel, how), None, "what cannot be read makes no entry");
        fs::write(&library, b"BC 1").unwrap();
        store.find_or_compile(&with, &kernel, how, compile(b"with library")).unwrap();
        assert_eq!(found(&options, &with, &kernel, how).as_deref(), Some(&b"with library"[..]));
        fs::write(&library, b"BC 2").unwrap();
        assert_eq!(found(&options, &with, &kernel, how), None, "library");

        fs::write(&options.program, program_of_tests(b"build 2")).unwrap();
        assert_eq!(found(&options, &cpu, &kernel, how), None, "build");
        fs::write(&options.program, program_of_tests(b"build 1")).unwrap();
        assert!(found(&options, &cpu, &kernel, how).is_some(), "the build is back");
        fs::write(&options.program, b"no program").unwrap();
        assert!(Store::open(&options).is_none());
    }

    #[test]
    fn intermediates_come_back_and_errors_are_not_kept() {
        let (_folder, options) = folder();
        let store = Store::open(&options).unwrap();
        let (cpu, kernel) = (target("cpu:x86-64-v3"), source("k"));
        let lost = JobError::Crashed { status: "signal 6".into(), stderr: "no".into() };
        let ask = |compile: &dyn Fn() -> Result<KernelBinary, JobError>| {
            store.find_or_compile(&cpu, &kernel, CodegenOptions::KEEP, compile)
        };
        assert_eq!(ask(&|| Err(lost.clone())), Err(lost.clone()));
        assert!(entries(&options).is_empty());
        let text = |text: &str| text.to_string();
        let kept = Intermediates { lowered_mlir: text("módule"), llvm_ir: text("\0 \""), assembly: text("ret\n") };
        let whole = KernelBinary { intermediates: Some(kept), ..binary("k", &[0, 255, 7]) };
        assert_eq!(ask(&|| Ok(whole.clone())), Ok(whole.clone()));
        assert_eq!(ask(&|| Err(lost.clone())), Ok(whole));
        assert_eq!(store.counts(), (1, 1));
    }

    /// A compiler that is installed while another one works makes no entry of either.
    #[test]
    fn a_program_that_changes_meanwhile_makes_no_entry() {
        let (_folder, options) = folder();
        let store = Store::open(&options).unwrap();
        let (cpu, kernel, how) = (target("cpu:x86-64-v3"), source("k"), CodegenOptions::default());
        let replaced = || {
            fs::write(&options.program, program_of_tests(b"build two")).unwrap();
            Ok(binary("k", b"by whom?"))
        };
        assert!(store.find_or_compile(&cpu, &kernel, how, replaced).is_ok());
        assert!(entries(&options).is_empty());
    }

    #[test]
    fn damage_is_noticed_and_mended() {
        let (_folder, options) = folder();
        let kernel = source("k");
        made(&options, &kernel, b"good");
        let path = entries(&options).remove(0);
        let whole = fs::read(&path).unwrap();
        let mut broken: Vec<Vec<u8>> = (0..whole.len()).map(|length| whole[..length].to_vec()).collect();
        broken.extend((0..whole.len()).map(|at| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        }));
        broken.push([whole.as_slice(), b" "].concat());
        for bytes in broken {
            fs::write(&path, &bytes).unwrap();
            assert_eq!(found(&options, &target("cpu:x86-64-v3"), &kernel, CodegenOptions::default()), None);
        }
        assert_eq!(made(&options, &kernel, b"good"), b"good");
        assert_eq!(fs::read(&path).unwrap(), whole, "it is replaced");
        // The entry of another kernel is not taken for this one.
        let other = source("other");
        made(&options, &other, b"of another");
        let others = entries(&options).into_iter().find(|entry| *entry != path).unwrap();
        fs::rename(others, &path).unwrap();
        assert_eq!(made(&options, &kernel, b"good"), b"good");
        // A folder or an endless file in its place is none, and no harm.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(made(&options, &kernel, b"good"), b"good");
        #[cfg(unix)]
        {
            fs::remove_dir(&path).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            assert_eq!(made(&options, &kernel, b"good"), b"good");
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let (folder, options) = folder();
        let options = StoreOptions { folder: folder.path().join("program/below"), ..options };
        for bytes in [b"one", b"two"] {
            assert_eq!(made(&options, &source("k"), bytes), bytes);
        }
    }

    /// Sets when a file was used last, seconds from a long time ago.
    fn used(path: &Path, seconds: usize) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds as u64);
        File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn what_was_used_last_stays() {
        let (_folder, options) = folder();
        let kernels: Vec<KernelSource> = (0..8).map(|at| source(&format!("k{at}"))).collect();
        let mut paths = Vec::new();
        for kernel in &kernels {
            made(&options, kernel, &[7; 1000]);
            paths.extend(entries(&options).into_iter().filter(|path| !paths.contains(path)).collect::<Vec<_>>());
        }
        let place = options.folder.join(FOLDER);
        let (strange, beside) = (place.join("note.txt"), options.folder.join("mine.kernel"));
        [&strange, &beside].iter().for_each(|path| fs::write(path, [0; 9000]).unwrap());
        let all: u64 = paths.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        let left = || paths.iter().map(|path| path.exists()).collect::<Vec<_>>();
        in_turn(&paths);
        trim(&place, all).unwrap();
        assert_eq!(left(), [true; 8], "there is room for all");
        // The first one is asked for: it is the newest then.
        assert_eq!(made(&options, &kernels[0], b"again"), [7; 1000]);
        trim(&place, all - 1).unwrap();
        assert_eq!(left(), [true, false, false, false, true, true, true, true], "less than three quarters");
        assert!(strange.exists() && beside.exists());
        // A small limit is held by whoever writes next.
        let small = StoreOptions { bytes: all / 2, ..options.clone() };
        in_turn(&paths);
        made(&small, &source("new"), &[7; 1000]);
        assert!(entries(&options).len() <= 4 && found_any(&options, "new"));
        // What is larger than the limit is not kept.
        let tiny = StoreOptions { bytes: 500, ..options };
        made(&tiny, &source("large"), &[7; 1000]);
        assert!(!found_any(&tiny, "large"));
    }

    fn in_turn(paths: &[PathBuf]) {
        paths.iter().enumerate().filter(|(_, path)| path.exists()).for_each(|(at, path)| used(path, at));
    }

    fn found_any(options: &StoreOptions, name: &str) -> bool {
        found(options, &target("cpu:x86-64-v3"), &source(name), CodegenOptions::default()).is_some()
    }

    /// While a whole limit is written the sum is looked at `LOOKS` times, more or less.
    #[test]
    fn the_sum_is_looked_at_in_turns() {
        let keys = (0..20_000u32).map(|at| Key(blake3::hash(&at.to_le_bytes())));
        let (entry, limit) = (50_000, 20_000 * 50_000);
        let looks = keys.clone().filter(|&key| is_turn(key, entry, limit)).count() as u64;
        assert!((LOOKS / 2..LOOKS * 2).contains(&looks), "{looks}");
        assert!(keys.clone().all(|key| is_turn(key, 100, 100 * LOOKS)), "small limits at every entry");
    }

    #[test]
    fn two_writers_and_readers_leave_whole_entries() {
        let (_folder, options) = folder();
        let answers = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..50 {
                        let kernel = source(&format!("k{}", round % 5));
                        let bytes = kernel.name.repeat(5000);
                        let answer = made(&options, &kernel, bytes.as_bytes());
                        answers.lock().unwrap().push(answer == bytes.as_bytes());
                        if round % 10 == 9 {
                            let _ = trim(&options.folder.join(FOLDER), 60_000);
                        }
                    }
                });
            }
        });
        let answers = answers.into_inner().unwrap();
        assert!(answers.len() == 200 && answers.iter().all(|&right| right));
        let ends: Vec<_> = entries(&options).iter().map(|path| path.extension().unwrap().to_owned()).collect();
        assert!(ends.iter().all(|end| end == ENDING), "{ends:?}");
    }
}
