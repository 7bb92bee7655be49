/* The C interface of Fornax: load a compiled module on a device, call its functions.
 *
 * Every call that can fail returns an error, NULL for success; fornax_error_free ends it. Handles are ended by the
 * *_free of their type, NULL is fine there. A handle that was made from another one stays valid when that one is
 * ended. Strings that a call returns belong to the handle that it was given. Handles may be used from several threads;
 * calls of one session run one after another. Loading a module runs its code: open only what you trust.
 *
 * Made by cbindgen from crates/c-api/src. */

#ifndef FORNAX_H
#define FORNAX_H

#include <stddef.h>
#include <stdint.h>

/**
 * Version of this interface. It grows when functions are added; a change of what exists gives the library a new name.
 */
#define FORNAX_ABI_VERSION 1

/**
 * A size of a shape that is known only when a function is called.
 */
#define FORNAX_RUN_TIME_SIZE -1

/**
 * A device that was opened.
 */
typedef struct fornax_device fornax_device;

/**
 * Devices that this machine has, as they were found.
 */
typedef struct fornax_device_list fornax_device_list;

/**
 * What went wrong: a stable code, a message, and what to do about it.
 */
typedef struct fornax_error fornax_error;

/**
 * An open module, checked. Any number of sessions and threads may use it.
 */
typedef struct fornax_module fornax_module;

/**
 * A module loaded on a device. Calls of one session run one after another, from whichever threads they come.
 */
typedef struct fornax_session fornax_session;

/**
 * A dense tensor, row-major, on the host or on a device.
 */
typedef struct fornax_tensor fornax_tensor;

/**
 * An element type: one of the FORNAX_ constants below. Elements are little endian. Elements of less than a byte take
 * one byte each, signed integers sign-extended. FORNAX_BOOL is a byte, 0 or 1. Complex numbers are re, im.
 */
typedef uint32_t fornax_dtype;

/**
 * The type of an input or output. The pointers belong to the module.
 */
typedef struct {
  fornax_dtype dtype;
  uint32_t rank;
  /**
   * As many sizes as the rank; FORNAX_RUN_TIME_SIZE where one is known only at a call.
   */
  const int64_t *shape;
  /**
   * Its name in the model, or NULL.
   */
  const char *name;
} fornax_tensor_type;

/**
 * A named parameter that is in memory.
 */
typedef struct {
  /**
   * `[scope::]name`, as the module has it.
   */
  const char *name;
  const fornax_tensor *tensor;
} fornax_parameter;

/**
 * How to load a module. Set struct_size to sizeof(fornax_session_options) and all else to zero before anything: a
 * library that knows more options than the program takes the others as zero.
 */
typedef struct {
  size_t struct_size;
  /**
   * Files that hold the named parameters, each `[scope=]PATH`: safetensors, npz or GGUF.
   */
  const char *const *parameter_files;
  size_t parameter_file_count;
  /**
   * Named parameters in memory; they are looked for before those of files.
   */
  const fornax_parameter *parameters;
  size_t parameter_count;
  /**
   * Bytes of device memory that loading and calls may plan; 0: as many as the device has.
   */
  uint64_t max_device_memory;
} fornax_session_options;

#define FORNAX_BOOL 1

#define FORNAX_I2 2

#define FORNAX_I4 3

#define FORNAX_I8 4

#define FORNAX_I16 5

#define FORNAX_I32 6

#define FORNAX_I64 7

#define FORNAX_U2 8

#define FORNAX_U4 9

#define FORNAX_U8 10

#define FORNAX_U16 11

#define FORNAX_U32 12

#define FORNAX_U64 13

#define FORNAX_F4E2M1FN 14

#define FORNAX_F6E2M3FN 15

#define FORNAX_F6E3M2FN 16

#define FORNAX_F8E3M4 17

#define FORNAX_F8E4M3 18

#define FORNAX_F8E4M3FN 19

#define FORNAX_F8E4M3FNUZ 20

#define FORNAX_F8E4M3B11FNUZ 21

#define FORNAX_F8E5M2 22

#define FORNAX_F8E5M2FNUZ 23

#define FORNAX_F8E8M0FNU 24

#define FORNAX_BF16 25

#define FORNAX_F16 26

#define FORNAX_F32 27

#define FORNAX_F64 28

#define FORNAX_COMPLEX64 29

#define FORNAX_COMPLEX128 30

/**
 * A size: a signed integer of 64 bits.
 */
#define FORNAX_INDEX 31

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the interface that the library has: FORNAX_ABI_VERSION when it was built.
 */
uint32_t fornax_abi_version(void);

/**
 * The version of Fornax, such as "0.1.0".
 */
const char *fornax_version(void);

/**
 * Opens a device by its name, as the command line's --device takes it: "auto", "cuda", "cuda:1", "rocm", "opencl",
 * "cpu", "cpu:4". A name never falls back to another device.
 */
fornax_error *fornax_device_open(const char *name,
                                 fornax_device **device);

/**
 * Opens the first device, in the order CUDA, ROCm, OpenCL, CPU, that the module has an image for.
 */
fornax_error *fornax_device_open_for(const fornax_module *module, fornax_device **device);

/**
 * The device's name in Fornax: "cuda://0", "cpu://".
 */
const char *fornax_device_uri(const fornax_device *device);

/**
 * The name that its driver gives it.
 */
const char *fornax_device_name(const fornax_device *device);

/**
 * Memory of the device in bytes: what is free now, and all of it.
 */
fornax_error *fornax_device_memory(const fornax_device *device, uint64_t *free, uint64_t *total);

/**
 * Waits for everything that was queued on the device.
 */
fornax_error *fornax_device_synchronize(const fornax_device *device);

/**
 * Ends a handle of a device. Sessions and tensors on it stay valid.
 */
void fornax_device_free(fornax_device *device);

/**
 * Looks for the devices of this machine that can be used.
 */
fornax_error *fornax_device_list_find(fornax_device_list **list);

/**
 * Number of devices.
 */
size_t fornax_device_list_count(const fornax_device_list *list);

/**
 * A device's name in Fornax, which fornax_device_open takes. NULL behind the last one.
 */
const char *fornax_device_list_uri(const fornax_device_list *list, size_t at);

/**
 * The name that its driver gives it. NULL behind the last one.
 */
const char *fornax_device_list_name(const fornax_device_list *list, size_t at);

/**
 * Ends a list of devices.
 */
void fornax_device_list_free(fornax_device_list *list);

/**
 * The stable code: "FX" and four digits. `fornax explain CODE` says more.
 */
const char *fornax_error_code(const fornax_error *error);

/**
 * What went wrong; several lines where the error has a place in a text.
 */
const char *fornax_error_message(const fornax_error *error);

/**
 * What to do about it, or NULL.
 */
const char *fornax_error_help(const fornax_error *error);

/**
 * How `fornax` would end: 1 usage or data, 2 the module, 3 the device, 4 out of memory, 5 the device is lost. 0 for
 * NULL.
 */
int32_t fornax_error_exit_code(const fornax_error *error);

/**
 * Ends an error.
 */
void fornax_error_free(fornax_error *error);

/**
 * Opens and checks a module file.
 */
fornax_error *fornax_module_open(const char *path, fornax_module **module);

/**
 * Checks a module that is in memory, such as the one in an object of `fornax compile --emit=c`. The bytes are copied.
 */
fornax_error *fornax_module_from_bytes(const uint8_t *bytes,
                                       size_t count,
                                       fornax_module **module);

/**
 * Number of functions.
 */
size_t fornax_module_function_count(const fornax_module *module);

/**
 * The name of a function. NULL behind the last one.
 */
const char *fornax_module_function_name(const fornax_module *module, size_t at);

/**
 * Number of inputs and outputs of a function; either place may be NULL. A function of NULL is the only one, or "main"
 * of several, here and everywhere.
 */
fornax_error *fornax_module_count(const fornax_module *module,
                                  const char *function,
                                  size_t *inputs,
                                  size_t *outputs);

/**
 * The type of an input of a function.
 */
fornax_error *fornax_module_input_type(const fornax_module *module,
                                       const char *function,
                                       size_t at,
                                       fornax_tensor_type *ty);

/**
 * The type of an output of a function.
 */
fornax_error *fornax_module_output_type(const fornax_module *module,
                                        const char *function,
                                        size_t at,
                                        fornax_tensor_type *ty);

/**
 * Ends a handle of a module. Sessions of it stay valid.
 */
void fornax_module_free(fornax_module *module);

/**
 * Loads a module on a device: its code, constants and parameters. Options of NULL are all zero.
 */
fornax_error *fornax_session_load(const fornax_module *module,
                                  const fornax_device *device,
                                  const fornax_session_options *options,
                                  fornax_session **session);

/**
 * Bytes of device memory that the session plans: constants, parameters, states and the arena of its largest function.
 */
uint64_t fornax_session_planned_bytes(const fornax_session *session);

/**
 * Calls a function: copies the inputs, which are on the host, to the device, runs it, and waits for its outputs, which
 * are on the host. `outputs` has room for `output_count` tensors, as many as the function has.
 */
fornax_error *fornax_session_invoke(const fornax_session *session,
                                    const char *function,
                                    const fornax_tensor *const *inputs,
                                    size_t input_count,
                                    fornax_tensor **outputs,
                                    size_t output_count);

/**
 * Copies the inputs of a function, which are on the host, to the session's device. `copies` has room for as many
 * tensors.
 */
fornax_error *fornax_session_upload(const fornax_session *session,
                                    const char *function,
                                    const fornax_tensor *const *inputs,
                                    size_t input_count,
                                    fornax_tensor **copies);

/**
 * Calls a function on tensors of the session's device. Its outputs stay there; the call may return before they are
 * computed. Inputs that the model donates are overwritten: the output is the same memory.
 */
fornax_error *fornax_session_invoke_on_device(const fornax_session *session,
                                              const char *function,
                                              const fornax_tensor *const *inputs,
                                              size_t input_count,
                                              fornax_tensor **outputs,
                                              size_t output_count);

/**
 * Ends a session. Tensors that it made stay valid.
 */
void fornax_session_free(fornax_session *session);

/**
 * Makes a tensor on the host with a copy of the elements, whose bytes must be those of the type.
 */
fornax_error *fornax_tensor_from_host(fornax_dtype dtype,
                                      const uint64_t *shape,
                                      size_t rank,
                                      const void *data,
                                      size_t bytes,
                                      fornax_tensor **tensor);

/**
 * The element type; 0 for NULL.
 */
fornax_dtype fornax_tensor_dtype(const fornax_tensor *tensor);

/**
 * Number of dimensions.
 */
size_t fornax_tensor_rank(const fornax_tensor *tensor);

/**
 * As many sizes as the rank.
 */
const uint64_t *fornax_tensor_shape(const fornax_tensor *tensor);

/**
 * Bytes of all elements on the host.
 */
size_t fornax_tensor_bytes(const fornax_tensor *tensor);

/**
 * The elements of a tensor on the host, as long as it lives; NULL for one on a device.
 */
const void *fornax_tensor_data(const fornax_tensor *tensor);

/**
 * Copies all elements to memory of the caller, from a device behind everything that is queued there. `bytes` must be
 * those of the tensor.
 */
fornax_error *fornax_tensor_read(const fornax_tensor *tensor,
                                 void *data,
                                 size_t bytes);

/**
 * Copies a tensor to a device; one that is there already is shared.
 */
fornax_error *fornax_tensor_to_device(const fornax_tensor *tensor,
                                      const fornax_device *device,
                                      fornax_tensor **copy);

/**
 * Copies a tensor to the host; one that is there already is shared.
 */
fornax_error *fornax_tensor_to_host(const fornax_tensor *tensor, fornax_tensor **copy);

/**
 * Ends a handle of a tensor.
 */
void fornax_tensor_free(fornax_tensor *tensor);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FORNAX_H */
