//! `memory token`

use super::arguments::{StoreArguments, TokenArguments, TokenCommand};
use super::failure::Outcome;
use super::open::store_path;
use super::output::Output;
use super::table::Table;
use super::values::visible;
use crate::faces::http::tokens::{self, Profile, Token};
use serde_json::json;

/// Makes, lists or removes tokens.
pub fn run(arguments: TokenArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let path = match arguments.tokens {
        Some(path) => path,
        None => tokens::beside(&store_path(store)?),
    };
    match arguments.command {
        TokenCommand::Add { name, profile, agent } => {
            let profile = Profile::ALL.into_iter().find(|one| one.as_str() == profile);
            let profile = profile.unwrap_or(Profile::Reader);
            let agent = agent.unwrap_or_else(|| match profile {
                Profile::Operator => String::new(),
                Profile::Reader | Profile::Planner => name.clone(),
            });
            let secret = tokens::add(&path, &name, &agent, profile)?;
            let shown =
                json!({ "name": name, "agent": agent, "profile": profile, "token": secret });
            output.answer(shown, |_| format!("{secret}\n"))
        }
        TokenCommand::List => output.answer(tokens::list(&path)?, listed),
        TokenCommand::Remove { name } => {
            tokens::remove(&path, &name)?;
            output.answer(json!({ "removed": name }), |_| format!("removed {}\n", visible(&name)))
        }
    }
}

fn listed(tokens: Vec<Token>) -> String {
    let mut table = Table::new(["name", "agent", "profile"]);
    let count = tokens.len();
    for Token { name, agent, profile, .. } in tokens {
        table.row([visible(&name), visible(&agent), profile.as_str().to_owned()]);
    }
    format!("{}{count} tokens\n", table.render(0))
}
