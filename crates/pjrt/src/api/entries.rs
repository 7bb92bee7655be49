//! The entries in the order of the table. One that is not written, `-`, answers with its own name.

use super::Entry;
use crate::buffer;
use crate::{client, device, error, event, executable, execute, loaded, memory, plugin, topology};

/// The entry of a row: its name, and its function or `-`.
macro_rules! entry {
    ($name:ident -) => {{
        unsafe extern "C" fn absent(_: *mut std::ffi::c_void) -> *mut $crate::error::ErrorObject {
            $crate::error::absent(concat!("PJRT_", stringify!($name)))
        }
        absent as $crate::api::Entry
    }};
    ($name:ident ($function:path)) => {{
        unsafe extern "C" fn call(args: *mut std::ffi::c_void) -> *mut $crate::error::ErrorObject {
            // SAFETY: the caller gives the arguments of this entry.
            unsafe { $crate::api::enter(args, $function) }
        }
        call as $crate::api::Entry
    }};
}
pub(crate) use entry;

macro_rules! entries {
    ($($name:ident: $function:tt;)*) => {
        /// Their names, without the `PJRT_` before them.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// How many there are.
        pub const COUNT: usize = NAMES.len();

        pub const ENTRIES: [Entry; COUNT] = [$(entry!($name $function)),*];
    };
}

entries! {
    Error_Destroy: (error::destroy);
    Error_Message: (error::message);
    Error_GetCode: (error::get_code);
    Plugin_Initialize: (plugin::initialize);
    Plugin_Attributes: (plugin::attributes);
    Event_Destroy: (event::destroy);
    Event_IsReady: (event::is_ready);
    Event_Error: (event::error);
    Event_Await: (event::wait);
    Event_OnReady: (event::on_ready);
    Client_Create: (client::create);
    Client_Destroy: (client::destroy);
    Client_PlatformName: (client::platform_name);
    Client_ProcessIndex: (client::process_index);
    Client_PlatformVersion: (client::platform_version);
    Client_Devices: (client::devices);
    Client_AddressableDevices: (client::devices);
    Client_LookupDevice: (client::lookup);
    Client_LookupAddressableDevice: (client::lookup);
    Client_AddressableMemories: (client::memories);
    Client_Compile: (executable::compile);
    Client_DefaultDeviceAssignment: (client::default_assignment);
    Client_BufferFromHostBuffer: (buffer::entries::from_host);
    DeviceDescription_Id: (device::id);
    DeviceDescription_ProcessIndex: (device::process_index);
    DeviceDescription_Attributes: (device::description_attributes);
    DeviceDescription_Kind: (device::kind);
    DeviceDescription_DebugString: (device::debug_string);
    DeviceDescription_ToString: (device::to_string);
    Device_GetDescription: (device::description);
    Device_IsAddressable: (device::is_addressable);
    Device_LocalHardwareId: (device::local_hardware_id);
    Device_AddressableMemories: (device::memories);
    Device_DefaultMemory: (device::default_memory);
    Device_MemoryStats: (device::memory_stats);
    Memory_Id: (memory::id);
    Memory_Kind: (memory::kind);
    Memory_DebugString: (memory::debug_string);
    Memory_ToString: (memory::to_string);
    Memory_AddressableByDevices: (memory::devices);
    Executable_Destroy: (executable::destroy);
    Executable_Name: (executable::name);
    Executable_NumReplicas: (executable::num_replicas);
    Executable_NumPartitions: (executable::num_partitions);
    Executable_NumOutputs: (executable::num_outputs);
    Executable_SizeOfGeneratedCodeInBytes: (executable::code_bytes);
    Executable_GetCostAnalysis: (executable::cost_analysis);
    Executable_OutputMemoryKinds: (executable::output_memory_kinds);
    Executable_OptimizedProgram: (executable::optimized_program);
    Executable_Serialize: (executable::serialize);
    LoadedExecutable_Destroy: (loaded::destroy);
    LoadedExecutable_GetExecutable: (loaded::executable);
    LoadedExecutable_AddressableDevices: (loaded::devices);
    LoadedExecutable_Delete: (loaded::delete);
    LoadedExecutable_IsDeleted: (loaded::is_deleted);
    LoadedExecutable_Execute: (execute::execute);
    Executable_DeserializeAndLoad: (executable::deserialize);
    LoadedExecutable_Fingerprint: (loaded::fingerprint);
    Buffer_Destroy: (buffer::entries::destroy);
    Buffer_ElementType: (buffer::entries::element_type);
    Buffer_Dimensions: (buffer::entries::dimensions);
    Buffer_UnpaddedDimensions: (buffer::entries::dimensions);
    Buffer_DynamicDimensionIndices: (buffer::entries::dynamic_dimensions);
    Buffer_GetMemoryLayout: (buffer::entries::layout);
    Buffer_OnDeviceSizeInBytes: (buffer::entries::device_bytes);
    Buffer_Device: (buffer::entries::device);
    Buffer_Memory: (buffer::entries::memory);
    Buffer_Delete: (buffer::entries::delete);
    Buffer_IsDeleted: (buffer::entries::is_deleted);
    Buffer_CopyToDevice: (buffer::transfers::to_device);
    Buffer_ToHostBuffer: (buffer::transfers::to_host);
    Buffer_IsOnCpu: (buffer::entries::is_on_cpu);
    Buffer_ReadyEvent: (buffer::entries::ready_event);
    Buffer_UnsafePointer: (buffer::entries::unsafe_pointer);
    Buffer_IncreaseExternalReferenceCount: (buffer::entries::hold);
    Buffer_DecreaseExternalReferenceCount: (buffer::entries::release);
    Buffer_OpaqueDeviceMemoryDataPointer: (buffer::entries::opaque_pointer);
    CopyToDeviceStream_Destroy: -;
    CopyToDeviceStream_AddChunk: -;
    CopyToDeviceStream_TotalBytes: -;
    CopyToDeviceStream_GranuleSize: -;
    CopyToDeviceStream_CurrentBytes: -;
    TopologyDescription_Create: (topology::create);
    TopologyDescription_Destroy: (topology::destroy);
    TopologyDescription_PlatformName: (client::platform_name);
    TopologyDescription_PlatformVersion: (client::platform_version);
    TopologyDescription_GetDeviceDescriptions: (topology::descriptions);
    TopologyDescription_Serialize: (topology::serialize);
    TopologyDescription_Attributes: (topology::attributes);
    Compile: (executable::compile_unloaded);
    Executable_OutputElementTypes: (executable::output_types);
    Executable_OutputDimensions: (executable::output_dimensions);
    Buffer_CopyToMemory: (buffer::transfers::to_memory);
    Client_CreateViewOfDeviceBuffer: (buffer::entries::view);
    Executable_Fingerprint: (executable::fingerprint);
    Client_TopologyDescription: (topology::of_client);
    Executable_GetCompiledMemoryStats: (executable::memory_stats);
    Memory_Kind_Id: (memory::kind_id);
    ExecuteContext_Create: (execute::create_context);
    ExecuteContext_Destroy: (execute::destroy_context);
    Buffer_CopyRawToHost: (buffer::transfers::raw_to_host);
    AsyncHostToDeviceTransferManager_Destroy: -;
    AsyncHostToDeviceTransferManager_TransferData: -;
    Client_CreateBuffersForAsyncHostToDevice: -;
    AsyncHostToDeviceTransferManager_RetrieveBuffer: -;
    AsyncHostToDeviceTransferManager_Device: -;
    AsyncHostToDeviceTransferManager_BufferCount: -;
    AsyncHostToDeviceTransferManager_BufferSize: -;
    AsyncHostToDeviceTransferManager_SetBufferError: -;
    AsyncHostToDeviceTransferManager_AddMetadata: -;
    Client_DmaMap: (client::dma_map);
    Client_DmaUnmap: (client::dma_unmap);
    Client_CreateUninitializedBuffer: (buffer::entries::uninitialized);
    Client_UpdateGlobalProcessInfo: -;
    TopologyDescription_Deserialize: (topology::deserialize);
    Client_CreateAliasBuffer: -;
    Client_FulfillAliasBuffer: -;
    LoadedExecutable_GetDeviceAssignment: (loaded::assignment);
    Client_CreateErrorBuffer: (buffer::entries::of_error);
    AsyncHostToDeviceTransferManager_TransferLiteral: -;
    Buffer_CopyRawToHostFuture: (buffer::transfers::raw_to_host_future);
    Device_PoisonExecution: -;
    Device_CreateAsyncTrackingEvent: -;
    AsyncTrackingEvent_Destroy: -;
    Executable_GetCompileOptions: (executable::compile_options);
    Buffer_DonateWithControlDependency: -;
    Event_Create: (event::create);
    Event_Set: (event::set);
    Device_GetAttributes: (device::attributes);
    Client_Load: (executable::load_compiled);
    LoadedExecutable_AddressableDeviceLogicalIds: (loaded::logical_ids);
    Buffer_Bitcast: -;
    Error_ForEachPayload: (error::for_each_payload);
    TopologyDescription_Fingerprint: (topology::fingerprint);
    Executable_ParameterMemoryKinds: (executable::parameter_memory_kinds);
    Device_ClearMemoryStats: (device::clear_memory_stats);
    TopologyDescription_MakeCanonicalShapeForMemorySpace: -;
    TopologyDescription_GetMemorySpaceKindIds: -;
}
