"""The console: pages in English that list what the gateway stored, and a form for each control call.

Who may enter is decided in ``access``, and what a form changes in ``control.calls``.
"""
