//! Khronos's validator for SPIR-V, run as a program.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The program `spirv-val`, if this machine has it.
pub struct SpirvVal;

impl SpirvVal {
    /// Looks for it, and says so if it is not there.
    pub fn find() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<SpirvVal>> = OnceLock::new();
        let look = || {
            let version = Command::new("spirv-val").arg("--version").output();
            let found = version.is_ok_and(|version| version.status.success());
            if !found {
                super::say(
                    "permutations: SPIR-V is not validated, as spirv-val is missing (Debian: spirv-tools)",
                );
            }
            found.then_some(SpirvVal)
        };
        FOUND.get_or_init(look).as_ref()
    }

    /// Validates a module for Vulkan 1.2; complains with the validator's words.
    pub fn check(&self, words: &[u32]) -> Result<(), String> {
        let mut child = Command::new("spirv-val")
            .args(["--target-env", "vulkan1.2", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("spirv-val: {error}"))?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // It reads everything before it says anything, so the pipes cannot block each other.
        child
            .stdin
            .take()
            .expect("piped")
            .write_all(&bytes)
            .map_err(|error| format!("spirv-val: {error}"))?;
        let output = child.wait_with_output().map_err(|error| format!("spirv-val: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
    }
}
