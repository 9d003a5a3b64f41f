"""The doors of the sandbox: each translates HTTP into one call of the engine, and its result into an answer."""
