//! Modules for several devices whose devices are processes: what each launcher's variables do, and that a process that
//! dies, hangs or has another module ends all others with an error that names it.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fornax_tests::goldens::{cases, golden_flags};
use fornax_tests::{ONE_CPU, Run, binary, fornax, fornax_with, root};

/// Seconds that a device waits for another one.
const TIMEOUT: u64 = 5;
/// Kills of a quick run, and of `make test-processes`.
const KILLS: u64 = 4;

fn compile(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join("m.mlir"), text).unwrap();
    fornax(folder, &["compile", "--quiet", "--jobs=1", ONE_CPU, "m.mlir", "-o", name]).ok();
}

/// `rounds` sums over all of `devices`, one after the other.
fn sums(devices: usize, rounds: u64) -> String {
    let all: Vec<String> = (0..devices).map(|device| device.to_string()).collect();
    format!(
        "module attributes {{mhlo.num_partitions = {devices} : i32}} {{
           func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
             %zero = stablehlo.constant dense<0> : tensor<i32>
             %one = stablehlo.constant dense<1> : tensor<i32>
             %last = stablehlo.constant dense<{rounds}> : tensor<i32>
             %half = stablehlo.constant dense<{part:?}> : tensor<4xf32>
             %0:2 = stablehlo.while(%n = %zero, %x = %a) : tensor<i32>, tensor<4xf32> cond {{
               %c = stablehlo.compare LT, %n, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
               stablehlo.return %c : tensor<i1>
             }} do {{
               %s = \"stablehlo.all_reduce\"(%x) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
                   replica_groups = dense<[[{groups}]]> : tensor<1x{devices}xi64>, use_global_device_ids}}> ({{
                 ^bb0(%p: tensor<f32>, %q: tensor<f32>):
                   %r = stablehlo.add %p, %q : tensor<f32>
                   stablehlo.return %r : tensor<f32>
                 }}) : (tensor<4xf32>) -> tensor<4xf32>
               %y = stablehlo.multiply %s, %half : tensor<4xf32>
               %m = stablehlo.add %n, %one : tensor<i32>
               stablehlo.return %m, %y : tensor<i32>, tensor<4xf32>
             }}
             return %0#1 : tensor<4xf32>
           }}
         }}",
        part = 1.0 / devices as f32,
        groups = all.join(", ")
    )
}

/// A port that nobody listens at.
fn port() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// Starts device `number` of `count`.
fn start(folder: &Path, (number, count): (usize, usize), port: &str, module: &str) -> Child {
    let flags = ["run-module", "--launcher=env", "--input=4xf32=1 2 3 4"];
    Command::new(binary())
        .args(flags)
        .args([format!("--module={module}"), format!("--collective-timeout={TIMEOUT}")])
        .env("FORNAX_KERNEL_CACHE", "off")
        .envs([("RANK", number.to_string()), ("WORLD_SIZE", count.to_string()), ("MASTER_PORT", port.to_string())])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How a process ended, which it must do soon.
fn ended(child: Child, limit: Duration) -> Run {
    let id = child.id().to_string();
    let (done, timer) = std::sync::mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        let hangs = timer.recv_timeout(limit).is_err();
        if hangs {
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
        hangs
    });
    let output = child.wait_with_output().unwrap();
    let _ = done.send(());
    assert!(!watchdog.join().unwrap(), "a process hung: {output:?}");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code().unwrap_or(-1), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// Three processes, of which one is done something to after a while; the others must name it.
fn disturbed(folder: &Path, victim: usize, after: Duration, signal: &str) {
    let port = port();
    let mut children: Vec<Child> = (0..3).map(|number| start(folder, (number, 3), &port, "long.fnx")).collect();
    std::thread::sleep(after);
    let struck = children.remove(victim);
    let send = |signal: &str| Command::new("kill").args([signal, &struck.id().to_string()]).status().unwrap();
    assert!(send(signal).success());
    let began = Instant::now();
    for child in children {
        let run = ended(child, Duration::from_secs(TIMEOUT + 10));
        assert_eq!(run.code, 3, "victim {victim} after {after:?}: {}{}", run.stdout, run.stderr);
        let named =
            [format!("device {victim} "), format!("[{victim}]"), format!("[{victim}, "), format!(", {victim}]")];
        // Before all have met, only number 0 knows who is missing.
        let known = named.iter().any(|name| run.stderr.contains(name)) || run.stderr.contains("FX0741");
        assert!(known, "victim {victim} after {after:?}: {}", run.stderr);
    }
    assert!(began.elapsed() < Duration::from_secs(TIMEOUT + 8), "{:?}", began.elapsed());
    let _ = send("-9");
    let mut struck = struck;
    let _ = struck.wait();
}

#[test]
fn a_process_that_is_killed_or_hangs_ends_the_others() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "long.fnx", &sums(3, 100_000_000));
    let kills = std::env::var("FORNAX_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    for kill in 0..kills {
        // From before they meet to the middle of the sums.
        let after = Duration::from_millis(if kill == 0 { 1 } else { 150 + 37 * kill % 600 });
        disturbed(folder.path(), (kill % 3) as usize, after, "-9");
    }
    disturbed(folder.path(), 1, Duration::from_millis(400), "-STOP");
}

/// A chain of devices, each of which waits for the one before it: whoever is killed or hangs, at either end or in the
/// middle, ends the others.
#[test]
fn a_process_of_a_pipeline_that_is_lost_ends_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let rounds = "%last = stablehlo.constant dense<100000000> : tensor<i32>";
    compile(folder.path(), "long.fnx", &crate::transfers::chain_in_a_loop(3, rounds));
    for (victim, signal) in [(0, "-9"), (1, "-STOP"), (2, "-9")] {
        disturbed(folder.path(), victim, Duration::from_millis(700), signal);
    }
}

/// The page's example, and each launcher's variables.
#[test]
fn a_shell_loop_is_a_launcher() {
    let folder = tempfile::tempdir().unwrap();
    compile(folder.path(), "model.fnx", &sums(4, 3));
    let page = std::fs::read_to_string(root().join("docs/use/processes.md")).unwrap();
    let mut blocks = page.split("```sh\n").filter_map(|rest| rest.split("```").next());
    let example = blocks.find(|block| block.contains("RANK=$rank")).expect("an example");
    for names in ["RANK WORLD_SIZE", "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE", "SLURM_PROCID SLURM_NTASKS"] {
        let (rank, size) = names.split_once(' ').unwrap();
        let script = example.replace("WORLD_SIZE", size).replace("RANK", rank).replace("29500", &port());
        let script = script.replace("cat out.3", "cat out.*");
        let path = format!("{}:{}", binary().parent().unwrap().display(), std::env::var("PATH").unwrap());
        let run =
            Command::new("sh").args(["-ec", &script]).env("PATH", path).current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{script}{text}{}", String::from_utf8_lossy(&run.stderr));
        for device in 0..4 {
            assert!(text.contains(&format!("device {device}\n")), "{names}: {text}");
        }
        assert_eq!(text.matches("4xf32=1 2 3 4").count(), 4, "{names}: {text}");
    }
}

/// Whole inputs are cut, and outputs compared part by part, as with threads.
#[test]
fn programs_of_jax_run_as_processes() {
    let wanted = [
        "auto_attention",
        "auto_train_fsdp",
        "manual_collectives",
        "manual_groups",
        "manual_partial_permute",
        "transfer_pipeline",
        "transfer_there_and_back",
    ];
    let of = |case: &std::path::PathBuf| wanted.iter().any(|name| case.ends_with(name));
    let found: Vec<_> = cases(&["tests/sharded"]).into_iter().filter(of).collect();
    assert_eq!(found.len(), wanted.len());
    for case in found {
        let folder = tempfile::tempdir().unwrap();
        let model = case.join("model.mlir").display().to_string();
        fornax(folder.path(), &["compile", "--quiet", "--jobs=1", ONE_CPU, &model, "-o", "m.fnx"]).ok();
        let flags = [vec!["--launcher=env".to_string()], golden_flags(&case).unwrap()].concat();
        let flags: Vec<&str> = ["run-module"].into_iter().chain(flags.iter().map(String::as_str)).collect();
        let port = port();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (flags, port, folder, number) = (&flags, &port, folder.path(), number.to_string());
                let limit = Duration::from_secs(60);
                scope.spawn(move || {
                    let variables = [("RANK", number.as_str()), ("WORLD_SIZE", "8"), ("MASTER_PORT", port.as_str())];
                    fornax_with(folder, flags, &variables, limit).ok();
                });
            }
        });
    }
}

#[test]
fn processes_that_cannot_run_together_are_told_why() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    compile(dir, "a.fnx", &sums(2, 1));
    compile(dir, "b.fnx", &sums(2, 2));
    let at = port();
    let both = ["a.fnx", "b.fnx"].into_iter().enumerate().map(|(number, module)| start(dir, (number, 2), &at, module));
    for child in both.collect::<Vec<_>>() {
        ended(child, Duration::from_secs(TIMEOUT + 10)).fails(2, "FX0728").stderr.contains("device ");
    }
    // Alone: the other one never comes.
    let began = Instant::now();
    let text = ended(start(dir, (0, 2), &port(), "a.fnx"), Duration::from_secs(TIMEOUT + 10)).fails(3, "FX0741").stderr;
    assert!(text.contains("[1]") && began.elapsed() < Duration::from_secs(TIMEOUT + 5), "{text}");
    let run = |variables: &[(&str, &str)], flag: &str| {
        let flags = ["run-module", "--module=a.fnx", "--input=4xf32=1", "--launcher=env", flag];
        fornax_with(dir, &flags, variables, Duration::from_secs(60))
    };
    run(&[], "--device=cpu").fails(1, "FX0740");
    run(&[("RANK", "2"), ("WORLD_SIZE", "2")], "--device=cpu").fails(1, "FX0740");
    run(&[("RANK", "0"), ("WORLD_SIZE", "1")], "--device=cpu").fails(2, "FX0729");
    run(&[("RANK", "0"), ("WORLD_SIZE", "1")], "--devices=cpu:0-1").fails(1, "cannot be used with");
}
