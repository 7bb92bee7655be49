//! Chat templates: Jinja, as checkpoints carry them. They are data of strangers: steps are limited, and they see
//! nothing but the messages.

use fornax_runtime::Result;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, ErrorKind, Value, context};

use crate::errors::failed;

/// Steps of a template at most; those of known models take some hundred.
const FUEL: u64 = 1_000_000;

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// system, user or assistant.
    pub role: String,
    pub content: String,
}

impl Message {
    pub fn new(role: &str, content: &str) -> Message {
        Message { role: role.to_string(), content: content.to_string() }
    }
}

/// Special tokens that templates write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens {
    pub begin: String,
    pub end: String,
}

/// The prompt of a chat, up to where the model answers.
///
/// # Errors
/// FX1103 for templates that are broken, refuse the messages or take too long.
pub(crate) fn render(template: &str, messages: &[Message], tokens: &Tokens) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| failed("FX1103", error.to_string()))?);
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_function("raise_exception", |message: String| -> std::result::Result<Value, minijinja::Error> {
        Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
    });
    let messages: Vec<Value> =
        messages.iter().map(|m| context! { role => m.role.as_str(), content => m.content.as_str() }).collect();
    let values = context! {
        messages, add_generation_prompt => true, bos_token => tokens.begin.as_str(), eos_token => tokens.end.as_str(),
    };
    environment.render_str(template, values).map_err(|error| failed("FX1103", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(template: &str) -> Result<String> {
        let message = |role: &str, content: &str| Message { role: role.into(), content: content.into() };
        let tokens = Tokens { begin: "<s>".into(), end: "</s>".into() };
        render(template, &[message("system", " Be brief. "), message("user", "Hi")], &tokens)
    }

    #[test]
    fn templates_of_models_render() {
        let chatml = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + \
                      '<|im_end|>' + '\\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' \
                      }}{% endif %}";
        let wanted =
            "<|im_start|>system\n Be brief. <|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n";
        assert_eq!(chat(chatml).unwrap(), wanted);
        let llama2 = "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system = \
                      messages[0]['content'].strip() %}{% endif %}{% for m in loop_messages %}{{ bos_token + '[INST] \
                      ' + system + m.content.upper() + ' [/INST]' }}{% endfor %}";
        assert_eq!(chat(llama2).unwrap(), "<s>[INST] Be brief.HI [/INST]");
    }

    #[test]
    fn hostile_templates_end() {
        let endless = "{% for a in range(100000) %}{% for b in range(100000) %}{{ b }}{% endfor %}{% endfor %}";
        for template in [endless, "{{ raise_exception('no system') }}", "{{ nothing.at.all() }}", "{% if %}"] {
            assert_eq!(chat(template).unwrap_err().code(), "FX1103", "{template}");
        }
    }
}
