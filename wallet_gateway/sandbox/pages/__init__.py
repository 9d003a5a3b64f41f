"""What all HTML pages of the sandbox share: security headers, languages, number formats, static files.

Nothing here depends on the content of a page.
"""
