//! Facts about a device that the choice of kernels depends on. Pure: no GPU here.

use wgpu::{Device, Features, Limits};

use crate::adapter;
use crate::element::Element;

/// Facts about a device.
#[derive(Clone, Debug)]
pub(in crate::stencil) struct Machine {
    pub(super) class: Class,
    /// The smallest subgroup, or 0 if lanes exchange nothing.
    pub(super) subgroup: u32,
    /// Cores, each of which runs workgroups on its own.
    pub(super) cores: u64,
    pub(super) limits: Limits,
}

/// Devices that are treated alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Class {
    Nvidia,
    Software,
    Other,
}

const NVIDIA: u32 = 0x10de;

/// Cores of NVIDIA's GPUs by a word of their names. wgpu does not tell them.
const NVIDIA_CORES: [(&[&str], u64); 15] = [
    (&["H200", "H100", "GH200"], 132),
    (&["A100"], 108),
    (&["A10", "A10G"], 72),
    (&["L40", "L40S"], 142),
    (&["L4"], 58),
    (&["T4"], 40),
    (&["V100"], 80),
    (&["5090"], 170),
    (&["5080"], 84),
    (&["4090"], 128),
    (&["4080"], 76),
    (&["4070", "3070"], 46),
    (&["3090"], 82),
    (&["3080"], 68),
    (&["3060"], 28),
];

/// Cores of a GPU whose name is not in the table.
const USUAL_CORES: u64 = 48;

impl Machine {
    /// Facts about a device, for a type of cells.
    pub(in crate::stencil) fn of(device: &Device, element: Element) -> Self {
        let (info, features, limits) = (device.adapter_info(), device.features(), device.limits());
        let class = match info.vendor {
            _ if adapter::is_software(&info) => Class::Software,
            NVIDIA => Class::Nvidia,
            _ => Class::Other,
        };
        // Cells of 64 bits are exchanged as two words, which 64-bit integers take apart.
        let wide = if element.size() == 8 { Features::SHADER_INT64 } else { Features::empty() };
        let exchanges = features.contains(Features::SUBGROUP | wide);
        let subgroup = if exchanges { info.subgroup_min_size } else { 0 };
        Machine { class, subgroup, cores: cores(class, &info.name), limits }
    }

    /// Returns true if lanes of a team exchange cells by shuffles. This requires that no team lies in two subgroups.
    pub(in crate::stencil) fn shuffles(&self, lanes: u32) -> bool {
        self.subgroup > 0 && self.subgroup.is_multiple_of(lanes)
    }

    /// Lanes of a team: the smallest subgroup.
    pub(super) fn lanes(&self) -> u32 {
        if self.subgroup > 0 { self.subgroup } else { 32 }
    }

    /// Nanoseconds that a dispatch takes.
    pub(super) fn launch(&self) -> f64 {
        match self.class {
            Class::Nvidia => 2500.0,
            Class::Software => 20_000.0,
            Class::Other => 5000.0,
        }
    }
}

fn cores(class: Class, name: &str) -> u64 {
    if class == Class::Software {
        return 1;
    }
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let known = words.find_map(|word| NVIDIA_CORES.iter().find(|(names, _)| names.contains(&word)));
    known.filter(|_| class == Class::Nvidia).map_or(USUAL_CORES, |(_, cores)| *cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_go_by_a_whole_word_of_the_name() {
        for (name, expected) in [
            ("NVIDIA H200", 132),
            ("NVIDIA A100-SXM4-80GB", 108),
            ("NVIDIA A10", 72),
            ("NVIDIA L40S", 142),
            ("NVIDIA L4", 58),
            ("NVIDIA GeForce RTX 4090", 128),
            ("NVIDIA Something 9999", USUAL_CORES),
        ] {
            assert_eq!(cores(Class::Nvidia, name), expected, "{name}");
        }
        assert_eq!(cores(Class::Other, "Apple M2 Max"), USUAL_CORES);
        assert_eq!(cores(Class::Software, "llvmpipe"), 1);
    }
}
