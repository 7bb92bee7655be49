//! The entries as a caller in C has them: the table of `GetPjrtApi`, structs of arguments, devices on the processor.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use fornax_pjrt::api::buffers::{self, FromHostArgs, ToHostArgs};
use fornax_pjrt::api::entries::NAMES;
use fornax_pjrt::api::executables::{CompileArgs, ExecuteArgs, ExecuteOptions, OwnedArgs, Program, UnloadedArgs};
use fornax_pjrt::api::{Args, Handle, Head, List, NamedValue, Text};
use fornax_pjrt::buffer::Buffer;
use fornax_pjrt::client::{Client, CreateArgs, DevicesArgs};
use fornax_pjrt::error::{CodeArgs, ErrorArgs, MessageArgs};
use fornax_pjrt::event::{Event, EventArgs, IsReadyArgs, OnReadyArgs, SetArgs};
use fornax_pjrt::{GetPjrtApi, api, error, executable, loaded};

/// The code of f32 and of i32.
const F32: i32 = 11;
const I32: i32 = 4;

/// Arguments with their size and zeros.
fn zeros<A: Args>() -> A {
    // SAFETY: zeros are a value of every struct of arguments used here.
    let mut args: A = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: every such struct begins with a head.
    unsafe { (*(&raw mut args).cast::<Head>()).size = A::END };
    args
}

/// Calls an entry by its name; the error's status and message.
fn call<A>(name: &str, args: &mut A) -> Result<(), (i32, String)> {
    let at = NAMES.iter().position(|entry| *entry == name).unwrap();
    // SAFETY: the table lives as long as the program; the arguments are those of the entry.
    let error = unsafe { ((*GetPjrtApi()).entries[at])((&raw mut *args).cast::<c_void>()) };
    if error.is_null() {
        return Ok(());
    }
    let mut code: CodeArgs = zeros();
    let mut message: MessageArgs = zeros();
    code.error = Handle::at(error);
    message.error = code.error;
    call("Error_GetCode", &mut code).unwrap();
    call("Error_Message", &mut message).unwrap();
    let found = (code.code, message.message.text());
    let mut end: ErrorArgs = zeros();
    end.error = code.error;
    call("Error_Destroy", &mut end).unwrap();
    Err(found)
}

fn client(options: &[NamedValue]) -> Handle<Client> {
    let mut args: CreateArgs = zeros();
    args.options = List::lend(options);
    call("Client_Create", &mut args).unwrap();
    args.client
}

/// A client with two devices on the processor.
fn two_devices() -> Handle<Client> {
    client(&[NamedValue::of_text("device", "cpu"), NamedValue::of_int("num_devices", 2)])
}

fn wait(event: Handle<Event>) -> Result<(), (i32, String)> {
    let mut args: EventArgs = zeros();
    args.event = event;
    let outcome = call("Event_Await", &mut args);
    call("Event_Destroy", &mut args).unwrap();
    outcome
}

/// An array of the caller's on a device.
struct Given<'a, T> {
    data: &'a [T],
    code: i32,
    dims: &'a [i64],
    byte_strides: &'a [i64],
    semantics: i32,
}

fn upload<T>(client: Handle<Client>, given: &Given<'_, T>) -> (Handle<Buffer>, Handle<Event>) {
    let mut args: FromHostArgs = zeros();
    (args.client, args.data, args.code) = (client, given.data.as_ptr().cast(), given.code);
    (args.dims, args.byte_strides) = (List::lend(given.dims), List::lend(given.byte_strides));
    args.semantics = given.semantics;
    call("Client_BufferFromHostBuffer", &mut args).unwrap();
    (args.buffer, args.done)
}

fn floats(client: Handle<Client>, data: &[f32]) -> Handle<Buffer> {
    let given = Given { data, code: F32, dims: &[data.len() as i64], byte_strides: &[], semantics: 0 };
    let (buffer, done) = upload(client, &given);
    wait(done).unwrap();
    buffer
}

fn download<T: Clone + Default>(source: Handle<Buffer>, count: usize) -> Result<Vec<T>, (i32, String)> {
    let mut elements = vec![T::default(); count];
    let mut args: ToHostArgs = zeros();
    args.source = source;
    call("Buffer_ToHostBuffer", &mut args)?;
    assert_eq!(args.bytes, count * size_of::<T>());
    args.target = elements.as_mut_ptr().cast();
    call("Buffer_ToHostBuffer", &mut args)?;
    wait(args.event)?;
    Ok(elements)
}

#[test]
fn the_table_has_every_entry_and_absent_ones_say_their_name() {
    // SAFETY: the table lives as long as the program.
    let table = unsafe { &*GetPjrtApi() };
    assert_eq!((table.version.major, table.version.minor), (0, 114));
    assert_eq!(table.size, 40 + 8 * NAMES.len());
    let (status, message) = call("Buffer_Bitcast", &mut zeros::<ErrorArgs>()).unwrap_err();
    assert_eq!(status, error::Status::Unimplemented as i32);
    assert!(message.starts_with("[FX0732] PJRT_Buffer_Bitcast "), "{message}");
}

#[test]
fn short_arguments_and_null_handles_are_errors() {
    let mut short: EventArgs = zeros();
    short.head.size = 16;
    assert!(call("Event_Await", &mut short).unwrap_err().1.starts_with("[FX0731] arguments of 16 bytes"));
    assert!(call("Event_Await", &mut zeros::<EventArgs>()).unwrap_err().1.contains("a handle is null"));
    let mut create: CreateArgs = zeros();
    let options = [NamedValue::of_int("devices", 2)];
    create.options = List::lend(&options);
    assert!(call("Client_Create", &mut create).unwrap_err().1.starts_with("[FX0734]"));
}

#[test]
fn devices_have_memories_that_carry_data_of_the_caller() {
    let mut args: DevicesArgs = zeros();
    args.client = two_devices();
    call("Client_AddressableDevices", &mut args).unwrap();
    assert_eq!(args.devices.get().iter().map(|device| device.get().unwrap().id).collect::<Vec<_>>(), [0, 1]);
    let mut devices: fornax_pjrt::memory::DevicesArgs = zeros();
    devices.memory = Handle::lend(&*args.devices.get()[1].get().unwrap().memory);
    call("Memory_AddressableByDevices", &mut devices).unwrap();
    assert_eq!(devices.devices.get()[0].get().unwrap().id, 1);
}

#[test]
fn strided_arrays_come_back_dense_and_a_layout_turns_them() {
    let client = two_devices();
    let data: Vec<i32> = (0..6).collect();
    // Columns of a 2x3 array, from the last on.
    let given = Given { data: &data[2..], code: I32, dims: &[3, 2], byte_strides: &[-4, 12], semantics: 0 };
    let (buffer, done) = upload(client, &given);
    wait(done).unwrap();
    assert_eq!(download::<i32>(buffer, 6).unwrap(), [2, 5, 1, 4, 0, 3]);
    let mut elements = [0i32; 6];
    let layout = api::values::Layout::of(&[0, 1]);
    let mut args: ToHostArgs = zeros();
    (args.source, args.layout) = (buffer, Handle::lend(&layout));
    (args.target, args.bytes) = (elements.as_mut_ptr().cast(), 24);
    call("Buffer_ToHostBuffer", &mut args).unwrap();
    wait(args.event).unwrap();
    assert_eq!(elements, [2, 1, 0, 5, 4, 3]);
}

#[test]
fn memory_that_stays_as_it_is_is_used_in_place_until_the_array_goes() {
    #[repr(align(64))]
    struct Aligned([f32; 1 << 15]);
    let data = Box::new(Aligned([1.5; 1 << 15]));
    let given = Given { data: &data.0, code: F32, dims: &[1 << 15], byte_strides: &[], semantics: 2 };
    let (buffer, done) = upload(two_devices(), &given);
    let mut ready: IsReadyArgs = zeros();
    ready.event = done;
    call("Event_IsReady", &mut ready).unwrap();
    assert!(!ready.is_ready);
    let mut pointer: buffers::PointerArgs = zeros();
    pointer.buffer = buffer;
    call("Buffer_UnsafePointer", &mut pointer).unwrap();
    assert_eq!(pointer.pointer, data.0.as_ptr() as usize);
    let mut end: buffers::BufferArgs = zeros();
    end.buffer = buffer;
    call("Buffer_Destroy", &mut end).unwrap();
    wait(done).unwrap();
}

#[test]
fn a_deleted_array_says_so_and_copies_live_on() {
    let client = two_devices();
    let buffer = floats(client, &[1.0, 2.0]);
    let mut devices: DevicesArgs = zeros();
    devices.client = client;
    call("Client_Devices", &mut devices).unwrap();
    let mut copy: buffers::ToDeviceArgs = zeros();
    (copy.buffer, copy.device) = (buffer, devices.devices.get()[1]);
    call("Buffer_CopyToDevice", &mut copy).unwrap();
    let mut delete: buffers::BufferArgs = zeros();
    delete.buffer = buffer;
    call("Buffer_Delete", &mut delete).unwrap();
    assert_eq!(download::<f32>(copy.copy, 2).unwrap(), [1.0, 2.0]);
    let (_, message) = download::<f32>(buffer, 2).unwrap_err();
    assert!(message.starts_with("[FX0736] Array has been deleted"), "{message}");
}

#[test]
fn events_carry_errors_to_waiters_and_functions() {
    unsafe extern "C" fn note(error: *mut error::ErrorObject, told: *mut c_void) {
        let mut code: CodeArgs = zeros();
        code.error = Handle::at(error);
        call("Error_GetCode", &mut code).unwrap();
        // SAFETY: the test's number, which outlives the event.
        unsafe { *told.cast::<i32>() = code.code };
        let mut end: ErrorArgs = zeros();
        end.error = code.error;
        call("Error_Destroy", &mut end).unwrap();
    }
    let mut told = 0i32;
    let mut made: EventArgs = zeros();
    call("Event_Create", &mut made).unwrap();
    let mut left: OnReadyArgs = OnReadyArgs {
        head: zeros::<EventArgs>().head,
        event: made.event,
        callback: note,
        argument: (&raw mut told).cast(),
    };
    left.head.size = OnReadyArgs::END;
    call("Event_OnReady", &mut left).unwrap();
    assert_eq!(told, 0);
    let mut set: SetArgs = zeros();
    (set.event, set.code, set.message) = (made.event, 8, Text::lend(b"full"));
    call("Event_Set", &mut set).unwrap();
    assert_eq!(told, 8);
    assert_eq!(wait(made.event), Err((8, "full".into())));
}

/// The compiler, which cargo puts beside the tests where the whole workspace is built.
fn compiler() -> Option<&'static str> {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent()?.parent()?.join("fornax");
    let found = program.is_file().then(|| program.display().to_string().leak() as &str);
    if found.is_none() {
        eprintln!("skipped: there is no {}; cargo build -p fornax-cli makes it", program.display());
    }
    found
}

fn compile(client: Handle<Client>, model: &str) -> Result<Handle<loaded::Loaded>, (i32, String)> {
    let mut code = model.as_bytes().to_vec();
    let program = Program {
        head: Head { size: size_of::<Program>(), extensions: std::ptr::null() },
        code: code.as_mut_ptr(),
        code_bytes: code.len(),
        format: Text::lend(b"mlir"),
    };
    let mut args: CompileArgs = zeros();
    (args.client, args.program) = (client, Handle::lend(&program));
    // One replica of one partition.
    args.options = Text::lend(&[0x1a, 4, 0x20, 1, 0x28, 1]);
    call("Client_Compile", &mut args)?;
    Ok(args.executable)
}

fn execute(
    executable: Handle<loaded::Loaded>,
    arguments: &[Handle<Buffer>],
    kept: &[i64],
) -> Result<Handle<Buffer>, (i32, String)> {
    // SAFETY: zeros are a value of the options.
    let mut options: ExecuteOptions = unsafe { MaybeUninit::zeroed().assume_init() };
    (options.head.size, options.kept_inputs) = (size_of::<ExecuteOptions>(), List::lend(kept));
    let (lists, mut output, mut done) = ([arguments.as_ptr()], [Handle::<Buffer>::NULL], [Handle::<Event>::NULL]);
    let outputs = [output.as_mut_ptr()];
    let mut args: ExecuteArgs = zeros();
    (args.executable, args.options) = (executable, Handle::lend(&options));
    (args.arguments, args.num_devices, args.num_arguments) = (lists.as_ptr(), 1, arguments.len());
    (args.outputs, args.done) = (outputs.as_ptr(), done.as_mut_ptr());
    call("LoadedExecutable_Execute", &mut args)?;
    wait(done[0])?;
    Ok(output[0])
}

#[test]
fn programs_compile_run_donate_and_travel() {
    let Some(compiler) = compiler() else { return };
    let text = NamedValue::of_text;
    let client = client(&[text("device", "cpu"), text("compiler", compiler), text("cache", "off")]);
    let (status, message) = compile(client, "module { func.func @main() { nonsense } }").unwrap_err();
    assert_eq!(status, error::Status::InvalidArgument as i32, "{message}");
    assert!(message.contains("<stdin>:1:") && message.contains("[FX01") && message.contains("nonsense"), "{message}");

    let model = "module @m { func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) \
                 -> tensor<3xf32> { %0 = stablehlo.add %x, %y : tensor<3xf32> return %0 : tensor<3xf32> } }";
    let loaded = compile(client, model).unwrap();
    let (x, y) = (floats(client, &[1.0, 2.0, 3.0]), floats(client, &[10.0, 20.0, 30.0]));
    // The caller forbids that the first argument is overwritten, then does not.
    let sum = execute(loaded, &[x, y], &[0]).unwrap();
    assert_eq!(download::<f32>(sum, 3).unwrap(), [11.0, 22.0, 33.0]);
    assert_eq!(download::<f32>(x, 3).unwrap(), [1.0, 2.0, 3.0]);
    let sum = execute(loaded, &[x, y], &[]).unwrap();
    assert_eq!(download::<f32>(sum, 3).unwrap(), [11.0, 22.0, 33.0]);
    assert!(download::<f32>(x, 3).unwrap_err().1.starts_with("[FX0736]"));
    assert!(execute(loaded, &[y, y], &[]).unwrap_err().1.starts_with("[FX0720]"));
    let short = floats(client, &[1.0]);
    assert!(execute(loaded, &[short, y], &[]).unwrap_err().1.starts_with("[FX0713]"));

    let mut unloaded: UnloadedArgs = zeros();
    unloaded.loaded = loaded;
    call("LoadedExecutable_GetExecutable", &mut unloaded).unwrap();
    let mut bytes: OwnedArgs = zeros();
    bytes.executable = Handle::lend(unloaded.executable.get().unwrap() as &executable::Executable);
    call("Executable_Serialize", &mut bytes).unwrap();
    let mut args: api::executables::DeserializeArgs = zeros();
    (args.client, args.bytes) = (client, bytes.owned.bytes);
    call("Executable_DeserializeAndLoad", &mut args).unwrap();
    let sum = execute(args.executable, &[y, floats(client, &[1.0; 3])], &[0]).unwrap();
    assert_eq!(download::<f32>(sum, 3).unwrap(), [11.0, 21.0, 31.0]);
    args.bytes = Text::lend(b"\xff\xff");
    assert!(call("Executable_DeserializeAndLoad", &mut args).unwrap_err().1.starts_with("[FX0731]"));
}
