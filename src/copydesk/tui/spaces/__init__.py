"""Collections and spaces: their list and their tree."""
