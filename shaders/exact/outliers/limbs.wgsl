// Numbers of two words outside of the window, and states: one window, which moves, and the limbs for all that is far from it.
#import exact/one_window
#import exact/no_bins
