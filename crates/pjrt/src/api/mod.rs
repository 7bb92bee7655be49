//! The PJRT C API as Rust sees it: the table of entries, handles and lists that cross it, arguments of each entry.
//!
//! Safety, once for all entries: a pointer that is not null points to what its type says; a handle comes from this
//! library and was not destroyed; a list has as many elements as the count behind it. [`Handle`] and [`List`] rest on
//! this. What they point to lives as long as the API promises: devices with their client, arguments for the call.
//!
//! Each struct of arguments begins with its size, and grows at its end from version to version. Only fields that the
//! oldest supported caller has are declared; [`Args::has`] asks for those that came later.

pub mod buffers;
pub mod entries;
pub mod executables;
pub mod layouts;
pub mod shardings;
pub mod topologies;
pub mod values;

use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::ptr;

use crate::error::{Failure, Result, Status};

/// Version of the header that these declarations follow.
pub const API_MAJOR: c_int = 0;
pub const API_MINOR: c_int = 114;

/// One entry: takes its arguments, gives null or an error. The two entries without a result have this form too.
pub type Entry = unsafe extern "C" fn(*mut c_void) -> *mut crate::error::ErrorObject;

/// An extension of the table: a link of a list.
#[repr(C)]
pub struct Extension {
    pub size: usize,
    pub kind: c_int,
    pub next: *const Extension,
}

// SAFETY: an extension is constant.
unsafe impl Sync for Extension {}
// SAFETY: as above.
unsafe impl Send for Extension {}

/// The table that `GetPjrtApi` gives.
#[repr(C)]
pub struct Api {
    pub size: usize,
    pub extensions: *const Extension,
    pub version: ApiVersion,
    pub entries: [Entry; entries::COUNT],
}

// SAFETY: the table is constant.
unsafe impl Sync for Api {}

#[repr(C)]
pub struct ApiVersion {
    pub size: usize,
    pub extensions: *const Extension,
    pub major: c_int,
    pub minor: c_int,
}

/// What every struct of arguments begins with.
#[repr(C)]
pub struct Head {
    pub size: usize,
    pub extensions: *const Extension,
}

/// The arguments of an entry.
///
/// # Safety
/// The type is `repr(C)` and begins with a [`Head`].
pub unsafe trait Args: Sized {
    /// Where the last field ends: callers do not count the padding behind it.
    const END: usize;

    /// The caller's struct is long enough for a field that ends at `end`.
    fn has(&self, end: usize) -> bool {
        // SAFETY: the trait's promise.
        let head = unsafe { &*ptr::from_ref(self).cast::<Head>() };
        head.size >= end
    }
}

/// Declares structs of arguments: the head, then the fields. A number behind the name is the size that older callers
/// give for the same struct.
macro_rules! args {
    ($($(#[$meta:meta])* $name:ident $(: $end:literal)? { $($field:ident: $ty:ty),* $(,)? })*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            pub struct $name {
                pub head: $crate::api::Head,
                $(pub $field: $ty,)*
            }

            // SAFETY: as declared above.
            unsafe impl $crate::api::Args for $name {
                #[allow(unused_assignments, unused_mut)]
                const END: usize = {
                    let mut end = size_of::<$crate::api::Head>();
                    $(end = std::mem::offset_of!($name, $field) + size_of::<$ty>();)*
                    $(end = $end;)?
                    end
                };
            }
        )*
    };
}
pub(crate) use args;

/// Runs the body of an entry on its arguments.
///
/// # Safety
/// The module's promise for `args`.
pub unsafe fn enter<A: Args>(
    args: *mut c_void,
    body: impl FnOnce(&mut A) -> Result<()>,
) -> *mut crate::error::ErrorObject {
    crate::error::guarded(|| {
        let head = args.cast::<Head>();
        // SAFETY: null, or arguments, which begin with a head.
        let size = unsafe { head.as_ref() }.map_or(0, |head| head.size);
        if size < A::END {
            let message = format!("arguments of {size} bytes, at least {} are needed", A::END);
            return Err(Failure::coded(Status::InvalidArgument, "FX0731", message));
        }
        // SAFETY: they are long enough (padding is not touched), and the caller lends them for the call.
        body(unsafe { &mut *args.cast::<A>() })
    })
}

/// A pointer to one of this library's objects, as callers hold it.
#[repr(transparent)]
pub struct Handle<T>(*mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> std::fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

// SAFETY: a handle only lends what it points to.
unsafe impl<T: Sync> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Handle<T> {}

impl<T> Handle<T> {
    pub const NULL: Handle<T> = Handle(ptr::null_mut());

    /// Hands an object to the caller.
    pub fn give(object: T) -> Handle<T> {
        Handle(Box::into_raw(Box::new(object)))
    }

    /// Lends an object that this library keeps.
    pub fn lend(object: &T) -> Handle<T> {
        Handle(ptr::from_ref(object).cast_mut())
    }

    /// The handle of an object at an address.
    pub fn at(address: *const T) -> Handle<T> {
        Handle(address.cast_mut())
    }

    /// The object, where there is one.
    pub fn optional<'a>(self) -> Option<&'a T> {
        // SAFETY: the module's promise.
        unsafe { self.0.as_ref() }
    }

    /// The object.
    ///
    /// # Errors
    /// FX0731 for null.
    pub fn get<'a>(self) -> Result<&'a T> {
        let missing = || Failure::coded(Status::InvalidArgument, "FX0731", "a handle is null");
        self.optional().ok_or_else(missing)
    }

    /// Takes an object back that was given.
    pub fn take(self) -> Option<Box<T>> {
        // SAFETY: the caller ends what `give` made, once.
        (!self.0.is_null()).then(|| unsafe { Box::from_raw(self.0) })
    }

    pub fn address(self) -> *mut c_void {
        self.0.cast()
    }
}

/// A pointer and a count behind it.
#[repr(C)]
pub struct List<T> {
    data: *const T,
    count: usize,
}

/// Characters, without a NUL.
pub type Text = List<u8>;

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

// SAFETY: a list only lends its elements.
unsafe impl<T: Sync> Send for List<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for List<T> {}

impl<T> List<T> {
    /// Lends elements that this library keeps.
    pub const fn lend(elements: &[T]) -> List<T> {
        List { data: elements.as_ptr(), count: elements.len() }
    }

    /// What a caller has at an address.
    pub const fn of(data: *const T, count: usize) -> List<T> {
        List { data, count }
    }

    pub fn get<'a>(self) -> &'a [T] {
        if self.data.is_null() || self.count == 0 {
            return &[];
        }
        // SAFETY: the module's promise.
        unsafe { std::slice::from_raw_parts(self.data, self.count) }
    }

    pub fn pointer(self) -> *const T {
        self.data
    }
}

impl Text {
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.get()).into_owned()
    }
}

/// Bytes that a caller gets, with an object that keeps them and the function that ends it.
#[repr(C)]
pub struct Owned {
    pub bytes: Text,
    pub keeper: *mut c_void,
    pub delete: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl Owned {
    pub fn new(bytes: Vec<u8>) -> Owned {
        let keeper = Box::new(bytes);
        Owned { bytes: Text::lend(&keeper), keeper: Box::into_raw(keeper).cast(), delete: Some(delete_bytes) }
    }
}

unsafe extern "C" fn delete_bytes(keeper: *mut c_void) {
    // SAFETY: the keeper of `Owned::new`, ended once.
    drop(unsafe { Box::from_raw(keeper.cast::<Vec<u8>>()) });
}

/// A named value: an option of a call, or an attribute.
#[repr(C)]
pub struct NamedValue {
    pub head: Head,
    pub name: Text,
    kind: c_int,
    value: RawValue,
    count: usize,
}

#[repr(C)]
union RawValue {
    text: *const u8,
    int: i64,
    ints: *const i64,
    float: f32,
    truth: bool,
}

// SAFETY: a value is constant.
unsafe impl Send for NamedValue {}
// SAFETY: as above.
unsafe impl Sync for NamedValue {}

/// What a named value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Int(i64),
    Ints(Vec<i64>),
    Float(f32),
    Truth(bool),
}

impl NamedValue {
    const fn new(name: &'static str, kind: c_int, value: RawValue, count: usize) -> NamedValue {
        let head = Head { size: size_of::<NamedValue>(), extensions: ptr::null() };
        NamedValue { head, name: Text::lend(name.as_bytes()), kind, value, count }
    }

    pub const fn of_text(name: &'static str, text: &'static str) -> NamedValue {
        NamedValue::new(name, 0, RawValue { text: text.as_ptr() }, text.len())
    }

    pub const fn of_int(name: &'static str, int: i64) -> NamedValue {
        NamedValue::new(name, 1, RawValue { int }, 1)
    }

    pub const fn of_ints(name: &'static str, ints: &'static [i64]) -> NamedValue {
        NamedValue::new(name, 2, RawValue { ints: ints.as_ptr() }, ints.len())
    }

    pub const fn of_float(name: &'static str, float: f32) -> NamedValue {
        NamedValue::new(name, 3, RawValue { float }, 1)
    }

    /// The value; `None` for a kind that is not known.
    pub fn value(&self) -> Option<Value> {
        // SAFETY: the kind says which field of the union was written; the module's promise for pointers.
        Some(unsafe {
            match self.kind {
                0 => Value::Text(List { data: self.value.text, count: self.count }.text()),
                1 => Value::Int(self.value.int),
                2 => Value::Ints(List { data: self.value.ints, count: self.count }.get().to_vec()),
                3 => Value::Float(self.value.float),
                4 => Value::Truth(self.value.truth),
                _ => return None,
            }
        })
    }
}

const _: () = assert!(offset_of!(Api, entries) == 40 && size_of::<NamedValue>() == 56);
