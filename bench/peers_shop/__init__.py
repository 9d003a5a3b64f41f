"""The measured shop with the peers beside the plugin, each with a thin provider that is durable."""
