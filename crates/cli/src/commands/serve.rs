//! `fornax serve`: a language model or an encoder over HTTP.

use std::time::Duration;

use anyhow::Result;
use fornax_serve::Options;
use fornax_text::encoder::is_encoder;
use fornax_text::{Demand, DeviceModel, Encoder, Guesser, slots};

use crate::args::ServeArgs;
use crate::commands::language_model;
use crate::failure::Failure;
use crate::messages;
use crate::output::{self, say};

/// Texts that take turns, where a call computes one.
const SEQUENCES_DEFAULT: usize = 4;

/// What a module computes.
enum Served {
    Texts(Box<(DeviceModel, Guesser)>),
    Vectors(Box<Encoder>),
}

pub fn run(args: &ServeArgs) -> Result<()> {
    // A port that is taken is said before a model is loaded.
    let (listener, address) = fornax_serve::bind(&args.host, args.port).map_err(Failure::from)?;
    if !address.ip().is_loopback() && args.api_key.is_none() {
        messages::warning(format!("whoever reaches {address} can use the model: --api-key=KEY asks for a key"));
    }
    let vocabulary = language_model::vocabulary(&args.model)?;
    let module = language_model::module(&args.model)?;
    let is_encoder = is_encoder(module.manifest());
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let texts = match is_encoder {
        true => 1,
        false => args
            .max_sequences
            .map_or_else(|| slots(module.manifest()).map(sequences), |given| Ok(size(given)))
            .map_err(Failure::from)?,
    };
    let served = if is_encoder {
        let demand = Demand { texts: Some(texts), ..Demand::default() };
        let session = language_model::session(&args.model, &module, &demand)?;
        Served::Vectors(Box::new(Encoder::new(session).map_err(Failure::from)?))
    } else {
        let asked = (&module, Some(texts));
        Served::Texts(Box::new(language_model::model_with_guesses(&args.model, asked, &args.draft)?))
    };
    let options = Options {
        model_name: model_name(args),
        api_key: args.api_key.clone(),
        sequences: texts,
        queue: size(args.queue),
        interval: Duration::from_millis(args.token_interval),
        connections: size(args.max_connections),
        header_time: Duration::from_secs(args.header_timeout.into()),
        body_max: size(args.max_body),
        grace: Duration::from_secs(args.shutdown_limit.into()),
    };
    let ready = || {
        say!("serving {} at http://{address}/v1", options.model_name);
        output::finish();
    };
    let stop = fornax_serve::signals();
    let served = match served {
        Served::Texts(model) => fornax_serve::serve(listener, *model, vocabulary, &options, ready, stop),
        Served::Vectors(encoder) => fornax_serve::serve_encoder(listener, *encoder, vocabulary, &options, ready, stop),
    };
    Ok(served.map_err(Failure::from)?)
}

/// Texts at a time where nobody says it.
fn sequences(slots: usize) -> usize {
    if slots == 1 { SEQUENCES_DEFAULT } else { slots }
}

fn model_name(args: &ServeArgs) -> String {
    let stem = || args.model.module.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    args.model_name.clone().or_else(stem).unwrap_or_else(|| "model".to_string())
}
