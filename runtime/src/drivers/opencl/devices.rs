//! Platforms and their devices: what each is, and why one cannot run modules.
//!
//! Input: the loader. Output: a row a device, in the loader's order, the platforms one behind the other. A device that
//! lacks what modules need (SPIR-V, OpenCL 2.0, a compiler) keeps its place and says why.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

use super::api::*;
use crate::hal::{DeviceInfo, HalError, HalErrorKind, HalResult, LaunchLimits};

/// Sizes of subgroups, with their names as features.
const SUBGROUP_SIZES: &[(u64, &str)] =
    &[(4, "subgroup4"), (8, "subgroup8"), (16, "subgroup16"), (32, "subgroup32"), (64, "subgroup64")];
/// Kinds of devices.
const KINDS: &[(u64, &str)] =
    &[(DEVICE_TYPE_GPU, "GPU"), (DEVICE_TYPE_CPU, "processor"), (DEVICE_TYPE_ACCELERATOR, "accelerator")];
/// Versions of SPIR-V, with their names as features.
const SPIRV_VERSIONS: &[((u32, u32), &str)] = &[
    ((1, 0), "spirv1.0"),
    ((1, 1), "spirv1.1"),
    ((1, 2), "spirv1.2"),
    ((1, 3), "spirv1.3"),
    ((1, 4), "spirv1.4"),
    ((1, 5), "spirv1.5"),
    ((1, 6), "spirv1.6"),
];
/// Extensions, with their names as features.
const EXTENSIONS: &[(&str, &str)] = &[
    ("cl_khr_fp64", "fp64"),
    ("cl_khr_fp16", "fp16"),
    ("cl_khr_int64_base_atomics", "int64-atomics"),
    ("cl_khr_subgroup_shuffle", "subgroup-shuffle"),
];

/// What opening a device needs to know of it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) platform: Handle,
    pub(super) device: Handle,
    /// The platform has `clCreateProgramWithIL`, which came with OpenCL 2.1; else its extension is asked for.
    pub(super) has_core_il: bool,
    /// Versions of SPIR-V that it takes, `(1, 4)`.
    pub(super) spirv: Vec<(u32, u32)>,
    /// It has shared virtual memory; and host and device may use it at once.
    pub(super) has_shared_memory: bool,
    pub(super) fine_grained: bool,
    /// Division and square root of f32 can be asked to round correctly.
    pub(super) correctly_rounded: bool,
    /// Largest allocation, bytes.
    pub(super) max_allocation: u64,
    /// The device is the host's processor: its memory is the host's.
    pub(super) is_host: bool,
    /// Everything on which its compiler's output depends: platform, device, vendor, versions.
    pub(super) identity: String,
}

// SAFETY: handles of platforms and devices belong to the loader for the whole process and may be used from any thread.
unsafe impl Send for Found {}
// SAFETY: as above.
unsafe impl Sync for Found {}

/// All devices of all platforms.
pub(super) fn list(api: &Api) -> HalResult<Vec<(DeviceInfo, Found)>> {
    let what = "listing OpenCL platforms";
    let mut count = 0;
    // SAFETY: writes one count.
    let code = unsafe { api.clGetPlatformIDs(0, null_mut(), &mut count) };
    if code == PLATFORM_NOT_FOUND {
        return Ok(Vec::new());
    }
    check("clGetPlatformIDs", code, what)?;
    let mut platforms = vec![null_mut(); count as usize];
    if count > 0 {
        // SAFETY: room for as many handles as it was told.
        let code = unsafe { api.clGetPlatformIDs(count, platforms.as_mut_ptr(), null_mut()) };
        check("clGetPlatformIDs", code, what)?;
    }
    let mut rows = Vec::new();
    let mut failed = None;
    for platform in platforms {
        match devices(api, platform) {
            Ok(devices) => rows.extend(devices.into_iter().map(|device| (platform, device))),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    match failed {
        Some(error) if rows.is_empty() => return Err(error),
        Some(error) => tracing::warn!("{error}"),
        None => {}
    }
    let mut found: Vec<(DeviceInfo, Found)> = rows
        .into_iter()
        .enumerate()
        .map(|(ordinal, (platform, device))| Asker { api, platform, device }.describe(ordinal))
        .collect();
    forget_shared_ids(&mut found);
    Ok(found)
}

fn devices(api: &Api, platform: Handle) -> HalResult<Vec<Handle>> {
    let what = "listing the devices of an OpenCL platform";
    let mut count: c_uint = 0;
    // SAFETY: writes one count.
    let code = unsafe { api.clGetDeviceIDs(platform, DEVICE_TYPE_ALL, 0, null_mut(), &mut count) };
    if code == DEVICE_NOT_FOUND {
        return Ok(Vec::new());
    }
    check("clGetDeviceIDs", code, what)?;
    let mut devices = vec![null_mut(); count as usize];
    if count > 0 {
        // SAFETY: room for as many handles as it was told.
        let code = unsafe { api.clGetDeviceIDs(platform, DEVICE_TYPE_ALL, count, devices.as_mut_ptr(), null_mut()) };
        check("clGetDeviceIDs", code, what)?;
    }
    Ok(devices)
}

/// Two platforms may offer one device under the same id: only its number tells them apart.
fn forget_shared_ids(rows: &mut [(DeviceInfo, Found)]) {
    let ids: Vec<Option<String>> = rows.iter().map(|row| row.0.unique_id.clone()).collect();
    for (info, _) in rows {
        if ids.iter().filter(|id| id.is_some() && **id == info.unique_id).count() > 1 {
            info.unique_id = None;
        }
    }
}

/// Asks one device about itself.
struct Asker<'a> {
    api: &'a Api,
    platform: Handle,
    device: Handle,
}

impl Asker<'_> {
    fn describe(&self, ordinal: usize) -> (DeviceInfo, Found) {
        self.try_describe(ordinal).unwrap_or_else(|error| {
            let info = DeviceInfo {
                driver: "opencl",
                ordinal,
                name: "unknown".to_string(),
                arch: "unknown".to_string(),
                unusable: Some(error.to_string()),
                ..DeviceInfo::default()
            };
            (info, self.nothing_known())
        })
    }

    fn nothing_known(&self) -> Found {
        Found {
            platform: self.platform,
            device: self.device,
            has_core_il: false,
            spirv: Vec::new(),
            has_shared_memory: false,
            fine_grained: false,
            correctly_rounded: false,
            max_allocation: 0,
            is_host: false,
            identity: String::new(),
        }
    }

    fn try_describe(&self, ordinal: usize) -> HalResult<(DeviceInfo, Found)> {
        let (name, vendor) = (self.text(DEVICE_NAME)?, self.text(DEVICE_VENDOR)?);
        let (platform_name, platform_version) =
            (self.platform_text(PLATFORM_NAME)?, self.platform_text(PLATFORM_VERSION)?);
        let device_version = self.text(DEVICE_VERSION)?;
        let since = |text: &str, wanted| version(text).is_some_and(|version| version >= wanted);
        let extensions = self.text(DEVICE_EXTENSIONS)?;
        let has = |wanted: &str| extensions.split_whitespace().any(|extension| extension == wanted);
        // Both came with later versions: asking an older device is an error.
        let has_il = since(&device_version, (2, 1)) || has("cl_khr_il_program");
        let il = if has_il { self.text(DEVICE_IL_VERSION)? } else { String::new() };
        let svm = if since(&device_version, (2, 0)) { self.integer(DEVICE_SVM_CAPABILITIES)? } else { 0 };
        let [x, y, z] = self.work_item_sizes()?;
        let subgroups = self.subgroup_sizes(has("cl_intel_required_subgroup_size"));
        let (kind, driver) = (self.integer(DEVICE_TYPE)?, self.text(DRIVER_VERSION)?);
        let found = Found {
            has_core_il: since(&platform_version, (2, 1)),
            spirv: spirv_versions(&il),
            has_shared_memory: svm & DEVICE_SVM_COARSE_GRAIN_BUFFER != 0,
            fine_grained: svm & DEVICE_SVM_FINE_GRAIN_BUFFER != 0,
            correctly_rounded: self.integer(DEVICE_SINGLE_FP_CONFIG)? & FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
            max_allocation: self.integer(DEVICE_MAX_MEM_ALLOC_SIZE)?,
            is_host: kind & DEVICE_TYPE_CPU != 0,
            identity: [&platform_name, &platform_version, &vendor, &name, &device_version, &driver, &extensions]
                .map(String::as_str)
                .join("\n"),
            ..self.nothing_known()
        };
        let mut features: Vec<&'static str> = EXTENSIONS.iter().filter(|row| has(row.0)).map(|row| row.1).collect();
        features.extend(SUBGROUP_SIZES.iter().filter(|row| subgroups.contains(&row.0)).map(|row| row.1));
        features.extend(SPIRV_VERSIONS.iter().filter(|row| found.spirv.contains(&row.0)).map(|row| row.1));
        let local_bytes = self.integer(DEVICE_LOCAL_MEM_SIZE)?;
        let threads = self.integer(DEVICE_MAX_WORK_GROUP_SIZE)?;
        let missing = [
            (self.integer(DEVICE_AVAILABLE)? == 0, "it is not available"),
            (self.integer(DEVICE_COMPILER_AVAILABLE)? == 0, "it has no compiler"),
            (self.integer(DEVICE_ADDRESS_BITS)? != 64, "its addresses do not have 64 bits"),
            (self.integer(DEVICE_ENDIAN_LITTLE)? == 0, "it is not little-endian"),
            (found.spirv.is_empty(), "it takes no SPIR-V (OpenCL 2.1 with an IL version, or cl_khr_il_program)"),
            (!since(&device_version, (2, 0)), "it is older than OpenCL 2.0"),
        ];
        let missing: Vec<&str> = missing.iter().filter(|row| row.0).map(|row| row.1).collect();
        let most = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let sizes: Vec<String> = subgroups.iter().map(u64::to_string).collect();
        let info = DeviceInfo {
            driver: "opencl",
            ordinal,
            unique_id: has("cl_khr_device_uuid").then(|| self.uuid()).flatten(),
            arch: "spirv64".to_string(),
            features,
            memory_bytes: self.integer(DEVICE_GLOBAL_MEM_SIZE)?,
            compute_units: most(self.integer(DEVICE_MAX_COMPUTE_UNITS)?),
            clock_mhz: self.integer(DEVICE_MAX_CLOCK_FREQUENCY).ok().map(most).filter(|mhz| *mhz > 0),
            limits: LaunchLimits {
                max_block: [x, y, z].map(most),
                max_block_threads: most(threads),
                max_shared_bytes: most(local_bytes),
                ..LaunchLimits::default()
            },
            driver_version: format!("{platform_name} {driver}"),
            properties: vec![
                ("kind", KINDS.iter().find(|row| kind & row.0 != 0).map_or("other", |row| row.1).to_string()),
                ("vendor", vendor),
                ("version", device_version),
                ("intermediate languages", il),
                ("workgroup", format!("at most {threads} threads, {local_bytes} bytes of local memory")),
                ("memory", if found.has_shared_memory { "shared virtual memory" } else { "buffers" }.to_string()),
                ("one allocation", format!("at most {} bytes", found.max_allocation)),
                ("subgroups", if sizes.is_empty() { "not told".to_string() } else { sizes.join(", ") }),
            ],
            unusable: (!missing.is_empty()).then(|| missing.join("; ")),
            name,
        };
        Ok((info, found))
    }

    fn bytes(&self, what: u64) -> HalResult<Vec<u8>> {
        let ask = |room, value: *mut c_void, bytes| {
            // SAFETY: `query_bytes` gives room for the value, or asks for its length.
            unsafe { self.api.clGetDeviceInfo(self.device, what as c_uint, room, value, bytes) }
        };
        query_bytes("clGetDeviceInfo", "reading a device's properties", &ask)
    }

    fn text(&self, what: u64) -> HalResult<String> {
        self.bytes(what).map(|bytes| text(&bytes))
    }

    fn integer(&self, what: u64) -> HalResult<u64> {
        let ask = |room, value: *mut c_void, bytes| {
            // SAFETY: `query_integer` gives room for eight bytes.
            unsafe { self.api.clGetDeviceInfo(self.device, what as c_uint, room, value, bytes) }
        };
        query_integer("clGetDeviceInfo", "reading a device's properties", &ask)
    }

    fn platform_text(&self, what: u64) -> HalResult<String> {
        let ask = |room, value: *mut c_void, bytes| -> c_int {
            // SAFETY: `query_bytes` gives room for the value, or asks for its length.
            unsafe { self.api.clGetPlatformInfo(self.platform, what as c_uint, room, value, bytes) }
        };
        query_bytes("clGetPlatformInfo", "reading a platform's properties", &ask).map(|bytes| text(&bytes))
    }

    fn work_item_sizes(&self) -> HalResult<[u64; 3]> {
        let sizes = numbers(&self.bytes(DEVICE_MAX_WORK_ITEM_SIZES)?);
        let first: Option<[u64; 3]> = sizes.get(..3).and_then(|sizes| sizes.try_into().ok());
        first.ok_or_else(|| HalError::new(HalErrorKind::Unsupported, "the device has fewer than three dimensions"))
    }

    /// The sizes that a kernel can ask for; none where the device does not tell.
    fn subgroup_sizes(&self, told: bool) -> Vec<u64> {
        if told {
            self.bytes(DEVICE_SUB_GROUP_SIZES_INTEL).map(|bytes| numbers(&bytes)).unwrap_or_default()
        } else {
            Vec::new()
        }
    }

    /// `8086-…` as UUIDs are written: 8, 4, 4, 4 and 12 digits.
    fn uuid(&self) -> Option<String> {
        let bytes = self.bytes(DEVICE_UUID_KHR).ok()?;
        if bytes.len() != 16 || bytes.iter().all(|byte| *byte == 0) {
            return None;
        }
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let parts: Option<Vec<&str>> =
            [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits.get(part)).into_iter().collect();
        parts.map(|parts| parts.join("-"))
    }
}

/// Values of eight bytes, one behind the other.
fn numbers(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).filter_map(|chunk| chunk.try_into().ok().map(u64::from_ne_bytes)).collect()
}

/// The versions of SPIR-V in a list of intermediate languages: `SPIR-V_1.0 SPIR-V_1.4`.
fn spirv_versions(text: &str) -> Vec<(u32, u32)> {
    let one = |word: &str| {
        let (major, minor) = word.strip_prefix("SPIR-V_")?.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    text.split_whitespace().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_spirv_are_read() {
        assert_eq!(spirv_versions("SPIR-V_1.0 SPIR-V_1.4 OTHER_2.0"), [(1, 0), (1, 4)]);
        assert!(spirv_versions("").is_empty());
    }

    #[test]
    fn an_id_of_two_devices_is_none() {
        let found = Found {
            platform: null_mut(),
            device: null_mut(),
            has_core_il: true,
            spirv: vec![(1, 4)],
            has_shared_memory: true,
            fine_grained: true,
            correctly_rounded: false,
            max_allocation: 1,
            is_host: false,
            identity: String::new(),
        };
        let info = |id: &str| DeviceInfo { unique_id: Some(id.into()), ..DeviceInfo::default() };
        let mut rows = ["a", "b", "a"].map(|id| (info(id), found.clone()));
        forget_shared_ids(&mut rows);
        assert_eq!(rows.map(|row| row.0.unique_id), [None, Some("b".to_string()), None]);
    }
}
