// Numbers of one word outside of the window, of long inputs: a second window, and bins for whole batches.
#import exact/two_windows
#import exact/bins
#import exact/bin_batches
