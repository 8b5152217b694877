//! Parameters of kernels: structs with the fields of the WGSL.

/// A field of a struct of parameters: its name, and its offset in bytes.
pub(crate) type Field = (&'static str, usize);

/// A struct of parameters: the one with the same name in a kernel, field by field. A test compares both.
pub(crate) trait Parameters: bytemuck::Pod {
    /// Its name.
    #[cfg(test)]
    const NAME: &'static str;
    /// Its fields, in their order.
    const FIELDS: &'static [Field];
}

/// Declares structs of parameters.
macro_rules! parameters {
    ($($(#[$about:meta])* $vis:vis struct $name:ident { $($(#[$note:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        $vis struct $name { $($(#[$note])* pub(crate) $field: $ty,)* }

        impl $crate::gpu::params::Parameters for $name {
            #[cfg(test)]
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [$crate::gpu::params::Field] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field))),*];
        }
    )*};
}
pub(crate) use parameters;

/// Panics unless a module has the struct with these fields.
#[cfg(test)]
pub(crate) fn assert_alike<P: Parameters>(label: &str, wgsl: &str) {
    assert_fields((P::NAME, P::FIELDS), label, wgsl);
}

/// Panics unless a module has a struct with these fields. It may lack the last ones, where a kernel takes fewer.
#[cfg(test)]
pub(crate) fn assert_fields((name, known): (&str, &[Field]), label: &str, wgsl: &str) {
    let found = fields_of(name, label, wgsl);
    let known: Vec<_> = known.iter().map(|(name, offset)| (name.to_string(), *offset)).collect();
    assert!(known.starts_with(&found), "{label}: {found:?} in WGSL, {known:?} in Rust");
}

/// The fields of a struct of a module, and their offsets.
#[cfg(test)]
pub(crate) fn fields_of(name: &str, label: &str, wgsl: &str) -> Vec<(String, usize)> {
    let module = naga::front::wgsl::parse_str(wgsl).unwrap_or_else(|error| panic!("{label}: {error}"));
    let named = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let (params, _) = named.unwrap_or_else(|| panic!("{label} has no {name}"));
    fields(&module, params, "", 0)
}

/// The fields of a type: of a struct inside another one, that one's.
#[cfg(test)]
fn fields(
    module: &naga::Module,
    ty: naga::Handle<naga::Type>,
    name: &str,
    at: usize,
) -> Vec<(String, usize)> {
    let naga::TypeInner::Struct { members, .. } = &module.types[ty].inner else {
        return vec![(name.to_owned(), at)];
    };
    let inside = |member: &naga::StructMember| {
        fields(module, member.ty, member.name.as_deref().unwrap_or_default(), at + member.offset as usize)
    };
    members.iter().flat_map(inside).collect()
}
