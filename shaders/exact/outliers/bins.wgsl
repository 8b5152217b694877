// Numbers of one word outside of the window: one window, which moves, and bins for numbers far from it. It saves the registers of a second.
#import exact/one_window
#import exact/bins
