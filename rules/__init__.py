"""What is right: rule packs as pure functions over columns. No input or output, no clock, no configuration."""
