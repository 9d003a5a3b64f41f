"""What all HTML pages of the sandbox share: security headers, languages, number formats, static files.

Nothing here knows what a page says.
"""
