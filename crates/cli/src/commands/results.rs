//! The outputs of a call on stdout, in three forms.
//!
//! ```text
//! result[0]: 4xf32=0.9 1 2 3                                          text
//!
//! EXEC @predict                                                      text, called as iree-run-module
//! result[0]: hal.buffer_view
//! 4xf32=0.9 1 2 3
//!
//! {"function":"predict","outputs":[{"type":"4xf32","values":[…]}]}    json, one line
//! ```

use fornax_runtime::Tensor;
use fornax_runtime::tensor::output::OutputTarget;
use fornax_runtime::tensor::print::{Digits, PrintOptions, print, print_element};
use serde_json::{Value, json};

use crate::output::say;

/// Prints the outputs that go to stdout, as text; `iree` in the layout of `iree-run-module`.
pub fn print_text(function: &str, outputs: &[Tensor], targets: &[OutputTarget], options: &PrintOptions, iree: bool) {
    let mut shown = outputs.iter().enumerate().filter(|(at, _)| is_printed(targets.get(*at))).peekable();
    if iree && shown.peek().is_some() {
        say!("EXEC @{function}");
    }
    for (at, tensor) in shown {
        match iree {
            true => say!("result[{at}]: hal.buffer_view\n{}", print(tensor, options)),
            false => say!("result[{at}]: {}", print(tensor, options)),
        }
    }
}

/// Outputs without `--output`, or with `--output=-`.
pub fn is_printed(target: Option<&OutputTarget>) -> bool {
    matches!(target, None | Some(OutputTarget::Text))
}

/// One output: the exporter's name if it has one, its type, and its values (at most so many) or the file that has them.
pub fn object(tensor: &Tensor, name: Option<String>, target: Option<&OutputTarget>, max_elements: usize) -> Value {
    let ty = tensor.element_type();
    let mut object = json!({ "type": tensor.ty().to_string(), "element_type": ty.spelling(), "shape": tensor.shape() });
    if let Some(name) = name {
        object["name"] = name.into();
    }
    match target {
        Some(OutputTarget::Replace(path) | OutputTarget::Append(path)) => {
            object["file"] = path.display().to_string().into();
        }
        _ => {
            let values = tensor.iter().take(max_elements).map(|value| {
                let mut text = String::new();
                print_element(&mut text, ty, value, Digits::Exact);
                // Infinities, NaN and complex numbers are no JSON numbers: they stay text.
                serde_json::from_str(&text).unwrap_or(Value::String(text))
            });
            object["values"] = values.collect();
            object["complete"] = (tensor.elements() <= max_elements).into();
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use fornax_runtime::TensorType;

    #[test]
    fn numbers_that_json_lacks_are_text() {
        let ty = TensorType::parse("4xf32").unwrap();
        let bytes = [0.1f32, f32::INFINITY, f32::NAN, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let tensor = Tensor::new(ty, bytes).unwrap();
        let all = object(&tensor, None, None, 10);
        assert_eq!(all["values"].to_string(), r#"[0.1,"inf","nan",-2]"#);
        assert_eq!((&all["type"], &all["complete"]), (&"4xf32".into(), &true.into()));
        let part = object(&tensor, None, None, 1);
        assert_eq!((part["values"].to_string().as_str(), &part["complete"]), ("[0.1]", &false.into()));
        let file = object(&tensor, Some("logits".into()), Some(&OutputTarget::Replace("o.npy".into())), 10);
        assert_eq!((&file["file"], file.get("values")), (&"o.npy".into(), None));
        assert_eq!(file["name"], "logits");
    }
}
