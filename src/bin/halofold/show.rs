//! Placeholder until the real file lands.
#[derive(clap::Args)]
pub struct ShowArgs {}
pub fn run(_: ShowArgs) -> Result<(), crate::Failure> {
    Ok(())
}
