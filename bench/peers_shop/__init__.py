"""The measured shop with the peers beside the plugin, each with its thinnest provider that is durable."""
