"""What handlers share: finding rows with the caller's rights checked, and building models."""
