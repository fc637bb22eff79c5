"""The kernels: loops over texts in C, and how Python calls them."""
