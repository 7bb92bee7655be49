//! docs/measured/speed.svg, the picture in README: drawn from the tables of docs/measured/benchmarks.md, so it cannot
//! say anything else.
//!
//! A line a group of workloads: the geometric mean of the peer's time by Fornax's, and the least and the largest of the
//! group. `FORNAX_BLESS=1 cargo test -p fornax-tests --test cli speed_picture` draws it anew.

use std::fmt::Write;

use fornax_tests::root;

/// A line of the picture.
struct Group {
    label: &'static str,
    /// The heading under which the table stands.
    section: &'static str,
    /// Starts of the names of workloads; all of the table if there are none.
    names: &'static [&'static str],
    /// How a row gives its ratios.
    ratios: Ratios,
}

enum Ratios {
    /// The fourth cell, with or without stars.
    Column,
    /// `(1.57)` in cells of this column and the next.
    InBrackets(usize),
    /// A row with count, geometric mean and least of a whole group, whose name is this.
    Counted(&'static str),
}

const BARS: &str = "## The bars on one NVIDIA H200";
const CONVOLUTIONS: &str = "## ResNet50's and MobileNetV2's convolutions";
const CPU: &str = "## CPU: one thread, two-core x86-64 with AVX-512 of Intel";

const GPU_GROUPS: &[Group] = &[
    column("Products, f64 to fp8", "### Products", &[]),
    column("Products of transformers, bf16", "### Transformer shapes", &[]),
    column("Attention, bf16 and f16", "### Attention\n", &[]),
    column("Attention, other heads and f32", "### Attention of other heads", &[]),
    column("Decoding", "### Decoding", &[]),
    brackets("Convolutions, f16", 1),
    brackets("Convolutions, f32", 3),
    brackets("Convolutions, tf32", 5),
    column("Softmax and norms", MEMORY, &["softmax", "layernorm", "rmsnorm"]),
    column("Sums of rows and columns", MEMORY, &["rowsum", "colsum"]),
    column("Transposes, gathers", MEMORY, &["transpose", "gather"]),
    column("Sorts, scans", MEMORY, &["sort", "topk", "cumsum"]),
    column("Pooling", MEMORY, &["max_pool", "avg_pool"]),
    column("Scatters", MEMORY, &["scatter"]),
];

const CPU_GROUPS: &[Group] = &[
    counted("Products, f32", "f32 products, both operands given"),
    counted("Products with weights, bias", "products with weights, bias"),
    counted("ResNet50 convolutions", "ResNet50 convolutions, batch 1"),
    counted("Depthwise convolutions", "MobileNetV2 depthwise"),
    counted("Attention", "attention"),
    counted("Softmax", "softmax"),
    counted("Layer norm", "layernorm"),
    counted("GELU", "gelu (erfc)"),
];

const MEMORY: &str = "### Memory-bound";

const fn column(label: &'static str, section: &'static str, names: &'static [&'static str]) -> Group {
    Group { label, section, names, ratios: Ratios::Column }
}

const fn brackets(label: &'static str, first: usize) -> Group {
    Group { label, section: CONVOLUTIONS, names: &[], ratios: Ratios::InBrackets(first) }
}

const fn counted(label: &'static str, row: &'static str) -> Group {
    Group { label, section: CPU, names: &[], ratios: Ratios::Counted(row) }
}

/// What a line shows.
struct Summary {
    label: &'static str,
    count: usize,
    mean: f64,
    least: f64,
    /// Not known of the groups that the page counts itself.
    largest: Option<f64>,
}

/// The cells of the rows of the tables between a heading and the next one.
fn rows<'a>(page: &'a str, section: &str) -> Vec<Vec<&'a str>> {
    let at = page.find(section).unwrap_or_else(|| panic!("docs/measured/benchmarks.md has no `{section}`"));
    let body = page[at..].split_once('\n').map_or("", |(_, rest)| rest);
    let end = body.lines().take_while(|line| !line.starts_with('#')).map(|line| line.len() + 1).sum::<usize>();
    let lines = body[..end.min(body.len())].lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn number(cell: &str) -> Option<f64> {
    cell.trim_matches('*').parse().ok()
}

fn summary(page: &str, group: &Group) -> Summary {
    let rows = rows(page, group.section);
    let mut ratios = Vec::new();
    for row in &rows {
        let name = row[0].trim_matches('`');
        match group.ratios {
            Ratios::Column if group.names.is_empty() || group.names.iter().any(|start| name.starts_with(start)) => {
                ratios.extend(row.get(3).copied().and_then(number));
            }
            Ratios::Column => {}
            Ratios::InBrackets(first) => {
                for cell in row.iter().skip(first).take(2) {
                    let inside = cell.rsplit_once('(').and_then(|(_, rest)| rest.split_once(')'));
                    ratios.extend(inside.and_then(|(ratio, _)| number(ratio)));
                }
            }
            Ratios::Counted(wanted) if name == wanted => {
                let cell = |at: usize| number(row[at]).unwrap_or_else(|| panic!("{wanted}: cell {at}"));
                return Summary {
                    label: group.label,
                    count: cell(1) as usize,
                    mean: cell(2),
                    least: cell(3),
                    largest: None,
                };
            }
            Ratios::Counted(_) => {}
        }
    }
    assert!(ratios.len() >= 4, "{}: {} ratios", group.label, ratios.len());
    Summary {
        label: group.label,
        count: ratios.len(),
        mean: (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp(),
        least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
        largest: Some(ratios.iter().copied().fold(0.0, f64::max)),
    }
}

/// Pixels.
const WIDTH: f64 = 820.0;
const LEFT: f64 = 250.0;
const RIGHT: f64 = 70.0;
const LINE: f64 = 21.0;
/// Ends of the axis, which is logarithmic.
const FROM: f64 = 0.2;
const TO: f64 = 50.0;

/// Where a ratio lies, in pixels; what is beyond the axis lies at its end.
fn x(ratio: f64) -> f64 {
    let share = (ratio.clamp(FROM, TO) / FROM).ln() / (TO / FROM).ln();
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

/// A title, an axis and the groups; returns the y below.
fn panel(svg: &mut String, top: f64, title: &str, groups: &[Summary]) -> f64 {
    writeln!(svg, r##"<text x="16" y="{:.0}" font-weight="bold">{title}</text>"##, top + 14.0).unwrap();
    let (first, last) = (top + 44.0, top + 44.0 + LINE * groups.len() as f64);
    for tick in [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
        let (at, colour) = (x(tick), if tick == 1.0 { "#333" } else { "#ddd" });
        writeln!(
            svg,
            r##"<line x1="{at:.1}" y1="{:.0}" x2="{at:.1}" y2="{last:.0}" stroke="{colour}"/>"##,
            first - 6.0
        )
        .unwrap();
        writeln!(svg, r##"<text x="{at:.1}" y="{:.0}" text-anchor="middle" fill="#666">{tick}×</text>"##, first - 11.0)
            .unwrap();
    }
    for (at, group) in groups.iter().enumerate() {
        let y = first + LINE * at as f64;
        let middle = y + LINE / 2.0;
        let colour = if group.mean >= 1.0 { "#2f6fb3" } else { "#c2572b" };
        let (from, to) = (x(1.0).min(x(group.mean)), x(1.0).max(x(group.mean)));
        let (least, largest) = (x(group.least), x(group.largest.unwrap_or(group.mean)));
        let label = format!("{} ({})", group.label, group.count);
        writeln!(svg, r##"<text x="{:.0}" y="{:.1}" text-anchor="end">{label}</text>"##, LEFT - 10.0, middle + 4.0)
            .unwrap();
        writeln!(
            svg,
            r##"<rect x="{from:.1}" y="{:.1}" width="{:.1}" height="13" fill="{colour}"/>"##,
            middle - 6.5,
            to - from
        )
        .unwrap();
        writeln!(svg, r##"<line x1="{least:.1}" y1="{middle:.1}" x2="{largest:.1}" y2="{middle:.1}" stroke="#111"/>"##)
            .unwrap();
        writeln!(
            svg,
            r##"<line x1="{least:.1}" y1="{:.1}" x2="{least:.1}" y2="{:.1}" stroke="#111"/>"##,
            middle - 4.0,
            middle + 4.0
        )
        .unwrap();
        writeln!(svg, r##"<text x="{:.0}" y="{:.1}">{:.2}×</text>"##, WIDTH - RIGHT + 14.0, middle + 4.0, group.mean)
            .unwrap();
    }
    last + 16.0
}

/// The date at the end of the heading that begins so.
fn date<'a>(page: &'a str, heading: &str) -> &'a str {
    let line = page.lines().find(|line| line.starts_with(heading)).unwrap_or_else(|| panic!("no `{heading}`"));
    let date = line.rsplit(", ").next().unwrap_or("");
    assert!(date.len() == 10 && date.starts_with("20"), "`{line}` does not end with a date");
    date
}

fn picture(page: &str) -> String {
    let all = |groups: &[Group]| groups.iter().map(|group| summary(page, group)).collect::<Vec<_>>();
    let (bars, convolutions, cpu) = (date(page, BARS), date(page, CONVOLUTIONS), date(page, CPU));
    let gpu_title = format!("NVIDIA H200, {bars}: torch's kernel time (cuBLAS, cuDNN, CUB, its own) by Fornax's");
    let cpu_title = format!("One thread of a Xeon, {cpu}: the better of XLA's and ONNX Runtime's time by Fornax's");
    let mut body = String::new();
    let mut y = panel(&mut body, 12.0, &gpu_title, &all(GPU_GROUPS));
    y = panel(&mut body, y + 8.0, &cpu_title, &all(CPU_GROUPS));
    let spread = format!(
        "Thin lines: from the least of the group to its largest (processors: to the mean). Convolutions: \
         {convolutions}."
    );
    let notes = [
        "Bars: geometric mean, written at the right; above 1 Fornax is faster. Numbers of workloads in brackets.",
        spread.as_str(),
    ];
    for note in notes {
        y += 16.0;
        writeln!(body, r##"<text x="16" y="{:.0}" fill="#666">{note}</text>"##, y - 6.0).unwrap();
    }
    let height = y + 10.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" \
         height=\"{height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
         <title>Speed of Fornax beside its peers</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

#[test]
fn speed_picture_shows_the_tables() {
    let page = std::fs::read_to_string(root().join("docs/measured/benchmarks.md")).unwrap();
    let (wanted, file) = (picture(&page), root().join("docs/measured/speed.svg"));
    if std::env::var_os("FORNAX_BLESS").is_some() {
        std::fs::write(&file, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == wanted, "docs/measured/speed.svg is stale: run `make bless`");
}

#[test]
fn a_changed_number_changes_the_picture() {
    let page = std::fs::read_to_string(root().join("docs/measured/benchmarks.md")).unwrap();
    let row = page.lines().find(|line| line.starts_with("| `gemm_f64_4096`")).unwrap();
    let changed = page.replace(row, &row.replace("0.98", "9.80"));
    assert_ne!(picture(&page), picture(&changed));
}
