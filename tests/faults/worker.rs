//! One scenario of one driver, in a process of its own: unharmed, then with each call failing.

use std::ffi::OsStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fornax_fake_driver::control::{Control, Report};
use fornax_runtime::RuntimeError;

use crate::judge::{Failure, Fault, judge, judge_end};
use crate::scenarios::{Fixture, Outcome, SCENARIOS, Scenario, Trait};
use crate::{DRIVERS, Driver};

/// OpenCL's calls that load a program, once it is made.
const OF_LOADING: &[&str] =
    &["clBuildProgram", "clGetProgramBuildInfo", "clCreateKernel", "clGetKernelInfo", "clGetKernelWorkGroupInfo"];
/// One run of a scenario may take this long.
const RUN_LIMIT: Duration = Duration::from_secs(20);
/// Cases reported at most.
const REPORTED: usize = 8;

/// `driver` is a position in the table.
pub fn run(driver: &str, scenario: &str, folder: &Path) {
    let driver = &DRIVERS[driver.parse::<usize>().unwrap()];
    let scenario = SCENARIOS.iter().find(|row| row.name == scenario).unwrap();
    let control = Control::attach(OsStr::new(driver.library)).unwrap();
    let fixture = Fixture::open(driver.name, folder);
    let clock = watch();
    let mut wrong = Vec::new();
    let mut cases = 0;
    for more in scenario.settings.iter().filter(|more| driver.knows(more)) {
        let settings = format!("{} {more}", driver.settings);
        let worker = Worker { driver, scenario, control: &control, fixture: &fixture, settings, clock: clock.clone() };
        cases += worker.each_call(&mut wrong);
    }
    println!("{cases} calls, {} codes", driver.codes.len());
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(REPORTED)].join("\n"));
}

/// Ends the process when a run does not.
fn watch() -> Arc<AtomicU64> {
    let started = Instant::now();
    let clock = Arc::new(AtomicU64::new(0));
    let seen = clock.clone();
    std::thread::spawn(move || {
        let (mut last, mut since) = (0, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now = seen.load(Ordering::Relaxed);
            if now != last {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > RUN_LIMIT {
                println!("run {now} hangs ({:.0} s after the start)", started.elapsed().as_secs_f64());
                std::process::exit(3);
            }
        }
    });
    clock
}

impl Driver {
    /// Whether the double has these settings.
    fn knows(&self, settings: &str) -> bool {
        let known = |setting: &str| setting.split_once('=').is_none_or(|(name, _)| self.variants.contains(&name));
        settings.split_whitespace().all(|setting| setting.starts_with("memory=") || known(setting))
    }
}

struct Worker<'a> {
    driver: &'a Driver,
    scenario: &'a Scenario,
    control: &'a Control,
    fixture: &'a Fixture,
    settings: String,
    clock: Arc<AtomicU64>,
}

impl Worker<'_> {
    fn each_call(&self, wrong: &mut Vec<String>) -> u64 {
        self.control.reset(&self.settings).unwrap();
        let expected = self.shown(self.once()).unwrap_or_else(|error| panic!("unharmed: {error}"));
        let report = self.control.report().unwrap();
        judge_end(&report, false).unwrap_or_else(|why| panic!("unharmed: {why}"));
        if self.scenario.traits.contains(&Trait::Moves) && self.driver.name == "cuda" {
            let calls = |part: &str| report.journal.iter().filter(|name| name.contains(part)).count();
            assert_eq!((calls("cuGraphInstantiate"), calls("SetParams") > 0), (1, true), "one graph, which moves");
        }
        if self.scenario.traits.contains(&Trait::Parts) {
            let parts = report.journal.iter().filter(|name| *name == "cuLibraryLoadData").count();
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            assert!(parts > 2 || processors == 1, "two images, each in parts");
        }
        for fault in Fault::ALL {
            for call in 1..=report.calls {
                let code = fault.code(self.driver);
                if let Err(why) = self.case(call, fault, &expected) {
                    wrong.push(format!("[{}] call {call} answers {code}: {why}", self.settings));
                }
            }
        }
        report.calls
    }

    /// The scenario with one failing call, and once more without.
    fn case(&self, call: u64, fault: Fault, expected: &Outcome) -> Result<(), String> {
        let code = fault.code(self.driver);
        self.control.reset(&format!("{} fail=#{call}={code}", self.settings))?;
        let outcome = self.once();
        let report = self.control.report()?;
        let api = usize::try_from(call - 1).ok().and_then(|at| report.journal.get(at)).cloned().unwrap_or_default();
        let lost = fault == Fault::Lost;
        let (recording, threads) = (self.is_recording(&report, call), self.scenario.traits.contains(&Trait::Threads));
        let failure = Failure { driver: self.driver, api: &api, fault, recording, threads };
        judge(&failure, &self.shown(outcome), expected).map_err(|why| format!("{api}: {why}"))?;
        let lenient = failure.is_asked_for_words() || self.scenario.traits.contains(&Trait::Reopens);
        judge_end(&report, lenient).map_err(|why| format!("{api}: {why}"))?;
        if lost {
            self.control.reset(&self.settings)?;
        }
        match self.shown(self.once()) {
            Ok(again) if again == *expected => {}
            Ok(_) => return Err(format!("{api}: the next run gives other results")),
            Err(error) => return Err(format!("{api}: the next run: {error}")),
        }
        judge_end(&self.control.report()?, false).map_err(|why| format!("{api}: after the next run: {why}"))
    }

    fn once(&self) -> Result<Outcome, RuntimeError> {
        self.clock.fetch_add(1, Ordering::Relaxed);
        catch_unwind(AssertUnwindSafe(|| (self.scenario.run)(self.fixture)))
            .unwrap_or_else(|_| panic!("the runtime panics: {}", self.settings))
    }

    /// Results as far as the double makes them.
    fn shown(&self, outcome: Result<Outcome, RuntimeError>) -> Result<Outcome, RuntimeError> {
        let executed = !self.scenario.traits.contains(&Trait::Kernels);
        let shown = |bytes: Vec<u8>| if executed { bytes } else { vec![0; bytes.len()] };
        outcome.map(|results| results.into_iter().map(shown).collect())
    }

    /// Whether a call was part of recording a graph, or of loading what was kept, which the runtime can do without.
    fn is_recording(&self, report: &Report, call: u64) -> bool {
        let (mut recording, mut loads, mut kept) = (false, 0, false);
        for name in report.journal.iter().take(call as usize) {
            match name.as_str() {
                "cuStreamCreate" => loads = 0,
                "cuModuleLoadDataEx" => {
                    loads += 1;
                    recording |= loads > 1 && self.scenario.traits.contains(&Trait::Decides);
                }
                "cuGraphCreate" => recording = true,
                // What was kept is tried, until the image is compiled again.
                "clCreateProgramWithBinary" => (kept, recording) = (true, true),
                "clCreateProgramWithIL" => (kept, recording) = (false, false),
                "clGetProgramInfo" => recording = true,
                name if name.starts_with("cl") => recording = kept && OF_LOADING.contains(&name),
                "cuGraphLaunch" | "cuStreamSynchronize" => recording = false,
                _ => {}
            }
        }
        recording
    }
}
