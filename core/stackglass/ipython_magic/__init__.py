"""IPython and Jupyter: ``%load_ext stackglass``."""
