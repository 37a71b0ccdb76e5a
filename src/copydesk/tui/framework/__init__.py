"""What every screen stands on: places, actions, the keyboard, the frame, sources."""
