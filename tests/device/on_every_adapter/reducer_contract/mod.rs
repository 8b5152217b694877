//! The contract of the embeddable reducer with the application around it: costs of recording, shared and mixed use,
//! memory that stays untouched, refusals. Everything runs under the validation layers, where they are installed.

mod mixed;
mod recording;
mod repeated;
mod scene;
mod wrong;
