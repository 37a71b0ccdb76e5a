"""Widgets that draw only what is on screen: lists, trees, long text, fields."""
