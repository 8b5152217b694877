//! An output file that is opened before the work, and takes its name after it.
//!
//! Content goes into a temporary file beside the target, which takes the target's name once it is complete: a full disk,
//! an error or an interrupt leaves the earlier content.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempPath;

use crate::failure::{Failure, INTERRUPTED};

/// Temporary files, which an interrupt removes.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// True if an interrupt is left to the work itself, once: see [`leave_interrupts_to_work`].
static LEFT_TO_WORK: AtomicBool = AtomicBool::new(false);

/// True if there was an interrupt that the work has to see to.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

pub struct Reserved {
    option: &'static str,
    path: PathBuf,
    file: File,
    /// Its path in the same folder; none of a target that cannot be replaced: a pipe, a device.
    temporary: Option<TempPath>,
}

impl Reserved {
    /// Opens the output that an option names, and checks that it can be written.
    pub fn open(option: &'static str, path: &Path) -> Result<Self, Failure> {
        // A link stays one: its target is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (file, temporary) = reserve(&path).map_err(|error| failure(option, &path, &error))?;
        Ok(Reserved { option, path, file, temporary })
    }

    /// The same for an output that would destroy one of the inputs if it were one.
    pub fn open_apart(
        option: &'static str,
        path: &Path,
        inputs: &[impl AsRef<Path>],
    ) -> Result<Self, Failure> {
        let file = Reserved::open(option, path)?;
        let is_output = |input: &&_| fs::canonicalize(input).is_ok_and(|input| input == file.path);
        match inputs.iter().map(AsRef::as_ref).find(is_output) {
            Some(_) => Err(refusal!("{option} {}: is the input; name another file", path.display())),
            None => Ok(file),
        }
    }

    pub fn write(self, content: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), Failure> {
        self.write_with(|file| file.write_all(content.as_ref()))
    }

    pub fn write_with(mut self, content: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
        content(&mut self.file).map_err(|error| failure(self.option, &self.path, &error))?;
        self.finish()
    }

    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn place(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.path)
    }

    pub fn finish(self) -> Result<(), Failure> {
        let Some(temporary) = self.temporary else { return Ok(()) };
        persist(temporary, &self.path).map_err(|error| failure(self.option, &self.path, &error))
    }
}

/// Opens the file that takes the content of another, and tells the path of a temporary one.
fn reserve(path: &Path) -> io::Result<(File, Option<TempPath>)> {
    if path.exists() {
        // A user who may not write a file may not replace it either.
        let file = OpenOptions::new().write(true).open(path)?;
        if !file.metadata()?.is_file() {
            return Ok((file, None));
        }
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(folder)?;
    let (file, temporary) = builder().tempfile_in(folder)?.into_parts();
    unfinished().push(temporary.to_path_buf());
    Ok((file, Some(temporary)))
}

/// Gives a temporary file the permissions and the name of another.
fn persist(temporary: TempPath, path: &Path) -> io::Result<()> {
    if let Ok(before) = fs::metadata(path) {
        fs::set_permissions(&temporary, before.permissions())?;
    }
    let known = temporary.to_path_buf();
    temporary.persist(path)?;
    unfinished().retain(|path| *path != known);
    Ok(())
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".halofold-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes an interrupt (Ctrl-C, or a signal to end) remove incomplete files.
pub fn clean_up_when_interrupted() -> Result<(), Failure> {
    let clean_up = || {
        if LEFT_TO_WORK.swap(false, Ordering::Relaxed) {
            INTERRUPT.store(true, Ordering::Relaxed);
            return;
        }
        remove_unfinished();
        exit_at_once(INTERRUPTED.into());
    };
    ctrlc::set_handler(clean_up).map_err(Failure::usage)
}

/// Removes incomplete files, before the process is ended from outside.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // A file that is gone already needs no removing.
        let _ = fs::remove_file(&path);
    }
}

/// Ends the process without the drivers' own ends: those would free memory that their other threads work with, which then ends the
/// process by a signal, or wait for these threads for ever.
fn exit_at_once(status: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: it ends the process, and nothing of it is looked at again.
    unsafe {
        libc::_exit(status)
    }
    #[cfg(windows)]
    // SAFETY: as above; the handle is the process's own.
    unsafe {
        TerminateProcess(GetCurrentProcess(), status as u32);
    }
    #[cfg(not(unix))]
    std::process::exit(status)
}

// Windows runs the drivers' ends in every exit but this.
#[cfg(windows)]
unsafe extern "system" {
    safe fn GetCurrentProcess() -> *mut std::ffi::c_void;
    fn TerminateProcess(process: *mut std::ffi::c_void, status: u32) -> i32;
}

/// Makes the next interrupt set a flag that the work polls, so that it can save its progress. The one after that ends the
/// program as usual.
pub fn leave_interrupts_to_work() -> &'static AtomicBool {
    LEFT_TO_WORK.store(true, Ordering::Relaxed);
    &INTERRUPT
}

/// Fails if an interrupt ended the work after this many rows.
pub fn check_interrupts(rows: usize) -> Result<(), Failure> {
    match INTERRUPT.load(Ordering::Relaxed) {
        true => Err(Failure::Interrupted(format!("interrupted after {rows} rows; the others did not run"))),
        false => Ok(()),
    }
}

pub fn failure(option: &str, path: &Path, error: &io::Error) -> Failure {
    // Not the temporary file's name, which the system's message has.
    let why = match error.kind() {
        io::ErrorKind::NotFound => "no such folder; create it first".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "permission denied; name a folder that this user may write to".to_owned()
        }
        io::ErrorKind::FileTooLarge => {
            "the file exceeds the system's limit; raise it with ulimit -f".to_owned()
        }
        _ => error.to_string(),
    };
    refusal!("{option} {}: {why}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_fails_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.txt");
        fs::write(&path, "old").unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();

        let full = Reserved::open("-o", &path).unwrap().write_with(|file| {
            file.write_all(b"half of it")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(full.is_err());
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 1));
        drop(Reserved::open("-o", &path).unwrap());
        drop(Reserved::open("-o", &folder.path().join("fresh.txt")).unwrap());
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("old", 1));

        Reserved::open("-o", &path).unwrap().write("new").unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), ("new", 1));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        fs::write(&path, "a").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        Reserved::open("-o", &link).unwrap().write("b").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        Reserved::open("-o", Path::new("/dev/null")).unwrap().write("gone").unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }
}
