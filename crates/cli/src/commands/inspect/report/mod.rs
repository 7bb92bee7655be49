//! `fornax inspect --report=FILE.html`: a module as one page that needs nothing else.
//!
//! The page shows the fused graph, kernels with times and bytes, a roofline for each product, the arena over time. It
//! is `page.html` with `page.css`, the scripts and the data of [`data`] put in. Names come from the module, which may
//! be anyone's: the data are JSON without `<`, the script puts them in as text only, and the page's content policy
//! forbids every connection.

mod data;
mod measured;

use anyhow::Result;
use fornax_module::read::ParsedModule;

use crate::args::InspectArgs;
use crate::atomic_file::write_atomically;
use crate::commands::analysis::sizes;
use crate::failure::Failure;
use crate::messages;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: [&str; 4] =
    [include_str!("page.js"), include_str!("why.js"), include_str!("graph.js"), include_str!("charts.js")];

/// Writes the report that `--report` asks for.
pub fn write(args: &InspectArgs, module: &ParsedModule<&[u8]>, file_bytes: usize) -> Result<()> {
    let Some(path) = &args.report else { return Ok(()) };
    let manifest = module.manifest();
    if let Some(name) = args.target.as_deref()
        && !manifest.targets.iter().any(|t| t.arch == name || t.backend == name)
    {
        let titles: Vec<String> = manifest.targets.iter().map(|t| t.title()).collect();
        return Err(Failure::usage(format!("the module has no target {name}; it has {}", titles.join(", "))).into());
    }
    let functions: Vec<_> = manifest.functions.iter().collect();
    sizes::check_names(&functions, &args.size)?;
    let measured = measured::measured(args)?;
    let file = args.module.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let data = data::data(module, (file, file_bytes), args.target.as_deref(), &args.size, &measured);
    let text = page(&serde_json::to_string(&data)?, &manifest.module_name);
    write_atomically(path, &mut |out| Ok(out.write_all(text.as_bytes())?))?;
    messages::note(format!("wrote {}", path.display()));
    Ok(())
}

/// The page with style, script and data in their places.
fn page(data: &str, title: &str) -> String {
    let title: String = title.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { ' ' }).collect();
    let mut page = String::with_capacity(data.len() + (1 << 16));
    let mut rest = PAGE;
    // One pass: what is put in is not looked at again.
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((name, tail)) = after.split_once("}}") else {
            rest = after;
            break;
        };
        match name {
            "title" => page.push_str(title.trim()),
            "style" => page.push_str(STYLE),
            "script" => SCRIPTS.iter().for_each(|script| page.push_str(script)),
            "data" => page.push_str(&data.replace('<', "\\u003c")),
            _ => {}
        }
        rest = tail;
    }
    page + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_markup() {
        let hostile = "</script><script>alert(1)</script>{{script}}";
        let data = serde_json::to_string(&[hostile]).unwrap();
        let page = page(&data, hostile);
        assert_eq!(page.matches("<script").count(), 2, "data and code");
        assert!(!page.contains("alert(1)</script") && page.contains("\\u003c/script>\\u003cscript>alert(1)"));
        let title = page.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).unwrap().0;
        assert!(!title.contains('<') && !title.contains("{{"), "{title}");
    }

    #[test]
    fn the_page_asks_for_nothing() {
        let page = page("{}", "m");
        assert!(page.contains("default-src 'none'"));
        for word in ["http://", "https://", "src=", "href=", "@import", "innerHTML", "eval(", "insertAdjacent"] {
            let found: Vec<&str> = page.lines().filter(|line| line.contains(word)).collect();
            let known = found.iter().filter(|line| !line.contains("www.w3.org/2000/svg"));
            assert_eq!(known.count(), 0, "{word}: {found:?}");
        }
    }
}
