//! `goldminer why`: the life of one URL, and which rule decided.

use serde_json::Value;

use crate::cli::WhyArgs;
use crate::engine::Ask;

use super::{Exit, look};

/// Runs the command.
///
/// # Errors
/// When the job can't be looked at.
pub fn run(args: &WhyArgs) -> anyhow::Result<Exit> {
    let why: Value = look::ask(&args.dir, &Ask::Why { url: args.url.clone() })?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&why)?);
        return Ok(Exit::Done);
    }
    print_lines(&why, 0);
    Ok(Exit::Done)
}

/// Fields as `name: value` lines, nested ones indented; what is absent is left out.
fn print_lines(value: &Value, depth: usize) {
    let Value::Object(fields) = value else {
        println!("{}{value}", "  ".repeat(depth));
        return;
    };
    for (name, field) in fields {
        let name = name.replace(['_', '-'], " ");
        let indent = "  ".repeat(depth);
        match field {
            Value::Null => {}
            Value::Object(_) => {
                println!("{indent}{name}:");
                print_lines(field, depth + 1);
            }
            Value::String(text) => println!("{indent}{name}: {text}"),
            other => println!("{indent}{name}: {other}"),
        }
    }
}
