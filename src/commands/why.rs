//! `goldminer why`: the life of one URL, and which rule decided.

use std::collections::BTreeMap;

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
            Value::Array(portals) if name == "portals" => {
                println!("{indent}{name}:");
                print_portals(portals);
            }
            other => println!("{indent}{name}: {other}"),
        }
    }
}

/// What each portal would decide on the URL; those that refuse it for the same reason share a line.
fn print_portals(portals: &[Value]) {
    let mut refusals: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for portal in portals {
        let word = |field: &str| portal[field].as_str().unwrap_or_default();
        if portal["wanted"] == true {
            println!("  {}: wanted, {}", word("portal"), word("rule"));
        } else {
            refusals.entry(word("rule")).or_default().push(word("portal"));
        }
    }
    for (rule, names) in refusals {
        match names.as_slice() {
            [name] => println!("  {name}: not wanted, {rule}"),
            names => println!("  {} portals: not wanted, {rule}", names.len()),
        }
    }
}
