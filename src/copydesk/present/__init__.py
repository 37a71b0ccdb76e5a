"""From models to text: pure functions that know nothing of widgets."""
