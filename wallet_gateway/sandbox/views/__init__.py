"""The doors of the sandbox: each translates HTTP into one call, and its result into an answer."""
