"""Optional mails of the plugin. Off until this app is in `INSTALLED_APPS`."""
