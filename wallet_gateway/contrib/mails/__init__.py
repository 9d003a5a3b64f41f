"""Mails that the plugin can send by itself. Off until this is among the installed apps."""
