#!/usr/bin/env bash
# Runs a command where PoCL is the OpenCL runtime, a second one beside Intel's: tests/opencl/pocl.sh target/release/fornax list-devices opencl
# PoCL before 5 takes no SPIR-V, and Debian 12 has 3.1. So Debian 13's packages are unpacked to target/pocl, with the C library they need, and the
# command runs in a mount namespace of its own whose /usr they are; everything else is the machine's. Needs apt, a mirror of Debian and root (or
# user namespaces). On Debian 13 itself: apt install pocl-opencl-icd, FORNAX_OPENCL_RUNTIME=system. FORNAX_BIN=tests/opencl/pocl_fornax.sh makes tests run so.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
folder=$repository/target/pocl
root=$folder/root
if [ ! -e "$folder/done" ]; then
    mkdir -p "$folder"/apt/{lists/partial,cache/archives/partial,etc} "$folder/debs" "$root"
    cd "$folder/apt"
    touch status
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" >etc/sources.list
    cat >apt.conf <<END
Dir::State::lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
Dir::Etc::sourcelist "$folder/apt/etc/sources.list";
Dir::Etc::sourceparts "-";
Acquire::Languages "none";
END
    export APT_CONFIG=$folder/apt/apt.conf
    apt-get update -qq >"$folder/log" 2>&1
    # Of what it depends on, what compiles and links kernels; headers and sanitizers are not needed.
    names=$(apt-get install -y --no-install-recommends --print-uris pocl-opencl-icd ocl-icd-libopencl1 libgcc-14-dev libc6-dev |
        sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" | grep -vE '^(lib(asan|lsan|tsan|ubsan|hwasan|itm|objc|quadmath|gomp)|linux-libc-dev|libstdc\+\+-14-dev|rpcsvc)')
    (cd "$folder/debs" && apt-get download -qq $names >>"$folder/log" 2>&1)
    for package in "$folder"/debs/*.deb; do dpkg -x "$package" "$root"; done
    for name in bin sbin lib lib64; do [ -e "$root/$name" ] || ln -s "usr/$name" "$root/$name"; done
    for tool in ld as ar; do [ -e "$root/usr/bin/$tool" ] || ln -s "x86_64-linux-gnu-$tool" "$root/usr/bin/$tool"; done
    rm -rf "$folder/debs" "$folder/apt"
    touch "$folder/done"
    cd "$OLDPWD"
fi
private=(unshare --mount)
[ "$(id -u)" = 0 ] || private+=(--map-root-user)
export POCL_CACHE_DIR=$folder/cache
unset LD_LIBRARY_PATH OCL_ICD_VENDORS
exec "${private[@]}" bash -c '
    root=$1; folder=$2; shift 2
    for path in /*; do
        name=${path#/}
        case $name in usr | bin | sbin | lib* | etc) continue ;; esac
        [ -d "$path" ] && [ ! -L "$path" ] || continue
        mkdir -p "$root/$name"
        mount --rbind "$path" "$root/$name" || exit 1
    done
    exec unshare --root="$root" --wd="$folder" "$@"' pocl "$root" "$PWD" "$@"
