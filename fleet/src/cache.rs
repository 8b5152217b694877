//! Hints to the processor's caches.

/// Bytes of a line of an x86 processor's caches.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Moves bytes that this core has read from its own cache to the one of all cores, by a hint that only newer x86 processors know. A GPU that writes lines
/// again which many cores hold takes up to three times as long. The hint takes time, too: it is for copies that others hide.
pub fn demote(bytes: &[u8]) {
    #[cfg(target_arch = "x86_64")]
    for line in bytes.chunks(LINE) {
        // SAFETY: it changes no byte, and is a `nop` to processors that do not know it.
        unsafe {
            std::arch::asm!("cldemote [{}]", in(reg) line.as_ptr(), options(readonly, nostack, preserves_flags));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = bytes;
}
