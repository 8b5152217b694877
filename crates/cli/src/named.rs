//! Values by name: help, completions and the man page list the names.

use std::ffi::OsStr;
use std::fmt::Display;
use std::str::FromStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use halofold::Element;
use halofold::ladder::{Finish, RUNGS, Rung};
use halofold::rank::Method;
use halofold::reduce::Op;
use halofold::stencil::{BOXES, Border, STENCILS, Stencil, VARIANTS};

use crate::lists::each_once;

/// Parses a value. Other texts than the names may be values, too.
#[derive(Clone)]
pub struct Named<T> {
    names: fn() -> Vec<&'static str>,
    parse: fn(&str) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let parse = self.parse;
        StringValueParser::new().try_map(move |text| parse(text.trim())).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

pub fn parsed<T: FromStr<Err: Display>>(names: fn() -> Vec<&'static str>) -> Named<T> {
    Named { names, parse: |text| text.parse().map_err(|error: T::Err| error.to_string()) }
}

pub fn element() -> Named<Element> {
    parsed(|| Element::ALL.map(Element::name).to_vec())
}

/// The type of a stencil's cells.
pub fn float() -> Named<Element> {
    Named {
        names: || vec!["f32", "f64", "f16"],
        parse: |name| {
            let element = name.parse().ok().filter(|element: &Element| element.is_float());
            element.ok_or_else(|| format!("stencils have no type `{name}`; write f32, f64 or f16"))
        },
    }
}

pub fn op() -> Named<Op> {
    parsed(|| Op::ALL.iter().map(|op| op.name()).collect())
}

pub fn finish() -> Named<Finish> {
    parsed(|| Finish::ALL.map(Finish::name).to_vec())
}

pub fn method() -> Named<Method> {
    parsed(|| Method::ALL.map(Method::name).to_vec())
}

pub fn border() -> Named<Border> {
    parsed(|| vec!["fixed", "reflect", "mirror", "wrap", "constant=0"])
}

pub fn stencil() -> Named<&'static Stencil> {
    parsed(|| STENCILS.iter().chain(BOXES).map(|stencil| stencil.name).collect())
}

pub fn rung() -> Named<&'static Rung> {
    Named { names: rungs, parse: |name| Rung::named(name).map_err(|error| error.to_string()) }
}

/// The name of a variant, which a stencil of the request has or not.
pub fn variant() -> Named<String> {
    parsed(|| [vec!["auto"], variants()].concat())
}

pub fn kernel() -> Named<String> {
    parsed(|| [rungs(), variants()].concat())
}

pub fn rungs() -> Vec<&'static str> {
    RUNGS.iter().map(Rung::name).collect()
}

pub fn variants() -> Vec<&'static str> {
    each_once(VARIANTS.iter().map(|variant| variant.name))
}
