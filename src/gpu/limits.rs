//! Checks of a device's limits, and their error.

use std::fmt;
use std::ops::RangeInclusive;

use wgpu::Limits;

use crate::gpu::blocks;
use crate::gpu::kernel::{Access, Slot};

/// A limit of the device that is too low for an operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct LimitError {
    /// The operator, the rung or the buffer that needs it: `` `dot` `` or `the output`. Empty if it is the whole operation.
    pub subject: String,
    /// The limit, a field of [`wgpu::Limits`].
    pub name: &'static str,
    /// The value needed.
    pub needed: u64,
    /// The device's value, or the most that halofold uses of it.
    pub limit: u64,
    /// True if the device has more, or as much, as halofold uses: a higher limit does not help.
    pub is_own: bool,
    /// Another remedy than a higher limit: `use fewer bins`. Empty if there is none.
    pub remedy: &'static str,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitError { subject, name, needed, limit, is_own, remedy } = self;
        match subject.as_str() {
            "" => write!(f, "{name} of {needed} is needed, ")?,
            subject => write!(f, "{subject} needs {name} of {needed}, ")?,
        }
        if *is_own {
            return write!(f, "halofold uses at most {limit}: {remedy}");
        }
        let or = if remedy.is_empty() { "" } else { ", or " };
        write!(f, "this device has {limit}: request more when you open it{or}{remedy}")
    }
}

/// Returns an error if a limit, a field of `Limits`, is lower than needed.
macro_rules! needs {
    ($limits:expr, $name:ident, $needed:expr) => {
        $crate::gpu::LimitError::unless(stringify!($name), $limits.$name, $needed)
    };
}
pub(crate) use needs;

impl LimitError {
    /// Returns an error if the device's limit is lower than needed.
    pub(crate) fn unless(
        name: &'static str,
        limit: impl Into<u64>,
        needed: impl Into<u64>,
    ) -> Result<(), Self> {
        let (limit, needed) = (limit.into(), needed.into());
        if needed > limit { Err(LimitError::new(name, limit, needed)) } else { Ok(()) }
    }

    /// Makes the error of a limit of the device.
    pub(crate) fn new(name: &'static str, limit: u64, needed: u64) -> Self {
        LimitError { subject: String::new(), name, needed, limit, is_own: false, remedy: "" }
    }

    /// Returns an error if a binding of the device has fewer bytes than needed.
    pub(crate) fn unless_bound(limits: &Limits, needed: u64) -> Result<(), Self> {
        needs!(limits, max_storage_buffer_binding_size, needed)?;
        needs!(limits, max_buffer_size, needed)
    }

    /// Adds another remedy than a higher limit.
    pub(crate) fn or(self, remedy: &'static str) -> Self {
        LimitError { remedy, ..self }
    }

    /// Names the part that needs more than the limit.
    pub(crate) fn of(self, subject: impl Into<String>) -> Self {
        LimitError { subject: subject.into(), ..self }
    }
}

/// A setting of an operation that is out of range, or that does not go with another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct SettingError {
    /// Its name.
    pub name: &'static str,
    /// Its value, if it is a whole number.
    pub value: Option<u64>,
    message: String,
}

impl SettingError {
    /// Makes the error of a setting that has a value outside of those allowed.
    pub(crate) fn new(name: &'static str, value: impl Into<u64>, allowed: impl fmt::Display) -> Self {
        let value = value.into();
        SettingError { name, value: Some(value), message: format!("{name} of {value}: it can be {allowed}") }
    }

    /// Makes the error of a setting with its whole message.
    pub(crate) fn of(name: &'static str, message: impl Into<String>) -> Self {
        SettingError { name, value: None, message: message.into() }
    }

    /// Adds the value.
    pub(crate) fn valued(self, value: u64) -> Self {
        SettingError { value: Some(value), ..self }
    }

    /// Adds a reason or a remedy.
    pub(crate) fn with(self, remark: &str) -> Self {
        SettingError { message: self.message + remark, ..self }
    }

    /// Returns the setting if it is outside of a range.
    pub(crate) fn unless(
        name: &'static str,
        value: impl Into<u64>,
        allowed: RangeInclusive<u32>,
    ) -> Result<(), Self> {
        let (value, least, most) = (value.into(), *allowed.start(), *allowed.end());
        if (u64::from(least)..=u64::from(most)).contains(&value) {
            return Ok(());
        }
        let is_open = most == u32::MAX && value < least.into();
        let allowed = if is_open { format!("at least {least}") } else { format!("{least} to {most}") };
        Err(SettingError::new(name, value, allowed))
    }

    /// Returns the setting if it is outside of a range, or no power of two.
    pub(crate) fn unless_power(
        name: &'static str,
        value: u32,
        allowed: RangeInclusive<u32>,
    ) -> Result<(), Self> {
        let (least, most) = (allowed.start(), allowed.end());
        if value.is_power_of_two() && allowed.contains(&value) {
            return Ok(());
        }
        Err(SettingError::new(name, value, format!("a power of two from {least} to {most}")))
    }
}

/// The largest workgroup of one dimension.
pub(crate) fn largest_workgroup(limits: &Limits) -> u32 {
    limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x)
}

/// The largest power of two of invocations in a workgroup of one dimension, up to `most`.
pub(crate) fn power_of_two_workgroup(most: u32, limits: &Limits) -> u32 {
    1 << largest_workgroup(limits).min(most).max(1).ilog2()
}

/// Checks the limits that a kernel with these bindings in group 0 needs for any input.
pub(crate) fn check(slots: &[Slot], limits: &Limits) -> Result<(), LimitError> {
    let count =
        |counts: fn(Access) -> bool| slots.iter().filter(|(_, access)| counts(*access)).count() as u64;
    let storage = count(|access| matches!(access, Access::Read | Access::Write));
    let uniforms = count(|access| access == Access::Uniform);
    let textures = count(|access| matches!(access, Access::Texture(_)));
    let stored = count(|access| matches!(access, Access::Store(_)));
    let behind = slots.iter().map(|(slot, _)| slot + 1).max().unwrap_or(0);
    needs!(limits, max_storage_buffers_per_shader_stage, storage)?;
    needs!(limits, max_uniform_buffers_per_shader_stage, uniforms)?;
    needs!(limits, max_sampled_textures_per_shader_stage, textures)?;
    needs!(limits, max_storage_textures_per_shader_stage, stored)?;
    needs!(limits, max_buffers_and_acceleration_structures_per_shader_stage, storage + uniforms)?;
    needs!(limits, max_bindings_per_bind_group, behind)?;
    check_basics(limits)
}

/// Checks the limits that kernels with these bindings need. Of several errors about one limit it returns that of the largest kernel.
pub(crate) fn check_all(kernels: impl Iterator<Item = Vec<Slot>>, limits: &Limits) -> Result<(), LimitError> {
    let errors = kernels.filter_map(|slots| check(&slots, limits).err());
    let larger = |a: LimitError, b: LimitError| if b.name == a.name && b.needed > a.needed { b } else { a };
    errors.reduce(larger).map_or(Ok(()), Err)
}

/// Checks the limits that every kernel needs: a bind group, some parameters, a workgroup.
pub(crate) fn check_basics(limits: &Limits) -> Result<(), LimitError> {
    let block = blocks::STRIDE;
    needs!(limits, max_bind_groups, 1u32)?;
    needs!(limits, max_buffer_size, block)?;
    needs!(limits, max_uniform_buffer_binding_size, block)?;
    // A window starts at a multiple of the alignment, and must reach the next multiple.
    let window = block.max(u64::from(limits.min_storage_buffer_offset_alignment));
    needs!(limits, max_storage_buffer_binding_size, window)?;
    needs!(limits, max_compute_workgroups_per_dimension, 1u32)?;
    check_workgroup([1, 1], limits)
}

/// Checks that a device can run workgroups of `x` by `y` invocations.
pub(crate) fn check_workgroup([x, y]: [u32; 2], limits: &Limits) -> Result<(), LimitError> {
    needs!(limits, max_compute_invocations_per_workgroup, u64::from(x) * u64::from(y))?;
    needs!(limits, max_compute_workgroup_size_x, x)?;
    needs!(limits, max_compute_workgroup_size_y, y)?;
    needs!(limits, max_compute_workgroup_size_z, 1u32)
}
