// Memory of the workgroup for all that lies outside of windows.
#import entry
#import exact/limbs
#import outliers

// Limbs and bins zero; a barrier has to follow.
fn clear_outside(at: Place) {
    clear_limbs(at);
    clear_bins(at);
}
