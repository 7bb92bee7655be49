// Calls a function a hundred times, in C++. The tensors stay on the device: the output of a call is the input of the
// next. Softmax again and again makes every row even. The best device is taken that the module has an image for.
//
// ```console
// $ fornax compile --target=cpu tests/model/softmax.mlir -o softmax.fnx
// $ c++ -std=c++17 -Wall -Werror crates/c-api/examples/chain.cpp $(pkg-config --cflags --libs fornax) -o chain
// $ ./chain softmax.fnx
// predict on cpu://: 4 x 1000
// microseconds a call: …
// smallest 0.001, largest 0.001
// ```

#include <fornax.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

// Errors as exceptions, handles as owners.
static void check(fornax_error *error) {
    if (error == nullptr) return;
    std::string text = std::string(fornax_error_code(error)) + ": " + fornax_error_message(error);
    fornax_error_free(error);
    throw std::runtime_error(text);
}

template <auto Free> struct Ends {
    template <class T> void operator()(T *handle) const { Free(handle); }
};
using Module = std::unique_ptr<fornax_module, Ends<fornax_module_free>>;
using Device = std::unique_ptr<fornax_device, Ends<fornax_device_free>>;
using Session = std::unique_ptr<fornax_session, Ends<fornax_session_free>>;
using Tensor = std::unique_ptr<fornax_tensor, Ends<fornax_tensor_free>>;

static void run(const char *path) {
    fornax_module *opened = nullptr;
    check(fornax_module_open(path, &opened));
    Module module(opened);
    fornax_device *found = nullptr;
    check(fornax_device_open_for(module.get(), &found));
    Device device(found);
    fornax_session_options options = {};
    options.struct_size = sizeof options;
    options.max_device_memory = 1u << 30;
    fornax_session *loaded = nullptr;
    check(fornax_session_load(module.get(), device.get(), &options, &loaded));
    Session session(loaded);

    fornax_tensor_type type;
    check(fornax_module_input_type(module.get(), "predict", 0, &type));
    std::vector<uint64_t> shape(type.shape, type.shape + type.rank);
    uint64_t elements = std::accumulate(shape.begin(), shape.end(), uint64_t(1), std::multiplies<>());
    std::vector<float> values(elements);
    std::iota(values.begin(), values.end(), 0.0f);

    fornax_tensor *made = nullptr;
    check(fornax_tensor_from_host(FORNAX_F32, shape.data(), shape.size(), values.data(), 4 * elements, &made));
    Tensor host(made);
    const fornax_tensor *inputs[] = {host.get()};
    fornax_tensor *there = nullptr;
    check(fornax_session_upload(session.get(), "predict", inputs, 1, &there));
    Tensor tensor(there);

    const int calls = 100;
    auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; call++) {
        const fornax_tensor *next[] = {tensor.get()};
        fornax_tensor *output = nullptr;
        check(fornax_session_invoke_on_device(session.get(), "predict", next, 1, &output, 1));
        tensor.reset(output);
    }
    check(fornax_device_synchronize(device.get()));
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;

    check(fornax_tensor_read(tensor.get(), values.data(), 4 * elements));
    std::printf("predict on %s: %d x %d\n", fornax_device_uri(device.get()), int(shape[0]), int(shape[1]));
    std::printf("microseconds a call: %.1f\n", time.count() / calls);
    auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    std::printf("smallest %.3f, largest %.3f\n", *smallest, *largest);
}

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: chain MODULE\n");
        return 1;
    }
    try {
        run(arguments[1]);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "error %s\n", error.what());
        return 1;
    }
}
