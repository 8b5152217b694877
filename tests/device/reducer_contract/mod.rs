//! The contract of the embeddable reducer with the application around it: what recording costs, what may be shared and mixed,
//! what is left alone, what is refused and how. Everything runs under the validation layers, where they are installed.

mod by_hand;
mod mixed;
mod recording;
mod repeated;
mod scene;
mod wrong;
