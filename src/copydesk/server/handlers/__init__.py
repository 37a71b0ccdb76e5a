"""What each operation does, one module per noun. Handlers never import each other."""
