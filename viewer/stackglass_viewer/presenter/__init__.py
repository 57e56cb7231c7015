"""Sessions, live capture, selection and item models; QtCore only."""
