//! The report in a real browser, Chromium without a window: no console error, every panel drawn, nothing over something
//! else, light and dark. Where no Chromium is installed, the test says so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::report::{compiled, page};

/// Names that Chromium is installed under.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Nothing of the machine is used, nothing is sent.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];
/// Pixels of the window: a usual width, and high enough for every panel.
const WINDOW: (u32, u32) = (1400, 2600);
/// Sum of a pixel's three colours above which it is light, below which dark.
const LIGHT: (u32, u32) = (600, 150);
/// Colours that a drawn panel has at least; a blank one has one, with a frame two.
const COLOURS_MIN: usize = 8;
/// Models of different kinds: a small MLP, attention in a loop with a cache, one with sizes of run time, a training
/// step.
const MODELS: [&str; 4] = [
    "numeric/gelu_mlp_f32/model.mlir",
    "numeric/program_attention_cache_generation_loop/model.mlir",
    "sizes/attention/model.mlir",
    "numeric/program_train_mlp_adam/model.mlir",
];

fn browser() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// Runs the browser on a page; what it printed. Nothing may be said on the page's console.
fn browse(browser: &Path, folder: &Path, flags: &[&str]) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--window-size={},{}", WINDOW.0, WINDOW.1))
        .arg("--enable-logging=stderr")
        .args(flags)
        .arg(format!("file://{}", folder.join("page.html").display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let console: Vec<&str> = said.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{console:#?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A picture of three or four bytes a pixel.
struct Picture {
    width: usize,
    bytes: usize,
    pixels: Vec<u8>,
}

impl Picture {
    fn read(path: &Path) -> Picture {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        Picture { width: info.width as usize, bytes: info.color_type.samples(), pixels }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let start = (y * self.width + x) * self.bytes;
        [self.pixels[start], self.pixels[start + 1], self.pixels[start + 2]]
    }

    /// How many colours a part of the picture has.
    fn colours(&self, part: &Value) -> usize {
        let side = |name: &str| part[name].as_f64().unwrap().max(0.0) as usize;
        let (left, top) = (side("x"), side("y"));
        let height = self.pixels.len() / self.bytes / self.width;
        let inside = (top..(top + side("h")).min(height))
            .flat_map(|y| (left..(left + side("w")).min(self.width)).map(move |x| (x, y)));
        inside.map(|(x, y)| self.at(x, y)).collect::<std::collections::BTreeSet<_>>().len()
    }
}

#[test]
fn every_panel_is_drawn() {
    let Some(browser) = browser() else {
        println!("no Chromium on the PATH: the report is not drawn (`tests/setup.sh --browser` installs it)");
        return;
    };
    for model in MODELS {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        compiled(at, model, &["--target=cuda:sm_90a", "--target=cpu"]);
        let (text, data) = page(at, &[]);
        let probe = format!("<script>{}</script></body>", include_str!("report_probe.js"));
        std::fs::write(at.join("page.html"), text.replace("</body>", &probe)).unwrap();
        let dom = browse(&browser, at, &["--dump-dom"]);
        let found = dom.split_once("id=\"probe\">").and_then(|(_, rest)| rest.split_once("</script>"));
        let found: Value =
            serde_json::from_str(found.unwrap_or_else(|| panic!("{model}: no probe in {dom}")).0).unwrap();
        check(model, &found, &data);
        for (flag, is_dark) in
            [("--blink-settings=preferredColorScheme=1", false), ("--blink-settings=preferredColorScheme=0", true)]
        {
            let shot = at.join("shot.png");
            browse(&browser, at, &[flag, &format!("--screenshot={}", shot.display())]);
            let picture = Picture::read(&shot);
            let corner: u32 = picture.at(2, 2).iter().map(|part| u32::from(*part)).sum();
            assert!(if is_dark { corner < LIGHT.1 } else { corner > LIGHT.0 }, "{model}: {flag} gives {corner}");
            for part in found["drawn"].as_array().unwrap() {
                let colours = picture.colours(part);
                assert!(colours >= COLOURS_MIN, "{model}, {flag}: {part} has {colours} colours");
            }
        }
    }
}

/// What the probe in the page found.
fn check(model: &str, found: &Value, data: &Value) {
    let panels: Vec<&str> = found["panels"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(panels, ["Graph", "Kernels", "Roofline", "Memory over time", "Module"], "{model}");
    assert_eq!(found["wide"], 0, "{model}: the page is wider than its window");
    assert_eq!(found["overlaps"], serde_json::json!([]), "{model}");
    assert_eq!(found["outside"], serde_json::json!([]), "{model}");
    let main = &data["programs"][0]["functions"][0];
    let count = |value: &Value| value.as_u64().unwrap() as usize;
    assert!(count(&found["nodes"]) > main["walk"]["steps"].as_array().unwrap().len(), "{model}: {found}");
    assert!(count(&found["links"]) > 0 && count(&found["rows"]) > 0, "{model}: {found}");
    assert!(count(&found["marks"]["roofline"]) > 0 && count(&found["marks"]["memory"]) > 0, "{model}: {found}");
    // The chosen kernel: in the table, the graph, and told about.
    assert!(count(&found["chosen"]) >= 2, "{model}: {found}");
    assert!(found["detail"].as_str().unwrap().contains("Bytes"), "{model}: {found}");
    assert!(found["why"].as_str().unwrap().contains(". "), "{model}: {found}");
}
