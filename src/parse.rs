//! Values by their names.

use crate::gpu::error::Error;

/// Implements `Display` and `FromStr` for a type whose values are in a list `ALL`, and have names.
macro_rules! by_name {
    ($ty:ident, $kind:literal, $kinds:literal) => {
        impl std::fmt::Display for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $ty {
            type Err = $crate::Error;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::parse::named(($kind, $kinds), $ty::ALL.iter().copied(), $ty::name, name)
            }
        }
    };
}
pub(crate) use by_name;

/// Declares an enum whose values have names, with a list of all, and with what [`by_name`] implements.
macro_rules! named_values {
    (
        $(#[$meta:meta])*
        pub enum $ty:ident($kind:literal, $kinds:literal) { $($(#[$about:meta])* $value:ident = $name:literal,)* }
    ) => {
        $(#[$meta])*
        pub enum $ty {
            $($(#[$about])* $value,)*
        }

        impl $ty {
            /// All values, in their order.
            pub const ALL: [$ty; [$($name),*].len()] = [$($ty::$value),*];

            /// Its name, as on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $($ty::$value => $name,)*
                }
            }
        }

        $crate::parse::by_name!($ty, $kind, $kinds);
    };
}
pub(crate) use named_values;

/// Finds the value with a name. `kind` and `kinds` name the type in the error's message.
pub(crate) fn named<T: Copy>(
    (kind, kinds): (&str, &str),
    all: impl IntoIterator<Item = T>,
    name_of: impl Fn(T) -> &'static str,
    name: &str,
) -> Result<T, Error> {
    let mut known = Vec::new();
    for value in all {
        if name_of(value) == name {
            return Ok(value);
        }
        known.push(name_of(value));
    }
    Err(Error::setting("name", format!("unknown {kind} `{name}`; the {kinds} are {}", known.join(", "))))
}
