// Loads a module on the processor and calls its function once, in C.
//
// ```console
// $ fornax compile --target=cpu runtime/examples/sines.mlir -o sines.fnx
// $ cc -Wall -Wextra -Werror crates/c-api/examples/call.c $(pkg-config --cflags --libs fornax) -o call
// $ ./call sines.fnx
// main: 1 input, 1 output, on cpu://
// 0.841471 0.141120 -0.958924 0.656987
// $ ./call nowhere.fnx
// error[FX0718]: nowhere.fnx: No such file or directory (os error 2)
//   help: check the path and that the file is complete
// ```

#include <fornax.h>

#include <stdio.h>

static int report(fornax_error *error) {
    fprintf(stderr, "error[%s]: %s\n", fornax_error_code(error), fornax_error_message(error));
    if (fornax_error_help(error) != NULL) {
        fprintf(stderr, "  help: %s\n", fornax_error_help(error));
    }
    int code = fornax_error_exit_code(error);
    fornax_error_free(error);
    return code;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: call MODULE\n");
        return 1;
    }
    fornax_module *module = NULL;
    fornax_device *device = NULL;
    fornax_session *session = NULL;
    fornax_tensor *input = NULL, *output = NULL;
    size_t inputs = 0, outputs = 0;
    float values[4] = {0, 1, 2, 3};
    uint64_t shape[1] = {4};

    // Opening a module checks it. Loading runs its code: open only what you trust.
    fornax_error *error = fornax_module_open(arguments[1], &module);
    // "auto" takes CUDA, ROCm, OpenCL, then the processor.
    if (error == NULL) error = fornax_device_open("cpu", &device);
    if (error == NULL) error = fornax_session_load(module, device, NULL, &session);
    // NULL in place of a function's name: the only one, or "main".
    if (error == NULL) error = fornax_module_count(module, NULL, &inputs, &outputs);
    if (error == NULL) error = fornax_tensor_from_host(FORNAX_F32, shape, 1, values, sizeof values, &input);
    if (error == NULL) {
        const fornax_tensor *all[1] = {input};
        error = fornax_session_invoke(session, NULL, all, 1, &output, 1);
    }
    if (error == NULL) error = fornax_tensor_read(output, values, sizeof values);
    int code = 0;
    if (error == NULL) {
        printf("%s: %zu input, %zu output, on %s\n", fornax_module_function_name(module, 0), inputs, outputs,
               fornax_device_uri(device));
        printf("%f %f %f %f\n", values[0], values[1], values[2], values[3]);
    } else {
        code = report(error);
    }
    // NULL is fine for each of them.
    fornax_tensor_free(output);
    fornax_tensor_free(input);
    fornax_session_free(session);
    fornax_device_free(device);
    fornax_module_free(module);
    return code;
}
