#!/usr/bin/env bash
# Launchers start four processes as devices: mpirun of Open MPI and of MPICH, and Slurm, whose one node is set up here. The model and Slurm's job are those of docs/use/processes.md.
#
#     tests/launchers.sh PATH/TO/fornax
#
# Installs what is missing where it runs as root on Debian; what is not there is skipped with a word.
set -euo pipefail
page=$(realpath "$(dirname "$0")/../docs/use/processes.md")
fornax=$(realpath "$1")
PATH=$(dirname "$fornax"):$PATH
folder=$(mktemp -d)
passed=0 failed=0
stop() {
    local pid
    for pid in $(cat "$folder"/slurm/*.pid 2>/dev/null); do
        kill "$pid" 2>/dev/null || continue
        for _ in {1..50}; do kill -0 "$pid" 2>/dev/null && sleep 0.1 || break; done
    done
    rm -rf "$folder"
}
trap stop EXIT

have() {
    local command=$1
    shift
    command -v "$command" >/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get install -y -q --no-install-recommends "$@" >/dev/null 2>&1 || true
    fi
    command -v "$command" >/dev/null || { echo "skipped: no $command"; return 1; }
}

# The blocks of a language in the page, from the one with a line on.
block() { awk -v fence="\`\`\`$1" -v has="$2" '$0 == fence { text = ""; open = 1; next }
    $0 == "```" { if (open && index(text, has)) { printf "%s", text; exit } open = 0 } open { text = text $0 "\n" }' "$page"; }

# Of four devices each must have printed the sum.
judge() {
    local name=$1 printed=$2 found
    found=$(grep -c 'result\[0\]: 4xf32=4 8 12 16' <<<"$printed" || true)
    if [ "$found" = 4 ]; then
        echo "test $name ... ok"
        passed=$((passed + 1))
    else
        printf '%s\ntest %s ... FAILED: %s of 4 results\n' "$printed" "$name" "$found"
        failed=$((failed + 1))
    fi
}

cd "$folder"
block sh "cat > model.mlir" | grep -v 'pip install' >make.sh
bash -euo pipefail make.sh
run=(fornax run-module --launcher=env --module=model.fnx --input="4xf32=1 2 3 4")
port=$((20000 + $$ % 20000))

if have mpirun.openmpi openmpi-bin; then
    judge openmpi "$(MASTER_PORT=$port timeout 60 mpirun.openmpi --allow-run-as-root --oversubscribe -n 4 "${run[@]}" 2>&1 || true)"
fi
if have mpirun.mpich mpich; then
    judge mpich "$(MASTER_PORT=$((port + 1)) timeout 60 mpirun.mpich -n 4 "${run[@]}" 2>&1 || true)"
fi
if [ "$(id -u)" != 0 ]; then
    echo "skipped: Slurm's daemons want root here"
elif have srun slurm-client && have slurmctld slurmctld && have slurmd slurmd && have munged munge; then
    mkdir -p slurm/state slurm/spool
    chmod 755 "$folder" slurm
    (umask 077 && head -c 1024 /dev/urandom >slurm/key)
    host=$(hostname -s)
    munged --force --key-file="$folder/slurm/key" --socket="$folder/slurm/munge" --seed-file="$folder/slurm/seed" \
        --pid-file="$folder/slurm/munge.pid" --log-file="$folder/slurm/munge.log" 2>/dev/null
    cat >slurm/slurm.conf <<EOF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/slurm/munge
StateSaveLocation=$folder/slurm/state
SlurmdSpoolDir=$folder/slurm/spool
SlurmctldPidFile=$folder/slurm/slurmctld.pid
SlurmdPidFile=$folder/slurm/slurmd.pid
SlurmctldLogFile=$folder/slurm/slurmctld.log
SlurmdLogFile=$folder/slurm/slurmd.log
SlurmctldPort=$((port + 2))
SlurmdPort=$((port + 3))
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/linear
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=main Nodes=$host Default=YES State=UP
EOF
    export SLURM_CONF=$folder/slurm/slurm.conf
    slurmctld -c
    slurmd
    block bash "#SBATCH" | sed "s/MASTER_PORT=29500/MASTER_PORT=$((port + 4))/" >job.sh
    # More tasks than processors.
    timeout 120 sbatch --wait --overcommit --output=slurm.txt job.sh >/dev/null || cat slurm/slurmctld.log
    judge slurm "$(cat slurm.txt 2>/dev/null)"
fi
echo "test result: $([ "$failed" = 0 ] && echo ok || echo FAILED). $passed passed; $failed failed"
[ "$failed" = 0 ]
