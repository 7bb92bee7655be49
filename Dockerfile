# Containers of the archives that `make dist` writes.
#
#   make dist
#   docker build --target compiler -t fornax .
#   docker build --target runtime -t fornax-runtime .
#   docker run --rm -v "$PWD:/data" fornax compile model.mlir -o model.fnx
#   docker run --rm --gpus all -v "$PWD:/data" fornax-runtime run-module --device=auto --module=model.fnx
#
# NVIDIA's driver comes from the host (nvidia-container-toolkit); for AMD mount ROCm's libraries and /dev/kfd, /dev/dri.

FROM debian:12-slim AS unpacked
COPY target/dist/ /dist/
RUN cd /dist && sha256sum -c SHA256SUMS \
    && mkdir -p /compiler /runtime \
    && apt-get update -qq && apt-get install -y -qq --no-install-recommends xz-utils \
    && tar -C /compiler --strip-components=1 -xf fornax-[0-9]*.tar.xz \
    && tar -C /runtime --strip-components=1 -xf fornax-runtime-*.tar.xz

FROM debian:12-slim AS runtime
COPY --from=unpacked /runtime/ /usr/local/
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /data
ENTRYPOINT ["/usr/local/bin/fornax"]

FROM debian:12-slim AS compiler
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends libstdc++6 zlib1g libzstd1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=unpacked /compiler/ /usr/local/
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /data
ENTRYPOINT ["/usr/local/bin/fornax"]
