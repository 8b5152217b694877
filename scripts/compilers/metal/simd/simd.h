// naga's MSL includes it, and uses nothing of it.
