//! Parameters of a custom operator: the variable that its text declares, and the buffer that an application binds to it.

use naga::{AddressSpace, GlobalVariable, Handle, Module, ResourceBinding, StorageAccess};
use wgpu::{BufferUsages, Limits};

use crate::gpu::buffers::Use;
use crate::gpu::error::Error;
use crate::gpu::kernel::{Access, Slot};
use crate::gpu::limits::needs;
use crate::gpu::slice::Slice;

/// The binding of group 0 with an operator's own parameters, if they are a uniform.
pub(crate) const OWN_UNIFORM: u32 = 9;

/// The binding of group 0 with an operator's own parameters, if they are in a storage buffer.
pub(crate) const OWN_STORAGE: u32 = 10;

/// The parameters that the text of an operator declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The binding of group 0: [`OWN_UNIFORM`] or [`OWN_STORAGE`].
    pub(crate) slot: u32,
    /// Bytes of the variable, at least: those of one element if it ends with an array of any length.
    pub(crate) size: u64,
    /// True if it ends with an array of any length.
    pub(crate) is_open: bool,
}

impl Parameters {
    /// The parameters that a text declares, if it declares any.
    ///
    /// # Errors
    ///
    /// The first variable outside functions that is not the only parameters of an operator.
    pub(crate) fn of(module: &Module) -> Result<Option<Self>, Handle<GlobalVariable>> {
        let mut variables = module.global_variables.iter();
        let Some((handle, variable)) = variables.next() else { return Ok(None) };
        let slot = match (variable.space, variable.binding) {
            (AddressSpace::Uniform, Some(ResourceBinding { group: 0, binding: OWN_UNIFORM })) => OWN_UNIFORM,
            (
                AddressSpace::Storage { access: StorageAccess::LOAD },
                Some(ResourceBinding { group: 0, binding: OWN_STORAGE }),
            ) => OWN_STORAGE,
            _ => return Err(handle),
        };
        if let Some((second, _)) = variables.next() {
            return Err(second);
        }
        let inner = &module.types[variable.ty].inner;
        let size = u64::from(inner.size(module.to_ctx()));
        Ok(Some(Parameters { slot, size, is_open: inner.is_dynamically_sized(&module.types) }))
    }

    /// The binding that a kernel with the text declares.
    pub(crate) fn slot(&self) -> Slot {
        (self.slot, if self.slot == OWN_UNIFORM { Access::Uniform } else { Access::Read })
    }

    /// The use of a buffer for them: the bytes of the variable, or the whole words of the slice if it ends with an array of any length.
    fn used<'a>(&self, given: Slice<'a>) -> Use<'a> {
        let size = if self.is_open { self.size.max(given.size() / 4 * 4) } else { self.size };
        let used = Use::of("parameters", given, size);
        if self.slot == OWN_UNIFORM { used.with_usage(BufferUsages::UNIFORM) } else { used }
    }
}

/// Checks a buffer for parameters: its usage, its size, its alignment, and that it is not the output's buffer.
pub(crate) fn check(used: &Use<'_>, outputs: &[Use<'_>], limits: &Limits) -> Result<(), Error> {
    used.inside()?;
    used.aligned(limits)?;
    outputs.iter().try_for_each(|output| used.apart(output))?;
    Ok(if used.is_uniform() {
        needs!(limits, max_uniform_buffer_binding_size, used.size())
    } else {
        needs!(limits, max_storage_buffer_binding_size, used.size())
    }?)
}

/// The binding of the parameters that an operator declares, with the buffer that was given for them.
///
/// # Errors
///
/// It declares some and none are given, or the other way round.
pub(crate) fn pair<'a>(
    operator: &str,
    declared: Option<Parameters>,
    given: Option<Slice<'a>>,
) -> Result<Option<(u32, Use<'a>)>, Error> {
    let message = match (declared, given) {
        (None, None) => return Ok(None),
        (Some(declared), Some(given)) => return Ok(Some((declared.slot, declared.used(given)))),
        (Some(_), None) => "declares parameters: give them by `.with_parameters(…)`",
        (None, Some(_)) => "declares no parameters: leave `.with_parameters(…)` out",
    };
    Err(Error::setting("parameters", format!("`{operator}` {message}")))
}
